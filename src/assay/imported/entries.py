# SPDX-License-Identifier: MIT
"""What follows a line's head, by its key: the table of docs/reference/database-lines.md."""

import re
from functools import lru_cache

from assay.imported.values import BadLine, number, timings
from assay.model.supercop import (
    TRIED,
    Attempt,
    Fact,
    Measurement,
    ObjectSize,
    Record,
    Source,
    Subject,
)
from assay.stats.quartiles import stabilised

NAMING = TRIED | {"try", "tryfails", "objsize"}  # their lines name implementation and compiler
OUTCOMES = {"ok", "unknown", "fails"}
MEASURED = re.compile(r"(?:[a-z0-9]+_)*(cycles|bytes|randombytes|randomcalls)")
UNITS = {"cycles": "cycles", "bytes": "bytes", "randombytes": "bytes", "randomcalls": "calls"}
SIZE = re.compile(r"-|[0-9]{1,18}")

# Counters that run at a rate of their own, as their names in cpucycles_implementation say.
CLOCKS = re.compile(
    r"ticks|tsc|cpuinfo|cpuspeed|gettimeofday|monotonic|mach|vct|mftb|rdtime|stckf|rdtick"
)


def names(key: str, words: tuple[str, ...]) -> tuple[str, str, tuple[str, ...]]:
    """Return implementation and compiler word of a line about a try, and its other words."""
    if key == "try":
        if len(words) not in (7, 8):
            raise BadLine(f"`try` has {len(words)} words after it, not 7 or 8")
        return words[5], words[6], (*words[:5], *words[7:])
    if len(words) < 2 or not (words[0] and words[1]):
        raise BadLine(f"`{key}` names no implementation and compiler")
    return words[0], words[1], words[2:]


def tried(source: Source, subject: Subject, key: str, words: tuple[str, ...]) -> Record:
    """Read the other words of a line about a try, but for `tryfails`."""
    if key == "try":
        return _attempt(source, subject, words)
    if key == "objsize":
        return _object_size(source, subject, words)
    return Fact(source, subject, key, words)


def measured(
    source: Source, subject: Subject, key: str, words: tuple[str, ...], counter: str
) -> Record:
    """Read a line of what was measured; whatever else it is becomes a Fact.

    `counter` is the word that `cpucycles_implementation` gave.
    """
    unit = _unit(key, counter)
    if unit is None or len(words) < 2:
        return Fact(source, subject, key, words)
    if not SIZE.fullmatch(words[0]):
        raise BadLine(f"{words[0][:40]!r} is no size")
    values = timings(number(words[1]), [word for word in words[2:] if word])
    q1, median, q3 = stabilised(values)
    if median < 0:  # single ones may be, where counters of processors differ
        raise BadLine(f"{median} {unit} is less than nothing")
    size = None if words[0] == "-" else int(words[0])
    return Measurement(source, subject, key, size, q1, median, q3, unit, values, 1)


@lru_cache(maxsize=256)
def _unit(key: str, counter: str) -> str | None:
    """Return what a key's values are in; None if it is none of something measured."""
    found = MEASURED.fullmatch(key)
    if found is None:
        return None
    unit = UNITS[found[1]]
    return "ticks" if unit == "cycles" and CLOCKS.search(counter) else unit


def _attempt(source: Source, subject: Subject, words: tuple[str, ...]) -> Attempt:
    """Read `CHECKSUMS OUTCOME CYCLES TESTCYCLES PERSECOND [DEVIATIONS]`."""
    checksums, outcome, *numbers = words[:5]
    if outcome not in OUTCOMES:
        raise BadLine(f"{outcome[:40]!r} is no outcome of `try`")
    score, test_cycles, rate = map(number, numbers)
    small, _, big = ("" if checksums == "-" else checksums).partition("/")
    values = timings(score, words[5:]) if len(words) > 5 else ()
    return Attempt(
        *(source, subject, outcome, small, big, score, values),
        test_cycles=test_cycles,
        cycles_per_second=rate,
    )


def _object_size(source: Source, subject: Subject, words: tuple[str, ...]) -> ObjectSize:
    """Read `TEXT DATA BSS FILE`."""
    if len(words) < 4:
        raise BadLine("`objsize` lacks numbers or a file name")
    text, data, bss = map(number, words[:3])
    return ObjectSize(source, subject, text, data, bss, " ".join(words[3:]))

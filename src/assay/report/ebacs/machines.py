# SPDX-License-Identifier: MIT
"""What the page of a machine shows: hardware, counter, compilers, and counts of verdicts."""

from collections import Counter
from dataclasses import dataclass

from assay.report.ebacs import options
from assay.report.ebacs.records import BenchMachine, Provenance, Records

# Facts about a machine and its counter, which SUPERCOP repeats in each measurement.
MACHINE_FACTS = ("cpuid", "cpucycles_implementation", "cpucycles_persecond", "compiler")
MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class CompilerUse:
    """How a configuration did: builds that were tried, sound ones, and leagues won."""

    command: str
    tried: int
    sound: int
    won: int


@dataclass(frozen=True, slots=True)
class MachinePage:
    """What is known of one place; `bench` is None for a published one.

    `facts` are values by key, as published; `units` what its timings are in.
    """

    place: Provenance
    dates: tuple[str, ...]
    units: tuple[str, ...]
    bench: BenchMachine | None
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    compilers: tuple[CompilerUse, ...]
    verdicts: tuple[tuple[str, str, int], ...]


def machine_page(records: Records, place: Provenance, bench: BenchMachine | None) -> MachinePage:
    """Gather what is known of a place from its own records."""
    return MachinePage(
        place,
        records.dates,
        tuple(sorted({one.unit for one in records.series if one.points and "cycles" in one.key})),
        bench,
        _facts(records),
        _compilers(records),
        options.reasons(options.newest(records.attempts)),
    )


def _facts(records: Records) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the values of each fact about the machine, the most frequent first."""
    found = []
    for key in MACHINE_FACTS:
        counts = Counter(" ".join(one.words) for one in records.facts if one.key == key)
        if counts:
            found.append((key, tuple(text for text, _ in counts.most_common(MOST_VALUES))))
    return tuple(found)


def _compilers(records: Records) -> tuple[CompilerUse, ...]:
    """Count how each configuration did, winners first."""
    attempts = options.newest(records.attempts)
    wins = Counter(whose.compiler for whose in options.winning(attempts).values())
    tried = Counter(one.subject.compiler for one in attempts)
    sound = Counter(
        one.subject.compiler for one in attempts if one.outcome not in options.NOT_SOUND
    )
    uses = (CompilerUse(name, tried[name], sound[name], wins[name]) for name in tried)
    return tuple(sorted(uses, key=lambda use: (-use.won, use.command)))

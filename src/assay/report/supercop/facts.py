# SPDX-License-Identifier: MIT
"""What database lines say besides times: compiler messages, names, secrets, headings.

The keys, their words and their order are SUPERCOP 20260330's (do-part, data-run,
measure-anything.c and each operation's measure.c, which name the sizes of a heading).
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay.model import CheckResult, Machine, Verdict
from assay.model.series import TIMES
from assay.model.supercop import LEAGUES
from assay.model.targets import NATIVE_NAME
from assay.report.supercop.writer import OWN, word
from assay.store.rows import StoredCell
from assay.summary.sizes import ObjectFiles

MOST_MESSAGES = 25  # of one compilation, as data-run keeps
SECRETS = "secrets/timing"
# Only these say what a size is of; other operations name the macro, in lower case.
NAMED = {
    "BYTES": "outputbytes",
    "crypto_sort BYTES": "bytes",
    "crypto_verify BYTES": "inputbytes",
}
UNNAMED = {"crypto_hashblocks BLOCKBYTES", "crypto_stream BEFORENMBYTES"}
_FILE = re.compile(r"(?:.*/)?([^/:\s]+):\d+")
_RELEASE = re.compile(r"\d+(?:\.\d+)+")


def facts_of(
    cell: StoredCell, machine: Machine | None, objects: ObjectFiles, unit: str, rate: int | None
) -> Iterator[tuple[str, ...]]:
    """Yield keys and words of what else lines say of a cell of the store, whose are `objects`.

    What was measured in a `unit` of time has a heading; `rate` is that of its counter.
    """
    if cell.build.cell.target != NATIVE_NAME:
        return
    yield from _tried(cell, objects)
    if unit in TIMES:
        yield from _heading(cell, machine, unit, rate)


def _tried(cell: StoredCell, objects: ObjectFiles) -> Iterator[tuple[str, ...]]:
    """Yield keys and words of lines about a try."""
    lines = [line for line in cell.build.diagnostics.splitlines() if line.strip()]
    file = "-"
    for line in lines[:MOST_MESSAGES]:
        found = _FILE.match(line)
        file = found[1] if found else file
        yield "fromcompiler", file, *line.split(" ")
    if len(lines) > MOST_MESSAGES:
        yield "fromcompiler", file, "..."
    if objects:
        yield from _namespace(cell.package.selector, objects)
    if cell.build.league == LEAGUES[0]:
        yield from (each for one in cell.checks for each in _timecop(one))


def _namespace(selector: str, objects: ObjectFiles) -> Iterator[tuple[str, ...]]:
    """Yield the words of global names that do not begin as those of an implementation do."""
    from assay.elf.files import global_names  # noqa: PLC0415 - most results have no such files

    for path, _ in objects:
        for name, kind in global_names(path):
            if not name.startswith(_prefixes(selector)):
                yield "namespace", word(path.name), word(name), kind


@lru_cache(maxsize=64)
def _prefixes(selector: str) -> tuple[str, ...]:
    """Return how the names begin that belong to an implementation."""
    name = re.sub(r"\W", "_", selector)
    return (name, f"_{name}", "__x86.get_pc_thunk.")


def _timecop(check: CheckResult) -> Iterator[tuple[str, ...]]:
    """Yield what the examination of secrets found, under valgrind as TIMECOP's is."""
    if check.check != SECRETS:
        return
    if check.verdict is Verdict.PASS:
        yield "timecop_pass", "1", "0"
    elif check.verdict is Verdict.FAIL:
        for line in (check.reason, *check.evidence.splitlines()):
            yield "timecop_fail", *line.split(" ")


def _heading(
    cell: StoredCell, machine: Machine | None, unit: str, rate: int | None
) -> Iterator[tuple[str, ...]]:
    """Yield the heading of what was measured, from `implementation` to `compiler`."""
    yield "implementation", word(cell.package.selector), "-"
    if cell.subject is not None:
        yield from _sizes(cell.package.family, cell.subject.sizes)
    if machine is not None and machine.cpuid:
        yield "cpuid", word(machine.cpuid)
    if rate:
        yield "cpucycles_persecond", str(rate)
    yield "cpucycles_implementation", f"{OWN}{unit}"
    yield "compiler", word(cell.configuration.command_line), _release(cell, machine)


@lru_cache(maxsize=64)
def _sizes(operation: str, sizes: Sequence[tuple[str, int]]) -> tuple[tuple[str, str], ...]:
    """Return the sizes that an operation's heading names."""
    full = ((f"{operation} {name}", name, value) for name, value in sizes)
    return tuple(
        (NAMED.get(one) or NAMED.get(name) or name.lower(), str(value))
        for one, name, value in full if one not in UNNAMED
    )  # fmt: skip


def _release(cell: StoredCell, machine: Machine | None) -> str:
    """Return the compiler's version, where only one of its family was used."""
    family = cell.configuration.family
    return _release_of(family, machine.compilers if machine else ())


@lru_cache(maxsize=64)
def _release_of(family: str, compilers: tuple[str, ...]) -> str:
    releases = [one for one in compilers if family in one]
    found = [one for release in releases for one in _RELEASE.findall(release)[-1:]]
    return found[0] if len(found) == 1 else "-"

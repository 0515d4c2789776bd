# SPDX-License-Identifier: MIT
"""Imported results as cells of a site: one place for each machine, ABI and program."""

from collections.abc import Iterable, Iterator

from assay.model.supercop import Attempt, Measurement, ObjectSize, Source, Subject
from assay.site.cells import Folder, SiteCell, SiteCheck, SiteFigure, SiteMachine, digest
from assay.store import Store
from assay.store.published import ImportedRecords

OUTCOMES = {"ok": "pass", "unknown": "open"}
OBJECT = ".o"  # ends the names of object files; the linked test program does not count
Build = tuple[Source, Subject]


def imported_folders(store: Store) -> Iterator[Folder]:
    """Yield what was imported, newest day of each build alone."""
    published = ImportedRecords(store)
    sources: dict[tuple[str, str, str], list[SiteCell]] = {}
    for operation, primitive in _primitives(published):
        for (source, subject), cell in _cells(published, operation, primitive):
            place = (source.machine, source.abi, source.version)
            del subject
            sources.setdefault(place, []).append(cell)
    for (machine, abi, version), cells in sorted(sources.items()):
        yield Folder(_machine(machine, abi, version, cells), tuple(cells))


def _primitives(published: ImportedRecords) -> Iterable[tuple[str, str]]:
    known = {
        (one.subject.operation, one.subject.primitive): None
        for read in (published.attempts, published.measurements)
        for one in read()
    }
    return sorted(known)


def _machine(machine: str, abi: str, version: str, cells: Iterable[SiteCell]) -> SiteMachine:
    compilers = sorted({one.command.split()[0] for one in cells if one.command.split()})
    return SiteMachine(
        identity=digest("imported", machine, abi, version),
        host=machine, cpu="", architecture=abi, mhz=None, kernel="", system="",
        compilers=tuple(compilers), trust="", assay="",
        facts=(("imported", f"database lines of {version}"),),
    )  # fmt: skip


def _cells(
    published: ImportedRecords, operation: str, primitive: str
) -> Iterator[tuple[Build, SiteCell]]:
    """Yield the builds of a primitive."""
    builds: dict[Build, list[Measurement]] = {}
    tried: dict[Build, Attempt] = {}
    sizes: dict[Build, dict[str, ObjectSize]] = {}
    for attempt in published.attempts(operation, primitive):
        tried[_build(attempt)] = attempt
        builds.setdefault(_build(attempt), [])
    for one in published.measurements(operation, primitive):
        builds.setdefault(_build(one), []).append(one)
    for each in published.object_sizes(operation, primitive):
        if each.file.endswith(OBJECT):
            sizes.setdefault(_build(each), {})[each.file] = each
    for build, found in builds.items():
        known = [(one.text, one.data, one.bss) for one in sizes.get(build, {}).values()]
        size = tuple(map(sum, zip(*known, strict=True))) if known else ()
        yield build, _cell(build, found, tried.get(build), size)


def _build(one: Measurement | Attempt | ObjectSize) -> Build:
    """Name a build; one campaign may last several days."""
    source = one.source
    return Source(source.machine, source.abi, "", source.version), one.subject


def _cell(
    build: Build, found: list[Measurement], tried: Attempt | None, size: tuple[int, ...]
) -> SiteCell:
    subject = build[1]
    days = [one.source.date for one in found] or ([tried.source.date] if tried else [])
    newest = max(days, default="")
    outcome = tried.outcome if tried else "unknown"
    reason = tried.reason if tried else ""
    groups: dict[tuple[str, int | None, str], list[Measurement]] = {}
    for one in found:
        if one.source.date == newest:
            groups.setdefault((one.key, one.size, one.unit), []).append(one)
    day = f"{newest[:4]}-{newest[4:6]}-{newest[6:8]}" if newest.isdigit() else ""
    return SiteCell(
        family=subject.operation, primitive=subject.primitive, selector=subject.implementation,
        implementation=subject.implementation.split("/", 2)[-1], version="", variant=1,
        configuration=subject.compiler, command=subject.compiler, target="native",
        league=subject.league, role="", verdict=OUTCOMES.get(outcome, "fail"), passed="",
        checks=(SiteCheck(outcome, "fail", reason),) if outcome not in OUTCOMES else (),
        build="", reason="", cure="", diagnostics="", bytes=size, facts={}, code="",
        began=day, ended=day, counter="", disturbed=False, dropped=False, imported=True,
        figures=tuple(map(_figure, groups.values())),
    )  # fmt: skip


def _figure(group: list[Measurement]) -> SiteFigure:
    last = group[-1]
    values = tuple(value for one in group for value in (one.medians or (one.median,)))
    return SiteFigure(
        f"{last.key}/{'-' if last.size is None else last.size}", "", last.size, last.unit, "call",
        None, values, (last.q1, last.q3),
    )  # fmt: skip

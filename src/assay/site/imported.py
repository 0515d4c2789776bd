# SPDX-License-Identifier: MIT
"""Imported results as cells of a site: one place for each machine, ABI and program."""

from collections.abc import Iterable, Iterator, Sequence

from assay.model.series import Series
from assay.model.supercop import Attempt, Record, Source, Subject
from assay.report.supercop.own import subject_of
from assay.site.cells import Folder, SiteCell, SiteCheck, SiteMachine, digest
from assay.site.figures import figures_of
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.imported import series_from

OUTCOMES = {"ok": "pass", "unknown": "open"}
Place = tuple[str, str, str]  # machine, ABI and version


def imported_folders(store: Store) -> Iterator[Folder]:
    """Yield what was imported, newest day of each build alone."""
    published = ImportedRecords(store)
    sources: dict[Place, list[SiteCell]] = {}
    for named in published.primitives():
        attempts = tuple(published.attempts(*named))
        lines: list[Record] = [*attempts, *published.measurements(*named)]
        lines += published.object_sizes(*named)
        builds: dict[tuple[Place, Subject], list[Series]] = {}
        tried = {(_place(one.source), one.subject): one for one in attempts}
        for build in tried:
            builds[build] = []
        for one in series_from(lines):
            builds.setdefault((_place(one.source), subject_of(one)), []).append(one)
        for build, found in builds.items():
            cell = _cell(build[1], found, tried.get(build))
            sources.setdefault(build[0], []).append(cell)
    for place, cells in sorted(sources.items()):
        yield Folder(_machine(*place, cells), tuple(cells))


def _place(source: Source) -> Place:
    return source.machine, source.abi, source.version


def _machine(machine: str, abi: str, version: str, cells: Iterable[SiteCell]) -> SiteMachine:
    compilers = sorted({one.command.split()[0] for one in cells if one.command.split()})
    return SiteMachine(
        identity=digest("imported", machine, abi, version),
        host=machine, cpu="", architecture=abi, mhz=None, kernel="", system="",
        compilers=tuple(compilers), trust="", assay="",
        facts=(("imported", f"database lines of {version}"),),
    )  # fmt: skip


def _cell(subject: Subject, found: Sequence[Series], tried: Attempt | None) -> SiteCell:
    sizes = {one.measure: round(one.median) for one in found if not one.points}
    timed = [one for one in found if one.points]
    days = [one.source.date for one in timed] or ([tried.source.date] if tried else [])
    newest = max(days, default="")
    outcome = tried.outcome if tried else "unknown"
    day = f"{newest[:4]}-{newest[4:6]}-{newest[6:8]}" if newest.isdigit() else ""
    return SiteCell(
        family=subject.operation, primitive=subject.primitive, selector=subject.implementation,
        implementation=subject.short_name, version="", variant=1,
        configuration=subject.compiler, command=subject.compiler, target="native",
        league=subject.league, role="", verdict=OUTCOMES.get(outcome, "fail"), passed="",
        checks=(SiteCheck(outcome, "fail", tried.reason if tried else ""),)
        if outcome not in OUTCOMES else (),
        build="", reason="", cure="", diagnostics="", bytes=tuple(sizes.values()), facts={},
        code="", began=day, ended=day, counter="", disturbed=False, dropped=False, imported=True,
        figures=figures_of(one for one in timed if one.source.date == newest),
    )  # fmt: skip

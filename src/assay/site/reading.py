# SPDX-License-Identifier: MIT
"""From a results folder to cells of a site: its own results by target, imported ones by source."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from assay.machine.git import SHORT
from assay.model import (
    NATIVE_NAME,
    BuildStage,
    CheckResult,
    Launch,
    Machine,
    Package,
    Verdict,
)
from assay.model.compared import fails, settled, uncompared
from assay.model.series import Series
from assay.model.supercop import Attempt, Place, Record, Subject
from assay.report.supercop import LineWriter
from assay.report.supercop.own import records_of, subject_of
from assay.site.cells import Folder, SiteCell, SiteCheck, SiteFigure, SiteMachine, digest
from assay.site.figures import figures_of
from assay.stats.summary import counted
from assay.store import FILE_NAME, Store
from assay.store.published import ImportedRecords
from assay.store.rows import StoredCell
from assay.summary.cells import weak_jails
from assay.summary.imported import series_from
from assay.summary.series import CellResult, measured_batches
from assay.summary.sizes import (
    CODE,
    CONTEXT,
    LENGTH,
    STACK,
    STATE,
    ObjectFiles,
    object_places,
    own_objects,
    sizes_of,
)

LONGEST_MESSAGES = 20_000  # characters of what a compiler printed that a page shows
MEMORY = {CONTEXT: "context", STATE: "static memory", STACK: "stack"}
CLOCK = "its clock was set back while it measured, so times may be wrong"
UNFINISHED = (
    "the campaign that began {day} has not ended (it runs, or was interrupted), so results may "
    "be missing"
)
WEAK = (
    "submitted code ran in the jail “{jail}”, which is weaker than bubblewrap: it could have "
    "read or changed files of the machine, these results among them"
)
UNKNOWN = Machine("unknown", "unknown", "unknown", 0, 0, "", "", None, None, None, None, None)
OUTCOMES = {"ok": "pass", "unknown": "open"}


def own_folders(
    folder: Path,
    store: Store,
    meant: Callable[[StoredCell], bool] = lambda _: True,
    *,
    older: bool = False,
    lines: bool = False,
) -> Iterator[Folder]:
    """Yield what Assay itself measured of the cells that are meant, by machine and target.

    Cells that were not launched are as old as the newest of the others. With `older` contents of
    packages, too; with `lines` those of SUPERCOP's database.
    """
    machine, campaigns = store.machine(), store.campaigns()
    newest = max((one.started_at for one in campaigns), default="")
    targets: dict[str, list[SiteCell]] = {}
    warnings: dict[str, None] = {}
    read = measured_batches(
        store, lambda one: one.build.stage is not BuildStage.SKIPPED and meant(one),
        timings=lines, older=older,
    )  # fmt: skip
    for batch in read:
        for cell, said in _cells_of(batch, folder, machine, lines=lines):
            newest = max(newest, cell.ended)
            warnings.update(dict.fromkeys(said))
            targets.setdefault(cell.target, []).append(cell)
    if campaigns and campaigns[-1].finished_at is None:
        warnings[UNFINISHED.format(day=campaigns[-1].started_at[:16].replace("T", " "))] = None
    for target, found in sorted(targets.items()):
        dated = (one if one.ended else replace(one, ended=newest) for one in found)
        yield Folder(machine_at(machine or UNKNOWN, target), tuple(dated), tuple(warnings))


def _cells_of(
    batch: Sequence[CellResult], folder: Path, machine: Machine | None, *, lines: bool
) -> Iterator[tuple[SiteCell, tuple[str, ...]]]:
    """Put cells together, and yield each with why its figures may be wrong.

    It goes step by step for all of them: so a processor has the code of a step at hand, which
    took a tenth off the time of reading.
    """
    launches = [counted(one.launches) for one in batch]
    warnings = [tuple(_warnings(*one)) for one in zip(batch, launches, strict=True)]
    inside = object_places(folder)
    objects = [own_objects(one, inside) for one in batch]
    records = [_line_records(*one, machine) if lines else ()
               for one in zip(batch, objects, strict=True)]  # fmt: skip
    written = [tuple(LineWriter().lines(one)) for one in records]
    figures = [figures_of(one.figures) for one in batch]
    sizes = [dict(sizes_of(*one)) for one in zip(batch, objects, strict=True)]
    cells = starmap(_cell, zip(batch, launches, sizes, figures, written, strict=True))
    return zip(cells, warnings, strict=True)


def _warnings(measured: CellResult, valid: Sequence[Launch]) -> Iterator[str]:
    """Yield why figures of a cell may be wrong."""
    jails = measured.build.jail, *(one.jail for one in measured.launches)
    yield from (WEAK.format(jail=jail) for jail in weak_jails(jails))
    moments = [launch.started_at for launch in valid]
    if moments != sorted(moments):
        yield CLOCK


def machine_at(machine: Machine, target: str) -> SiteMachine:
    """Describe a place: a machine, or a target that it measured on."""
    settings = machine.settings | {"cores": str(machine.cores)}
    if target == NATIVE_NAME:
        found = ((one.topic, one.trust.value, one.state, one.cure) for one in machine.findings)
        return SiteMachine(machine.identity(), machine.host, machine.cpu, machine.architecture,
                           machine.mhz, settings, tuple(found))  # fmt: skip
    settings.pop("doctor's class", None)
    by = f"{machine.host} ({machine.cpu})"
    settings |= {"processor": f"target {target}", "measured by": by}
    return SiteMachine(machine.identity(target), target, settings["processor"], "", None, settings)


def _cell(
    measured: CellResult,
    launches: Sequence[Launch],
    sizes: Mapping[str, int],
    figures: tuple[SiteFigure, ...],
    lines: tuple[str, ...],
) -> SiteCell:
    """Put a cell together."""
    package, build, whose = measured.package, measured.build, measured.first.subject
    origin = measured.origin
    moments = sorted(launch.started_at for launch in launches)
    checks = settled(measured.checks)
    return SiteCell(
        family=whose.operation, primitive=whose.primitive, selector=whose.name,
        implementation=package.label, version=whose.contents,
        variant=whose.variant, configuration=build.cell.configuration,
        command=measured.configuration.command_line, target=build.cell.target,
        league=build.league or _league(package), role=package.role.value,
        verdict=_verdict(measured, checks), **_checks(checks),
        build=build.command, reason=build.reason, cure=build.cure,
        diagnostics=build.diagnostics[:LONGEST_MESSAGES],
        bytes=tuple(sizes[key] for key in CODE if key in sizes), facts=facts_of(sizes),
        code=build.object_hash or "",
        began=moments[0] if moments else "", ended=moments[-1] if moments else "",
        counter=launches[-1].counter.name if launches else "",
        disturbed=measured.disturbed, dropped=measured.dropped is not None,
        figures=figures, uncompared=uncompared(checks),
        notes=(*build.notes, *_quirks(package)), place=package.place,
        lines=lines, commit=origin.commit[:SHORT] if origin else "",
        settings=origin.settings if origin else {},
    )  # fmt: skip


def _line_records(
    measured: CellResult, objects: ObjectFiles, machine: Machine | None
) -> Sequence[Record]:
    """Return the records of a cell of an operation, with all of its timings; else nothing."""
    if not measured.package.kind.rules.database_lines:
        return ()
    return tuple(records_of((measured,), machine, (objects,)))


def _quirks(package: Package) -> Iterator[str]:
    """Yield what was accepted of a package though its API asks for something else."""
    for one in package.quirks:
        yield f"{one.name}: {one.message}. {one.cure}"


def _checks(checks: Sequence[CheckResult]) -> dict[str, Any]:
    """Return names of checks that passed in one text, and the others with their reasons."""
    passed = [one.check for one in checks if one.verdict is Verdict.PASS]
    others = (one for one in checks if one.verdict is not Verdict.PASS)
    found = (SiteCheck(one.check, one.verdict.value, one.reason, one.cure) for one in others)
    return {"passed": " ".join(passed), "checks": tuple(found)}


def _league(package: Package) -> str:
    """Return the league that a cipher's or hash's declared goals put it in."""
    return "constbranchindex" if len(package.goals) > 1 else ""


def _verdict(one: StoredCell, checks: Sequence[CheckResult]) -> str:
    """Return the verdict on a cell in one word."""
    if not one.build.ok or fails(checks):
        return "fail"
    unclear = not one.checks or uncompared(checks)
    if unclear or any(check.verdict is Verdict.OPEN for check in checks):
        return "open"
    return "pass"


def facts_of(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return sizes in bytes by the names that pages have for them."""
    lengths = {key.removeprefix(LENGTH): sizes[key] for key in sizes if key.startswith(LENGTH)}
    memory = {name: sizes[key] for key, name in MEMORY.items() if sizes.get(key)}
    return {**lengths, **memory}


def readable(folder: Path) -> Store:
    """Open the results of a folder, whoever made them; AssayError says why that fails."""
    if folder.is_file() and folder.name == FILE_NAME:
        folder = folder.parent
    return Store.open(folder, read_only=True)


def imported_folders(store: Store) -> Iterator[Folder]:
    """Yield what was imported, newest day of each build alone."""
    published = ImportedRecords(store)
    sources: dict[Place, list[SiteCell]] = {}
    for named in published.primitives():
        lines = tuple(published.about(*named))
        tried = {(one.source.place, one.subject): one
                 for one in lines if isinstance(one, Attempt)}  # fmt: skip
        builds: dict[tuple[Place, Subject], list[Series]] = {build: [] for build in tried}
        for one in series_from(lines):
            builds.setdefault((one.source.place, subject_of(one)), []).append(one)
        for build, found in builds.items():
            cell = _imported_cell(build[1], found, tried.get(build))
            sources.setdefault(build[0], []).append(cell)
    for place, cells in sorted(sources.items()):
        yield Folder(_imported_machine(*place, cells), tuple(cells))


def _imported_machine(
    machine: str, abi: str, version: str, cells: Iterable[SiteCell]
) -> SiteMachine:
    compilers = sorted({one.command.split()[0] for one in cells if one.command.split()})
    return SiteMachine(
        identity=digest("imported", machine, abi, version),
        host=machine, cpu="", architecture=abi, mhz=None,
        settings={
            "compilers": ", ".join(compilers), "imported": f"database lines of {version}",
        },
    )  # fmt: skip


def _imported_cell(subject: Subject, found: Sequence[Series], tried: Attempt | None) -> SiteCell:
    sizes = {one.measure: round(one.median) for one in found if not one.points}
    timed = [one for one in found if one.points]
    days = [one.source.day for one in timed] or ([tried.source.day] if tried else [])
    day = max(days, default="")
    outcome = tried.outcome if tried else "unknown"
    return SiteCell(
        family=subject.operation, primitive=subject.primitive, selector=subject.implementation,
        implementation=subject.short_name, configuration=subject.compiler,
        command=subject.compiler, league=subject.league, verdict=OUTCOMES.get(outcome, "fail"),
        checks=(SiteCheck(outcome, "fail", tried.reason if tried else ""),)
        if outcome not in OUTCOMES else (),
        bytes=tuple(sizes.values()), began=day, ended=day, imported=True,
        figures=figures_of(one for one in timed if one.source.day == day),
    )  # fmt: skip

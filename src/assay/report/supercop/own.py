# SPDX-License-Identifier: MIT
"""One's own results of operations: series and tries, and lines for readers of SUPERCOP's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from assay.model import (
    BuildStage,
    CheckResult,
    Machine,
    OperationDetails,
    Verdict,
)
from assay.model.compared import COMPARISONS, compared
from assay.model.operation import SCORE, scores
from assay.model.operations import OPERATIONS
from assay.model.series import TIMES, Series
from assay.model.supercop import Attempt, Fact, Measurement, ObjectSize, Record, Subject
from assay.report.curves import Records
from assay.report.quantities import PAIR
from assay.report.supercop.facts import facts_of
from assay.store import Store
from assay.summary.imported import UNKNOWN
from assay.summary.series import CellResult, in_usual_cycles, measured_cells
from assay.summary.sizes import ObjectFiles, object_places, own_objects

Figures = Mapping[str, Series]

CHECKSUM = "checksum/"  # begins the names of the checks that compare checksums


def own_records(store: Store, operation: str | None = None) -> Records:
    """Return series and tries of all packages of an operation, or of all operations."""
    cells = in_usual_cycles(store, _cells(store, operation))
    series = tuple(one for cell in cells for one in cell.figures)
    return Records(series, tuple(filter(None, _attempts(cells))))


def database_records(store: Store) -> Iterator[Record]:
    """Yield one's own results as SUPERCOP's records, with all timings and facts.

    Codes that several configurations share are measured once and tried everywhere.
    """
    cells = _cells(store, None, timings=True)
    inside = object_places(store.path.parent)
    objects = (own_objects(one, inside) for one in cells)
    yield from records_of(cells, store.machine(), objects)


def records_of(
    cells: Sequence[CellResult], machine: Machine | None, objects: Iterable[ObjectFiles]
) -> Iterator[Record]:
    """Yield the records of cells that were read with their timings, those of each in order."""
    for cell, attempt, files in zip(cells, _attempts(cells), objects, strict=True):
        source, subject = cell.first.source, subject_of(cell.first)
        found: list[Record] = [attempt] if attempt else []
        for path, sizes in files:
            if sizes is not None:
                found.append(ObjectSize(source, subject, *sizes, path.name))
        timed = [one for one in cell.figures if one.measure != SCORE and not one.shared]
        yield from found
        if found or timed:
            unit = next((one.unit for one in timed if one.unit in TIMES), "")
            rate = attempt.cycles_per_second if attempt else None
            for key, *words in facts_of(cell, machine, files, unit, rate):
                yield Fact(source, subject, key, tuple(words))
        for one in sorted(timed, key=lambda one: -1 if one.size is None else one.size):
            yield _measurement(one, subject)


def _measurement(one: Series, subject: Subject) -> Measurement:
    return Measurement(
        one.source, subject, one.key, one.size, one.q1, one.median, one.q3, one.unit,
        one.timings, one.launches, one.per_launch,
    )  # fmt: skip


def subject_of(one: Series) -> Subject:
    """State whose results these are, in SUPERCOP's words."""
    whose = one.subject
    command = one.configuration.command_line
    return Subject(whose.operation, whose.primitive, whose.league, whose.name, command)


def _cells(
    store: Store, operation: str | None, *, timings: bool = False
) -> tuple[CellResult, ...]:
    found = measured_cells(
        store, lambda cell: cell.package.kind.rules.database_lines, timings=timings
    )
    return tuple(one for one in found if operation in {None, one.first.subject.operation})


def _attempts(cells: Sequence[CellResult]) -> Iterator[Attempt | None]:
    """Yield what came of each build; None if it was not for this machine, or not tried."""
    known = [(cell, _contest_of(cell), _figures(cell)) for cell in cells]
    codes: dict[tuple[str, str], dict[object, Figures]] = {}
    for cell, contest, figures in known:
        codes.setdefault(contest, {})[cell.key] = figures
    held = {key for key, found in codes.items() if _was_held(found.values(), key[0])}
    for cell, contest, figures in known:
        attempt = _attempt(cell)
        parts = _score_parts(figures, cell.first, held=contest in held)
        yield _scored(attempt, parts) if attempt and cell.build.ok and parts else attempt


def _contest_of(cell: CellResult) -> tuple[str, str]:
    """Name the primitive whose implementations met in a contest, after its operation."""
    return cell.first.subject.operation, cell.first.subject.primitive


def _figures(cell: CellResult) -> Figures:
    return {one.measure: one for one in cell.figures}


def _attempt(cell: CellResult) -> Attempt | None:
    """Describe what came of one build, without its score."""
    build, checks = cell.build, cell.checks
    source, subject = cell.first.source, subject_of(cell.first)
    if build.stage is not BuildStage.SKIPPED and not build.ok:
        return Attempt(source, subject, "tryfails", reason=build.reason or build.stage.value)
    if not (checks and build.ok):
        return None
    outcome, reason = outcome_of(checks)
    small, big = _checksums(cell.package.details, checks) if outcome == "ok" else ("", "")
    return Attempt(source, subject, outcome, small, big, reason=reason)


def _scored(attempt: Attempt, parts: Sequence[Series]) -> Attempt:
    """Return an attempt with the times of the parts of its score, added up.

    The medians of launches are known where every launch made all calls.
    """
    first, launches = parts[0], [one.per_launch for one in parts]
    rate = first.counter.ticks_per_second * first.ratio if first.counter else 0.0
    whole = len({len(one) for one in launches}) == 1
    return replace(
        attempt,
        score=sum(one.median for one in parts),
        values=first.timings if first.measure == SCORE else (),
        cycles_per_second=round(rate),
        unit=first.unit,
        medians=tuple(map(sum, zip(*launches, strict=True))) if whole else (),
        estimated=any(one.estimated for one in parts),
    )


def outcome_of(checks: Sequence[CheckResult]) -> tuple[str, str]:
    """Return SUPERCOP's word for verdicts, and the first failing check with its reason."""
    failed = [check for check in checks if check.verdict is Verdict.FAIL]
    if failed:
        first = failed[0]
        only = all(check.check.startswith(COMPARISONS) for check in failed)
        return ("fails" if only else "tryfails"), f"{first.check}: {first.reason}"
    return ("ok" if compared(checks) else UNKNOWN), ""


def _checksums(details: OperationDetails | None, checks: Sequence[CheckResult]) -> tuple[str, str]:
    """Return the checksums that the outputs have; known answers say nothing of them."""
    sums = any(one.check.startswith(CHECKSUM) and one.verdict is Verdict.PASS for one in checks)
    if details is None or not sums:
        return "", ""
    return details.checksum_small or "", details.checksum_big or ""


def _score_parts(figures: Figures, first: Series, *, held: bool) -> tuple[Series, ...]:
    """Return what makes up the score of a code: its contest's, if one was held and timed it.

    A campaign that measures everything holds no contests, and its configurations have scores too:
    those of the same calls.
    """
    contest = figures.get(SCORE)
    measured = _measured(figures, first.subject.operation)
    return (contest,) if contest is not None and (held or not measured) else measured


def _was_held(codes: Iterable[Figures], operation: str) -> bool:
    """Return whether a contest decided among codes, since not all were measured in full."""
    known = [figures for figures in codes if figures]
    return len(known) == 1 or not all(_measured(figures, operation) for figures in known)


def _measured(figures: Figures, operation: str) -> tuple[Series, ...]:
    """Return what the score consists of, at the measured length nearest to that of contests."""
    parts = [one for one in figures.values() if one.measure != SCORE and scores(one.key)]
    timing = OPERATIONS[operation].timing
    step = PAIR + 1 if timing.has_second else 1
    alike = {one.size for one in parts if one.size is not None and one.size % step == 0}
    size = min(alike, key=lambda size: (abs(size // step - timing.scored), size), default=None)
    return tuple(one for one in parts if one.size in {None, size})

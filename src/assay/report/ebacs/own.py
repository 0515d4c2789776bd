# SPDX-License-Identifier: MIT
"""One's own results of operations: series and tries, and lines for readers of SUPERCOP's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.elf.sizes import object_sizes
from assay.model import BuildStage, CheckResult, OperationDetails, PackageKind, Verdict
from assay.model.compared import COMPARISONS, compared
from assay.model.operations import OPERATIONS, SCORE, scores
from assay.model.series import Series
from assay.model.supercop import Attempt, Measurement, ObjectSize, Record, Subject
from assay.report.ebacs.quantities import PAIR
from assay.report.ebacs.records import Records
from assay.store import Store
from assay.summary.imported import UNKNOWN
from assay.summary.series import MeasuredCell, measured_cells
from assay.summary.sizes import own_objects

Figures = Mapping[str, Series]

CHECKSUM = "checksum/"  # begins the names of the checks that compare checksums


def own_records(store: Store, operation: str | None = None) -> Records:
    """Return series and tries of all packages of an operation, or of all operations."""
    cells = _cells(store, operation)
    series = tuple(one for cell in cells for one in cell.timed)
    return Records(series, tuple(_attempts(cells).values()))


def database_records(store: Store) -> Iterator[Record]:
    """Yield one's own results as SUPERCOP's records, with all timings.

    Codes that several configurations share are measured once and tried everywhere.
    """
    cells = _cells(store, None, timings=True)
    attempts = _attempts(cells)
    for number, cell in enumerate(cells):
        if number in attempts:
            yield attempts[number]
        for path in own_objects(cell.cell, store.path.parent):
            sizes = object_sizes(path)
            if sizes is not None:
                yield ObjectSize(cell.first.source, subject_of(cell.first), *sizes, path.name)
        yield from (_measurement(one) for one in cell.timed if _is_measured(one))


def subject_of(one: Series) -> Subject:
    """State whose results these are, in SUPERCOP's words."""
    whose = one.subject
    command = one.configuration.command_line
    return Subject(whose.operation, whose.primitive, whose.league, whose.name, command)


def _cells(
    store: Store, operation: str | None, *, timings: bool = False
) -> tuple[MeasuredCell, ...]:
    kept = (PackageKind.OPERATION,)
    found = measured_cells(store, lambda cell: cell.package.kind in kept, timings=timings)
    return tuple(one for one in found if operation in {None, one.first.subject.operation})


def _is_measured(one: Series) -> bool:
    return one.measure != SCORE and not one.shared


def _measurement(one: Series) -> Measurement:
    return Measurement(
        one.source, subject_of(one), one.key, one.size, one.q1, one.median, one.q3, one.unit,
        one.timings, one.launches, one.per_launch,
    )  # fmt: skip


def _attempts(cells: Sequence[MeasuredCell]) -> dict[int, Attempt]:
    """Return what came of each build, by its number; nothing of those that were not tried."""
    held = _contests(cells)
    found = ((number, _attempt(cell, held)) for number, cell in enumerate(cells))
    return {number: attempt for number, attempt in found if attempt is not None}


def _contests(cells: Iterable[MeasuredCell]) -> set[tuple[str, str]]:
    """Name the primitives, by operation, whose implementations met in a contest."""
    found: dict[tuple[str, str], dict[object, Figures]] = {}
    for cell in cells:
        whose = cell.first.subject
        codes = found.setdefault((whose.operation, whose.primitive), {})
        codes[cell.cell.key] = _figures(cell)
    return {key for key, codes in found.items() if was_held(codes.values(), key[0])}


def _figures(cell: MeasuredCell) -> Mapping[str, Series]:
    return {one.measure: one for one in cell.timed}


def _attempt(cell: MeasuredCell, held: set[tuple[str, str]]) -> Attempt | None:
    """Describe what came of one build; None if it was not for this machine, or not tried."""
    build, checks = cell.cell.build, cell.cell.checks
    if build.stage is BuildStage.SKIPPED:
        return None
    source, subject = cell.first.source, subject_of(cell.first)
    if not build.ok:
        return Attempt(source, subject, "tryfails", reason=build.reason or build.stage.value)
    if checks is None:
        return None
    outcome, reason = outcome_of(checks)
    small, big = _checksums(cell.cell.package.details, checks) if outcome == "ok" else ("", "")
    attempt = Attempt(source, subject, outcome, small, big, reason=reason)
    known = (subject.operation, subject.primitive) in held
    return _scored(attempt, _figures(cell), held=known)


def _scored(attempt: Attempt, figures: Figures, *, held: bool) -> Attempt:
    score = score_of(figures, attempt.subject.operation, held=held)
    if not score.parts:
        return attempt
    first = score.parts[0]
    rate = first.counter.ticks_per_second * first.ratio if first.counter else 0.0
    return replace(
        attempt,
        score=score.median,
        values=first.timings if first.measure == SCORE else (),
        cycles_per_second=round(rate),
        unit=first.unit,
        medians=score.medians,
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


@dataclass(frozen=True, slots=True)
class Score:
    """What a contest timed of a code, or the same calls as a full measurement has them.

    A campaign that measures everything holds no contests, and its configurations have scores too.
    The times of `parts` are added up; without any there is no score.
    """

    parts: tuple[Series, ...] = ()

    @property
    def median(self) -> float:
        """Return the time of all calls together."""
        return sum(one.median for one in self.parts)

    @property
    def medians(self) -> tuple[float, ...]:
        """Return it launch by launch; empty where not every launch made all calls."""
        launches = [one.per_launch for one in self.parts]
        if len({len(one) for one in launches}) != 1:
            return ()
        return tuple(sum(one) for one in zip(*launches, strict=True))


def score_of(figures: Figures, operation: str, *, held: bool) -> Score:
    """Return the score of a code, that of its contest if one was `held` and timed it."""
    contest = figures.get(SCORE)
    measured = _measured(figures, operation)
    if contest is not None and (held or not measured):
        return Score((contest,))
    return Score(measured)


def was_held(codes: Iterable[Figures], operation: str) -> bool:
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

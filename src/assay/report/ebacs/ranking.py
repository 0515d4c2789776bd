# SPDX-License-Identifier: MIT
"""The slides' tables: the best implementation of each primitive in each league."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from assay.model.supercop import LEAGUES, Measurement, Source, Subject
from assay.report.ebacs.quantities import LONG, Part, Per, Quantity
from assay.report.ebacs.records import Provenance, Records
from assay.stats.long import LongFit, long_fit
from assay.stats.quartiles import Quartiles
from assay.stats.stabilised import stabilised
from assay.summary.ranks import Entrant, Ranking, ranking

UNSOUND = frozenset({"fails", "tryfails"})
UNKNOWN = "unknown"  # an outcome: nothing failed, and nothing was there to compare with
NOT_SOUND = UNSOUND | {UNKNOWN}
DECIDING = 576  # where one implementation stands for all sizes, it is the best at this one
MARK = "T:"
UNCOMPARED_MARK = "?:"
UNCOMPARED_NOTE = (
    "?: correctness not compared: there are neither checksums of the primitive nor known answers "
    "that fit, so what is fast may be wrong."
)
LEAGUE_NOTE = "T: is not declared free of secret branches and secret indexes (timingleaks)."
LEAGUE_TEXTS = {
    "constbranchindex": "constbranchindex: declared free of secret branches and secret indexes",
    "timingleaks": "timingleaks: not declared free of them, with places of its own",
}
DIVIDED = {Per.BYTE: "byte", Per.CALL: "call", Per.ITEM: "item"}


@dataclass(frozen=True, slots=True)
class View:
    """What a table shows; `size` is None where there is no length."""

    quantity: Quantity
    part: Part = Part.MESSAGE
    size: int | str | None = None

    @property
    def text(self) -> str:
        """State it in a few words."""
        size = "" if self.size is None else f", {self.size_text}"
        return f"{self.quantity.text(self.part)}{size}"

    @property
    def size_text(self) -> str:
        """Name the size: `576 bytes`, `long messages`."""
        if self.size == LONG:
            return "long messages"
        items = "items" if self.quantity.per is Per.ITEM else "bytes"
        return "any size" if self.size is None else f"{self.size} {items}"


@dataclass(frozen=True, slots=True)
class KeySeries:
    """Everything measured under one key of one build; `points` by size as it is stored.

    `compared` is whether its outputs were compared with checksums.
    """

    place: Provenance
    subject: Subject
    key: str
    unit: str
    points: Mapping[int | None, Measurement]
    compared: bool = True


@dataclass(frozen=True, slots=True)
class SlideRow:
    """A line of a table, in the table's unit; `fit` is set for long messages.

    `medians` has one figure for each process, as far as that is known.
    """

    subject: Subject
    source: Source
    unit: str
    q1: float
    median: float
    q3: float
    launches: int | None
    fit: LongFit | None = None
    medians: tuple[float, ...] = ()
    compared: bool = True

    @property
    def marks(self) -> str:
        """Return the marks before the name: not in the first league, outputs not compared."""
        return f"{'' if self.compared else UNCOMPARED_MARK}{league_mark(self.subject)}"

    @property
    def name(self) -> str:
        """Return the primitive with its marks."""
        return f"{self.marks}{self.subject.primitive}"

    @property
    def implementation(self) -> str:
        """Return the implementation without operation and primitive."""
        return short_name(self.subject)

    @property
    def entrant(self) -> Entrant:
        """Enter the row into the ranking of its league."""
        return Entrant(self.subject.implementation, self.median, self.medians)

    @property
    def order(self) -> tuple[int, float, str, str]:
        """Sort by league, then by the figure."""
        return (league_order(self.subject), self.median, self.subject.primitive, self.name)


@dataclass(frozen=True, slots=True)
class SlideTable:
    """Rows that may be compared. `places` are several only where that was asked for."""

    view: View
    places: tuple[Provenance, ...]
    unit: str
    rows: tuple[SlideRow, ...]

    @property
    def ranking(self) -> Ranking:
        """Rank the rows of each league among themselves."""
        leagues = (group for _, group in groupby(self.rows, key=_league))
        return sum((ranking([row.entrant for row in group]) for group in leagues), Ranking())

    @property
    def unit_text(self) -> str:
        """Name the unit: `cycles/byte`; counts of bytes and calls are per call."""
        return f"{self.unit}/{DIVIDED[self.view.quantity.per]}"


def short_name(subject: Subject) -> str:
    """Return the implementation without operation and primitive: `dolbeau/amd64-sha`."""
    return subject.implementation.removeprefix(f"{subject.operation}/{subject.primitive}/")


def league_mark(subject: Subject) -> str:
    """Mark what is not in the first league, as eBACS does."""
    return "" if subject.league == LEAGUES[0] else MARK


def league_order(subject: Subject) -> int:
    """Return the league's place; an unknown one comes last."""
    return LEAGUES.index(subject.league) if subject.league in LEAGUES else len(LEAGUES)


def all_series(records: Records) -> tuple[KeySeries, ...]:
    """Gather measurements, those of the newest day at each size; none of what failed its tests."""
    failed = _attempted(records, UNSOUND)
    unknown = _attempted(records, frozenset({UNKNOWN}))
    found: dict[tuple[Provenance, Subject, str, str], dict[int | None, list[Measurement]]] = {}
    for one in records.measurements:
        place = Provenance.of(one.source)
        if (place, one.subject) not in failed:
            points = found.setdefault((place, one.subject, one.key, one.unit), {})
            points.setdefault(one.size, []).append(one)
    return tuple(
        KeySeries(
            *key,
            {size: pooled(group) for size, group in points.items()},
            compared=key[:2] not in unknown,
        )
        for key, points in found.items()
    )


def _attempted(records: Records, outcomes: frozenset[str]) -> set[tuple[Provenance, Subject]]:
    """Name the builds whose attempts had one of these outcomes."""
    found = (one for one in records.attempts if one.outcome in outcomes)
    return {(Provenance.of(one.source), one.subject) for one in found}


def pooled(measurements: Sequence[Measurement]) -> Measurement:
    """Make one of all measurements of the newest day: SUPERCOP measures three times.

    The quartiles are those of all values together; from how many processes they come is then
    not known. The last one stands for all where values are missing.
    """
    if len(measurements) == 1:
        return measurements[0]
    day = max(one.source.date for one in measurements)
    newest = [one for one in measurements if one.source.date == day]
    if len(newest) == 1 or not all(one.values for one in newest):
        return newest[-1]
    values = tuple(value for one in newest for value in one.values)
    q1, median, q3 = stabilised(values)
    known = all(one.medians or one.launches == 1 for one in newest)
    medians = (each for one in newest for each in one.medians or (one.median,))
    return replace(
        newest[-1], q1=q1, median=median, q3=q3, values=values, launches=None,
        medians=tuple(medians) if known else (),
    )  # fmt: skip


def tables(
    series: Iterable[KeySeries],
    view: View,
    *,
    together: bool = False,
    everything: bool = False,
) -> tuple[SlideTable, ...]:
    """Rank the best of each primitive and league: a table for each place, or one for all.

    With `everything` each build is ranked.

    Cycles, ticks and other units are never in one table.
    """
    groups: dict[tuple[str, tuple[Provenance, ...]], list[SlideRow]] = {}
    for one in series:
        row = figure(one, view)
        if row is not None:
            groups.setdefault((one.unit, () if together else (one.place,)), []).append(row)
    chosen: Callable[[list[SlideRow]], Iterable[SlideRow]] = list if everything else best
    return tuple(
        SlideTable(view, places or _places(rows), unit, tuple(sorted(chosen(rows), key=_order)))
        for (unit, places), rows in sorted(groups.items(), key=lambda item: item[0])
    )


def best(rows: Iterable[SlideRow]) -> Iterable[SlideRow]:
    """Keep the best row of each primitive and league at each place."""
    found: dict[tuple[Provenance, str, str], SlideRow] = {}
    for row in rows:
        key = (Provenance.of(row.source), row.subject.primitive, row.subject.league)
        if key not in found or _better(row) < _better(found[key]):
            found[key] = row
    return found.values()


def figure(series: KeySeries, view: View) -> SlideRow | None:
    """Return the figure of a series that a view asks for; None if it was not measured."""
    if series.key != view.quantity.key:
        return None
    if isinstance(view.size, str):
        return _long(series, view)
    point = series.points.get(view.quantity.stored(view.size, view.part))
    return None if point is None else _row(series, point, view)


def sizes_of(series: Sequence[KeySeries], quantity: Quantity, part: Part) -> tuple[int | str, ...]:
    """Return those sizes of the quantity for which there is something to show."""
    wanted: tuple[int | str, ...] = (*quantity.sizes, LONG)
    return tuple(
        size
        for size in wanted
        if any(figure(one, View(quantity, part, size)) is not None for one in series)
    )


def lengths_of(series: Iterable[KeySeries], quantity: Quantity, part: Part) -> tuple[int, ...]:
    """Return every length that was measured, in order."""
    found = {
        quantity.length(size, part)
        for one in series
        if one.key == quantity.key
        for size in one.points
    }
    return tuple(sorted(length for length in found if length is not None))


def _row(series: KeySeries, point: Measurement, view: View) -> SlideRow | None:
    by = view.quantity.divisor(view.quantity.length(point.size, view.part), view.part)
    if not by:
        return None
    figures = (point.q1 / by, point.median / by, point.q3 / by)
    medians = tuple(median / by for median in point.medians)
    return SlideRow(
        series.subject,
        point.source,
        series.unit,
        *figures,
        point.launches,
        medians=medians,
        compared=series.compared,
    )


def _long(series: KeySeries, view: View) -> SlideRow | None:
    """Extrapolate, if the quantity is one that has a price per byte."""
    quantity = view.quantity
    if quantity.per is Per.CALL:
        return None
    points, used = {}, []
    for size, point in series.points.items():
        length = quantity.length(size, view.part)
        if length:
            by = quantity.divisor(length, view.part)
            points[by] = Quartiles(point.q1, point.median, point.q3)
            used.append(point)
    fit = long_fit(points)
    if fit is None:
        return None
    newest = max(series.points.values(), key=lambda one: one.source.date)
    figures = (fit.q1, fit.median, fit.q3)
    medians = _long_medians({by: point.medians for by, point in zip(points, used, strict=True)})
    return SlideRow(
        series.subject,
        newest.source,
        series.unit,
        *figures,
        newest.launches,
        fit,
        medians,
        series.compared,
    )


def _long_medians(points: Mapping[int, tuple[float, ...]]) -> tuple[float, ...]:
    """Extrapolate process by process, where each of them measured all lengths."""
    if len({len(medians) for medians in points.values()}) != 1:
        return ()
    launches = zip(*points.values(), strict=True)
    lines = (
        {by: Quartiles(m, m, m) for by, m in zip(points, one, strict=True)} for one in launches
    )
    return tuple(fit.median for fit in map(long_fit, lines) if fit is not None)


def _places(rows: Iterable[SlideRow]) -> tuple[Provenance, ...]:
    return tuple(sorted({Provenance.of(row.source) for row in rows}))


def _league(row: SlideRow) -> int:
    return league_order(row.subject)


def _order(row: SlideRow) -> tuple[int, float, str, str]:
    return row.order


def _better(row: SlideRow) -> tuple[float, str, str]:
    """Order candidates; of equal ones the first name, so that two runs choose alike."""
    return (row.median, row.subject.implementation, row.subject.compiler)

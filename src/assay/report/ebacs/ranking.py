# SPDX-License-Identifier: MIT
"""The slides' tables: the best implementation of each primitive in each league."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from assay.model.operations import SCORE
from assay.model.series import Implementation, Series
from assay.model.supercop import LEAGUES, Subject
from assay.report.ebacs.quantities import LONG, Part, Per, Quantity
from assay.report.ebacs.records import Provenance
from assay.stats.long import LongFit, long_fit
from assay.stats.quartiles import Quartiles
from assay.summary.imported import UNKNOWN, UNSOUND
from assay.summary.ranks import Entrant, Ranking, ranking

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
Build = tuple[Provenance, Implementation, str, str]  # with command line and unit
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
class Curve:
    """One key of one build: its series by size as it is stored."""

    key: str
    first: Series
    points: Mapping[int | None, Series]

    @property
    def build(self) -> Build:
        """Return what tells it from other builds, and from other units."""
        return build_of(self.first)


@dataclass(frozen=True, slots=True)
class SlideRow:
    """A line of a table: a series, whose work is what a view divides by.

    `fit` is set for long messages.
    """

    series: Series
    fit: LongFit | None = None

    @property
    def subject(self) -> Implementation:
        """State whose figures they are."""
        return self.series.subject

    @property
    def median(self) -> float:
        """Return the figure by which rows are ordered."""
        return self.series.rate

    @property
    def marks(self) -> str:
        """Return the marks before the name: not in the first league, outputs not compared."""
        return f"{'' if self.series.compared else UNCOMPARED_MARK}{league_mark(self.subject)}"

    @property
    def name(self) -> str:
        """Return the primitive with its marks."""
        return f"{self.marks}{self.subject.primitive}"

    @property
    def implementation(self) -> str:
        """Return the implementation without operation and primitive."""
        return self.subject.short_name

    @property
    def entrant(self) -> Entrant:
        """Enter the row into the ranking of its league."""
        one = self.series
        known = one.per_launch if len(one.points) == one.launches else ()
        return Entrant(self.subject.name, self.median, tuple(each / one.work for each in known))

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


def league_mark(subject: Implementation | Subject) -> str:
    """Mark what is not in the first league, as eBACS does."""
    return "" if subject.league == LEAGUES[0] else MARK


def league_order(subject: Implementation | Subject) -> int:
    """Return the league's place; an unknown one comes last."""
    return LEAGUES.index(subject.league) if subject.league in LEAGUES else len(LEAGUES)


def build_of(series: Series) -> Build:
    """Return what tells the builds of a table apart."""
    place = Provenance.of(series.source)
    return (place, series.subject, series.configuration.command_line, series.unit)


def curves_of(series: Iterable[Series]) -> tuple[Curve, ...]:
    """Gather what was timed or counted by build and key; none of what failed its tests.

    What was launched in place of another configuration counts once.
    """
    found: dict[tuple[Build, str], dict[int | None, Series]] = {}
    for one in series:
        if one.points and not one.failed and not one.shared and one.measure != SCORE:
            found.setdefault((build_of(one), one.key), {})[one.size] = one
    return tuple(
        Curve(key, next(iter(points.values())), points) for (_, key), points in found.items()
    )


def tables(
    curves: Iterable[Curve],
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
    for one in curves:
        row = figure(one, view)
        if row is not None:
            place, *_, unit = one.build
            groups.setdefault((unit, () if together else (place,)), []).append(row)
    chosen: Callable[[list[SlideRow]], Iterable[SlideRow]] = list if everything else best
    return tuple(
        SlideTable(view, places or _places(rows), unit, tuple(sorted(chosen(rows), key=_order)))
        for (unit, places), rows in sorted(groups.items(), key=lambda item: item[0])
    )


def best(rows: Iterable[SlideRow]) -> Iterable[SlideRow]:
    """Keep the best row of each primitive and league at each place."""
    found: dict[tuple[Provenance, str, str], SlideRow] = {}
    for row in rows:
        place = Provenance.of(row.series.source)
        key = (place, row.subject.primitive, row.subject.league)
        if key not in found or _better(row) < _better(found[key]):
            found[key] = row
    return found.values()


def figure(curve: Curve, view: View) -> SlideRow | None:
    """Return the figure of a build that a view asks for; None if it was not measured."""
    quantity = view.quantity
    if curve.key != quantity.key:
        return None
    if isinstance(view.size, str):
        return _long(curve, view)
    point = curve.points.get(quantity.stored(view.size, view.part))
    by = point and quantity.divisor(quantity.length(point.size, view.part), view.part)
    return SlideRow(replace(point, work=by)) if point and by else None


def sizes_of(curves: Sequence[Curve], quantity: Quantity, part: Part) -> tuple[int | str, ...]:
    """Return those sizes of the quantity for which there is something to show."""
    wanted: tuple[int | str, ...] = (*quantity.sizes, LONG)
    return tuple(
        size
        for size in wanted
        if any(figure(one, View(quantity, part, size)) is not None for one in curves)
    )


def lengths_of(curves: Iterable[Curve], quantity: Quantity, part: Part) -> tuple[int, ...]:
    """Return every length that was measured, in order."""
    found = {
        quantity.length(size, part)
        for one in curves
        if one.key == quantity.key
        for size in one.points
    }
    return tuple(sorted(length for length in found if length is not None))


def _long(curve: Curve, view: View) -> SlideRow | None:
    """Extrapolate, if the quantity is one that has a price per byte."""
    quantity = view.quantity
    if quantity.per is Per.CALL:
        return None
    lengths = ((quantity.length(size, view.part), one) for size, one in curve.points.items())
    points = {quantity.divisor(length, view.part): one for length, one in lengths if length}
    fit = long_fit({by: Quartiles(one.q1, one.median, one.q3) for by, one in points.items()})
    if fit is None:
        return None
    newest = max(curve.points.values(), key=lambda one: one.source.date)
    launches = tuple(map(newest.at, _long_medians(points)))
    return SlideRow(
        replace(newest, q1=fit.q1, median=fit.median, q3=fit.q3, work=1, points=launches), fit
    )


def _long_medians(points: Mapping[int, Series]) -> tuple[float, ...]:
    """Extrapolate process by process, where each of them measured all lengths."""
    if len({len(one.points) for one in points.values()}) != 1:
        return ()
    launches = zip(*(one.per_launch for one in points.values()), strict=True)
    lines = (
        {by: Quartiles(m, m, m) for by, m in zip(points, one, strict=True)} for one in launches
    )
    return tuple(fit.median for fit in map(long_fit, lines) if fit is not None)


def _places(rows: Iterable[SlideRow]) -> tuple[Provenance, ...]:
    return tuple(sorted({Provenance.of(row.series.source) for row in rows}))


def _league(row: SlideRow) -> int:
    return league_order(row.subject)


def _order(row: SlideRow) -> tuple[int, float, str, str]:
    return row.order


def _better(row: SlideRow) -> tuple[float, str, str]:
    """Order candidates; of equal ones the first name, so that two runs choose alike."""
    command = row.series.configuration.command_line
    return (row.median, row.subject.name, command)

# SPDX-License-Identifier: MIT
"""Views of an operation's series: what a reader chose, and the rows that answer it.

As on eBACS's slides, a row is the best implementation of a primitive in its league.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from assay.errors import UsageError
from assay.model.operations import SCORE
from assay.model.series import Implementation, Series
from assay.model.supercop import LEAGUES, Subject
from assay.report.ebacs.quantities import (
    LONG,
    Part,
    Per,
    Quantity,
    counted,
    find_quantity,
    quantities,
)
from assay.report.ebacs.records import Provenance
from assay.stats.long import LongFit, long_fit
from assay.stats.quartiles import Quartiles
from assay.summary.ranks import Entrant, Ranking, ranking

DECIDING = 576  # where one implementation stands for all sizes, it is the best at this one
NEARBY = 6  # lengths that are named in place of one that was not measured
MARK, UNCOMPARED_MARK = "T:", "?:"
DIVIDED = {Per.BYTE: "byte", Per.CALL: "call", Per.ITEM: "item"}

Build = tuple[Provenance, Implementation, str, str]  # with command line and unit


@dataclass(frozen=True, slots=True)
class Choice:
    """What to show: None for everything of its kind.

    `size` is a number of bytes or `long`; `measure` a key such as `open_cycles`; `part`
    which of two lengths grows; `together` puts all machines into one table, and `everything` shows
    every build, not the best one of a primitive alone.
    """

    size: int | str | None = None
    measure: str | None = None
    part: Part = Part.MESSAGE
    together: bool = False
    everything: bool = False


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

    `fit` is set for long messages. `across` are the figures of the same build in other views.
    """

    series: Series
    fit: LongFit | None = None
    across: "tuple[SlideRow | None, ...]" = ()

    @property
    def subject(self) -> Implementation:
        """State whose figures they are."""
        return self.series.subject

    @property
    def median(self) -> float:
        """Return the figure by which rows are ordered."""
        return self.series.rate

    @property
    def name(self) -> str:
        """Return the primitive, marked if outputs were not compared, and by its league."""
        unsure = "" if self.series.compared else UNCOMPARED_MARK
        return f"{unsure}{league_mark(self.subject)}{self.subject.primitive}"

    @property
    def slot(self) -> tuple[Provenance, str, str]:
        """Return what has one row: a primitive of a league at a place."""
        whose = self.subject
        return (Provenance.of(self.series.source), whose.primitive, whose.league)

    @property
    def entrant(self) -> Entrant:
        """Enter the row into the ranking of its league."""
        one = self.series
        known = one.per_launch if len(one.points) == one.launches else ()
        return Entrant(self.subject.name, self.median, tuple(each / one.work for each in known))


@dataclass(frozen=True, slots=True)
class SlideTable:
    """Rows that may be compared, by the figure of `view`.

    `places` are several only where that was asked for. `views` are those that stand side by side.
    """

    view: View
    places: tuple[Provenance, ...]
    unit: str
    rows: tuple[SlideRow, ...]
    views: tuple[View, ...] = ()

    @property
    def ranked(self) -> tuple[SlideRow, ...]:
        """Return the rows that have a figure in the view that decides."""
        at = self.views.index(self.view) if self.views else 0
        return tuple(row for row in self.rows if not self.views or row.across[at] is not None)

    @property
    def ranking(self) -> Ranking:
        """Rank the rows of each league among themselves."""
        leagues = (group for _, group in groupby(self.ranked, key=_league))
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


def chosen_views(curves: Sequence[Curve], operation: str, choice: Choice) -> tuple[View, ...]:
    """Return what to show, in the order of the operation's quantities; UsageError for nothing."""
    wanted = [one for one in _quantities(curves, operation, choice) if choice.part in one.parts]
    if not wanted:
        raise UsageError(f"{operation} has no {choice.part.value}", "Choose `message`.")
    if choice.size is None:
        return tuple(view for one in wanted for view in views_of(curves, one, choice.part))
    sized = [one for one in wanted if one.sizes]
    if not sized:
        raise UsageError(f"{wanted[0].title} of {operation} has no length", "Leave the size out.")
    view = View(sized[0], choice.part, choice.size)
    if not tables(curves, view):
        raise UsageError(f"{operation}, {view.text}: not measured", _cure(curves, view))
    return (view,)


def views_of(curves: Iterable[Curve], quantity: Quantity, part: Part) -> tuple[View, ...]:
    """Return a view for each size that was measured, or the one without a size."""
    if not quantity.sizes:
        return (View(quantity, part),)
    own = [one for one in curves if one.key == quantity.key]
    wanted: tuple[int | str, ...] = (*quantity.sizes, LONG)
    views = (View(quantity, part, size) for size in wanted)
    return tuple(view for view in views if any(figure(one, view) is not None for one in own))


def lengths_of(curves: Iterable[Curve], quantity: Quantity, part: Part) -> tuple[int, ...]:
    """Return every length that was measured, in order."""
    own = (one for one in curves if one.key == quantity.key)
    found = {quantity.length(size, part) for one in own for size in one.points}
    return tuple(sorted(length for length in found if length is not None))


def tables(
    curves: Iterable[Curve], view: View, *, together: bool = False, everything: bool = False
) -> tuple[SlideTable, ...]:
    """Rank the best of each primitive and league: a table for each place, or one for all.

    With `everything` each build is ranked. Cycles, ticks and other units are never in one table.
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


def side_by_side(
    curves: Iterable[Curve], views: Sequence[View], *, together: bool = False
) -> tuple[SlideTable, ...]:
    """Put the sizes of one quantity side by side, one table per table of the deciding size.

    The best implementation is that at 576 bytes, or at the first size that was measured;
    it may not be the best at all sizes.
    """
    deciding = next((view for view in views if view.size == DECIDING), views[0])
    own = {one.build: one for one in curves if one.key == deciding.quantity.key}
    groups: dict[tuple[str, tuple[Provenance, ...]], dict[object, SlideRow]] = {}
    for view in (deciding, *views):
        for table in tables(own.values(), view, together=together):
            firsts = groups.setdefault((table.unit, () if together else table.places), {})
            for row in table.rows:
                firsts.setdefault(row.slot, row)
    found = []
    for (unit, _), firsts in groups.items():
        lines = (
            replace(row, across=tuple(figure(own[build_of(row.series)], each) for each in views))
            for row in sorted(firsts.values(), key=_league)
        )
        rows = tuple(lines)
        found.append(SlideTable(deciding, _places(rows), unit, rows, tuple(views)))
    return tuple(found)


def best(rows: Iterable[SlideRow]) -> Iterable[SlideRow]:
    """Keep the best row of each primitive and league at each place.

    Of equal ones the first name counts, so that two runs choose alike.
    """
    found: dict[object, SlideRow] = {}
    for row in sorted(rows, key=_better):
        found.setdefault(row.slot, row)
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


def _quantities(curves: Iterable[Curve], operation: str, choice: Choice) -> tuple[Quantity, ...]:
    """Return the chosen measure, or all timed ones."""
    planned = quantities(operation)
    if choice.measure is None:
        return planned
    others = counted(operation, (point for one in curves for point in one.points.values()))
    return (find_quantity(operation, choice.measure, (*planned, *others)),)


def _cure(curves: Iterable[Curve], view: View) -> str:
    """Name the lengths that were measured next to the one that was not."""
    known = lengths_of(curves, view.quantity, view.part)
    if not known:
        return "Measure the operation first."
    if not isinstance(view.size, int):
        return f"Measure at least two lengths, or choose one of those known, not {LONG}."
    near = sorted(sorted(known, key=lambda length: abs(length - int(view.size or 0)))[:NEARBY])
    return f"Lengths nearby that were measured: {', '.join(map(str, near))}."


def _places(rows: Iterable[SlideRow]) -> tuple[Provenance, ...]:
    return tuple(sorted({Provenance.of(row.series.source) for row in rows}))


def _league(row: SlideRow) -> int:
    return league_order(row.subject)


def _order(row: SlideRow) -> tuple[int, float, str, str]:
    """Sort by league, then by the figure."""
    return (league_order(row.subject), row.median, row.subject.primitive, row.name)


def _better(row: SlideRow) -> tuple[float, str, str]:
    return (row.median, row.subject.name, row.series.configuration.command_line)

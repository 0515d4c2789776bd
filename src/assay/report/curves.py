# SPDX-License-Identifier: MIT
"""An operation's series as curves, and the rows that answer what a reader chose.

As on eBACS's slides, a row is the best implementation of a primitive in its league.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import UsageError
from assay.grouped import grouped
from assay.model.operation import SCORE
from assay.model.series import Implementation, Series
from assay.model.supercop import LEAGUES, Attempt, Place, Subject
from assay.report.printable import natural
from assay.report.quantities import (
    LONG,
    Part,
    Per,
    Quantity,
    counted,
    find_quantity,
    quantities,
)
from assay.stats.long import LongFit, long_fit
from assay.stats.quartiles import Quartiles
from assay.summary.ranks import (
    Entrant,
    Order,
    Ranking,
    best_of,
    entrant_of,
    is_lucky,
    ranked_apart,
)
from assay.summary.rows import Detail

DECIDING = 576  # where one implementation stands for all sizes, it is the best at this one
NEARBY = 6  # lengths that are named in place of one that was not measured
MARK, UNCOMPARED_MARK = "T:", "?:"

Build = tuple[Place, Implementation, str, str]  # with command line and unit


class Records(Struct, frozen=True):
    """What is known of operations: series, and what came of each build that was tried."""

    series: tuple[Series, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    def __add__(self, other: "Records") -> "Records":
        """Put the records of several machines together."""
        return Records(self.series + other.series, self.attempts + other.attempts)

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the operations about which something is known, sorted."""
        tried = {one.subject.operation for one in self.attempts}
        return tuple(sorted(tried | {one.subject.operation for one in self.series}))

    def where(self, meant: Callable[[Series | Attempt], bool]) -> "Records":
        """Keep what is meant."""
        return Records(tuple(filter(meant, self.series)), tuple(filter(meant, self.attempts)))

    def only(self, operation: str) -> "Records":
        """Keep what belongs to one operation."""
        return self.where(lambda one: one.subject.operation == operation)


class Choice(Struct, frozen=True):
    """What to show: None for everything of its kind.

    `size` is a number of bytes or `long`; `measure` a key such as `open_cycles`; `part`
    which of two lengths grows; `together` puts all machines into one table, and `detail` says
    whether a row is the best build of a primitive, of a package, or any. Ratios to the primitive
    `relative` are added where it was measured. One `operation` alone is shown if it is named, and
    of its primitives one; `form` is the format.
    """

    size: int | str | None = None
    measure: str | None = None
    part: Part = Part.MESSAGE
    together: bool = False
    detail: Detail = Detail.PRIMITIVES
    relative: str = ""
    operation: str | None = None
    primitive: str = ""
    form: str = "terminal"

    @property
    def of_figures(self) -> bool:
        """Return whether certain figures are asked for."""
        asked = (self.size, self.measure, self.part, self.together, self.relative)
        return asked != (None, None, Part.MESSAGE, False, "")


class View(Struct, frozen=True):
    """What a column shows; `size` is None where there is no length."""

    quantity: Quantity
    part: Part = Part.MESSAGE
    size: int | str | None = None

    @property
    def text(self) -> str:
        """State it in a few words."""
        size = "" if self.size is None else f", {self.size_text}"
        return f"{self.quantity.text(self.part)}{size}"

    @property
    def divisor(self) -> int:
        """Return what a figure is divided by: 0 where it cannot be divided."""
        length = self.size if isinstance(self.size, int) else None
        return self.quantity.divisor(length, self.part)

    @property
    def size_text(self) -> str:
        """Name the size: `576 bytes`, `long messages`."""
        if self.size == LONG:
            return "long messages"
        items = "items" if self.quantity.per is Per.ITEM else "bytes"
        return "any size" if self.size is None else f"{self.size} {items}"


class Curve(Struct, frozen=True):
    """One key of one build: its series by size as it is stored."""

    key: str
    build: Build
    points: Mapping[int | None, Series]


class Figure(Struct, frozen=True):
    """A curve in one view: a series, whose work is what the view divides by.

    `fit` is set for long messages. `turn` is 0 in the view that decides for a table, and from 1 on
    the number of the view where a build was not measured in that one.
    """

    curve: Curve
    series: Series
    fit: LongFit | None = None
    turn: int = 0

    @property
    def subject(self) -> Implementation:
        """State whose figure it is."""
        return self.series.subject

    def at(self, views: Iterable[View]) -> dict[View, "Figure"]:
        """Return the figures of its build in the views in which it was measured."""
        found = ((view, figure(self.curve, view)) for view in views)
        return {view: one for view, one in found if one is not None}

    @property
    def name(self) -> str:
        """Return the primitive, marked if outputs were not compared, and by its league."""
        unsure = "" if self.series.compared else UNCOMPARED_MARK
        return f"{unsure}{league_mark(self.subject)}{self.subject.primitive}"

    @property
    def entrant(self) -> Entrant | None:
        """Enter the figure into the ranking of its league; None if another view decides."""
        return None if self.turn else entrant_of(self.series)

    @property
    def order(self) -> Order:
        """Sort by league, by view and by figure.

        Of equal figures the first name counts, so that two runs choose alike.
        """
        whose, command = self.subject, self.series.configuration.command_line
        figures = (self.series.rate, whose.primitive, whose.name, command)
        return (league_order(whose), self.turn), figures


class FigureTable(Struct, frozen=True):
    """Rows that may be compared, each at the first view of `views` in which it was measured.

    `view` is the one that decides; several views stand side by side. Leagues have places of their
    own.
    """

    view: View
    views: tuple[View, ...]
    unit: str
    rows: tuple[Figure, ...]
    ranking: Ranking

    @property
    def places(self) -> tuple[Place, ...]:
        """Return where rows come from: several places only where that was asked for."""
        found = {row.series.source.place for row in self.rows}
        return tuple(sorted(found, key=lambda place: natural(*place)))

    @property
    def unit_text(self) -> str:
        """Name the unit: `cycles/byte`; counts of bytes and calls are per call."""
        return f"{self.unit}/{self.view.quantity.per.value}"


def indecision(size: int | str | None) -> float:
    """Return how far a size is from the one that decides, here and on the site."""
    return abs(size - DECIDING) if isinstance(size, int) else 0.0 if size is None else inf


def league_mark(subject: Implementation | Subject) -> str:
    """Mark what is not in the first league, as eBACS does."""
    return "" if subject.league == LEAGUES[0] else MARK


def league_order(subject: Implementation | Subject) -> int:
    """Return the league's place; an unknown one comes last."""
    return LEAGUES.index(subject.league) if subject.league in LEAGUES else len(LEAGUES)


def curves_of(series: Iterable[Series]) -> tuple[Curve, ...]:
    """Gather what was timed or counted by build and key; none of what failed its tests.

    What was launched in place of another configuration counts once.
    """
    found: dict[tuple[str, Build], dict[int | None, Series]] = {}
    for one in series:
        if one.points and not one.failed and not one.shared and one.measure != SCORE:
            build = (one.source.place, one.subject, one.configuration.command_line, one.unit)
            found.setdefault((one.key, build), {})[one.size] = one
    return tuple(Curve(key, build, points) for (key, build), points in found.items())


def chosen_views(curves: Sequence[Curve], operation: str, choice: Choice) -> tuple[View, ...]:
    """Return what to show, in the order of the operation's quantities; UsageError for nothing."""
    wanted = [one for one in _quantities(curves, operation, choice) if choice.part in one.parts]
    if not wanted:
        raise UsageError(f"{operation} has no {choice.part.value}", "Choose `message`.")
    if choice.size is None:
        return tuple(view for one in wanted for view in _views_of(curves, one, choice.part))
    sized = [one for one in wanted if one.sizes]
    if not sized:
        raise UsageError(f"{wanted[0].title} of {operation} has no length", "Leave the size out.")
    view = View(sized[0], choice.part, choice.size)
    if not _measured(curves, view):
        raise UsageError(f"{operation}, {view.text}: not measured", _cure(curves, view))
    return (view,)


def tables(
    curves: Sequence[Curve], views: Sequence[View], choice: Choice
) -> Iterator[FigureTable]:
    """Rank the best of each primitive and league: a table for each place, or one for all.

    The best build is that at 576 bytes, or at the nearest size that was measured; it may not be
    the best at all sizes. The choice's detail may ask for the best of each package, or for
    each build.
    Cycles, ticks and other units are never in one table.
    """
    deciding = min(views, key=lambda view: indecision(view.size))
    groups = grouped(
        ((one.build[-1], () if choice.together else one.build[0]), replace(row, turn=turn))
        for turn, view in enumerate((deciding, *views))
        for one in curves
        if (row := figure(one, view))
    )
    for (unit, _), found in sorted(groups.items(), key=lambda item: item[0]):
        rows = best_of(found, lambda row: _slot(row, choice.detail), lambda row: row.order,
                       lambda row: is_lucky(row.series))  # fmt: skip
        places = ranked_apart(rows, lambda row: row.subject.league, lambda row: row.entrant)
        yield FigureTable(deciding, tuple(views), unit, tuple(rows), places)


def figure(curve: Curve, view: View) -> Figure | None:
    """Return the figure of a build that a view asks for; None if it was not measured."""
    quantity = view.quantity
    if curve.key != quantity.key:
        return None
    if isinstance(view.size, str):
        return _long(curve, view)
    point = curve.points.get(quantity.stored(view.size, view.part))
    by = view.divisor
    return Figure(curve, replace(point, work=by)) if point and by else None


def _long(curve: Curve, view: View) -> Figure | None:
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
    found = replace(newest, q1=fit.q1, median=fit.median, q3=fit.q3, work=1, points=launches)
    return Figure(curve, found, fit)


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


def _views_of(curves: Iterable[Curve], quantity: Quantity, part: Part) -> tuple[View, ...]:
    """Return a view for each size that was measured, or the one without a size."""
    if not quantity.sizes:
        return (View(quantity, part),)
    wanted: tuple[int | str, ...] = (*quantity.sizes, LONG)
    views = (View(quantity, part, size) for size in wanted)
    return tuple(view for view in views if _measured(curves, view))


def _measured(curves: Iterable[Curve], view: View) -> bool:
    return any(figure(one, view) is not None for one in curves)


def _cure(curves: Iterable[Curve], view: View) -> str:
    """Name the lengths that were measured next to the one that was not."""
    own = (one for one in curves if one.key == view.quantity.key)
    lengths = {view.quantity.length(size, view.part) for one in own for size in one.points}
    known = sorted(length for length in lengths if length is not None)
    if not known:
        return "Measure the operation first."
    if not isinstance(view.size, int):
        return f"Measure at least two lengths, or choose one of those known, not {LONG}."
    wanted = view.size
    near = sorted(sorted(known, key=lambda length: abs(length - wanted))[:NEARBY])
    return f"Lengths nearby that were measured: {', '.join(map(str, near))}."


def _slot(row: Figure, detail: Detail) -> object:
    """Return what one row of a table stands for."""
    place, whose, *_ = row.curve.build
    if detail is Detail.EVERYTHING:
        return row.curve.build
    return (place, whose if detail is Detail.PACKAGES else whose.primitive, whose.league)

# SPDX-License-Identifier: MIT
"""Which rows a table has, and their places: the one rule, for every kind of result and format.

A row is the best of its slot: of a primitive, of a package. Ranks that are not separated share a
place. Where a row that could take a place is not settled, no row has one: otherwise the first of
those with enough launches would be called number 1, however slow it is.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar

from msgspec import Struct

from assay.model.series import Series
from assay.stats.places import FALSE_DISCOVERIES, Place, exact_places, places
from assay.stats.rank_sum import launches_needed

NOTE = (
    "place: ranks that are not separated share one (Mann-Whitney over launches, at most "
    f"{100 * FALSE_DISCOVERIES:.0f} % false discoveries)."
)
EXACT_NOTE = "place: exact counts share a place only if they, or their quartiles, meet."
NAMED = 6  # rows that a note lists
ENOUGH = launches_needed(FALSE_DISCOVERIES)
T = TypeVar("T")
Order = tuple[tuple[Any, ...], tuple[Any, ...]]


class Entrant(Struct, frozen=True):
    """A row that could take a place, with its `figure`, of which the least is the best.

    `values` has one for each launch, and is empty where their number is not known. `name` is what
    `assay run` takes. Rows that `dropped` out of a race were not measured like the others; of
    `estimated` ones the unit is, of `disturbed` ones nothing is sure, and `exact` ones were
    counted by an emulator, with these `quartiles` where counts depend on the inputs.
    """

    name: str
    figure: float
    values: tuple[float, ...]
    dropped: bool = False
    estimated: bool = False
    disturbed: bool = False
    exact: bool = False
    quartiles: tuple[float, float] | None = None

    @property
    def span(self) -> tuple[float, float]:
        """Return the quartiles of a count; the count itself where they are not known."""
        return self.quartiles or (self.figure, self.figure)


class Ranking(Struct, frozen=True):
    """The places of rows in their order, None for what has none, and what a reader must know.

    `settled` are the places of those that are settled, whatever the others lack.
    """

    places: tuple[Place | None, ...] = ()
    notes: tuple[str, ...] = ()
    settled: tuple[Place | None, ...] = ()

    def __add__(self, other: "Ranking") -> "Ranking":
        """Put the places of further rows behind one's own; a note stands once."""
        notes = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return Ranking(self.places + other.places, notes, self.settled + other.settled)


def entrant_of(one: Series, *, dropped: bool = False) -> Entrant:
    """Enter a row by the series that ranks it."""
    known = one.per_launch if len(one.points) == one.launches else ()
    # Rounded to what is no rounding error, so that equal launches are equal.
    values = tuple(float(f"{each / one.work:.12g}") for each in known)
    return Entrant(
        one.implementation, one.rate, values, dropped, one.estimated, one.disturbed, one.steps,
        one.quartiles if one.steps else None,
    )  # fmt: skip


def is_lucky(one: Series | None) -> bool:
    """Return whether a figure is timed and of so few launches that it cannot be ranked."""
    return bool(one and one.launches is not None and one.launches < ENOUGH and not one.exact)


def best_of(
    rows: Iterable[T],
    slot: Callable[[T], object],
    order: Callable[[T], Order],
    lucky: Callable[[T], bool] = lambda _: False,
) -> list[T]:
    """Keep the best row of each slot, in their order: by level, and by figures within a level.

    Lucky ones count only where their level has no others: with many configurations one of a
    single launch is the best by chance.
    """
    found: dict[object, T] = {}

    def choice(row: T) -> tuple[Any, ...]:
        level, figures = order(row)
        return level, lucky(row), figures

    for row in sorted(rows, key=choice):
        found.setdefault(slot(row), row)
    return sorted(found.values(), key=order)


def ranked_apart(
    rows: Iterable[T], group: Callable[[T], object], enter: Callable[[T], Entrant | None]
) -> Ranking:
    """Rank the rows of each group, which stand together, among themselves."""
    groups = (map(enter, each) for _, each in groupby(rows, group))
    return sum((ranking(tuple(each)) for each in groups), Ranking())


def ranking(entrants: Sequence[Entrant | None]) -> Ranking:
    """Rank rows; None stands for one that cannot take a place, as it failed or has no figure.

    No row has a place unless all that could take one are settled and were measured alike; a
    note says which are not, and the command that settles them.
    """
    found = settled_places(entrants)
    rated = [one for one in entrants if one is not None]
    missing = tuple(_missing(entrants, found))
    if missing:
        notes = missing if len(rated) > 1 and any(one.values for one in rated) else ()
        return Ranking((None,) * len(found), notes, found)
    ranked = sum(place is not None for place in found)
    notes = ((EXACT_NOTE if rated[0].exact else NOTE),) if ranked > 1 else ()
    return Ranking(found, notes, found)


def settled_places(entrants: Sequence[Entrant | None]) -> tuple[Place | None, ...]:
    """Return the place of each row among those that are settled, whatever the others lack."""
    known = [n for n, one in enumerate(entrants) if one is not None and not one.dropped]
    taking = [one for one in entrants if one is not None and not one.dropped]
    if all(one.exact for one in taking):
        found: Sequence[Place | None] = exact_places([one.span for one in taking])
    else:
        found = places([() if one.estimated else one.values for one in taking])
    placed = dict(zip(known, found, strict=True))
    return tuple(placed.get(number) for number in range(len(entrants)))


def _missing(entrants: Sequence[Entrant | None], found: Sequence[Place | None]) -> Iterable[str]:
    """Explain for which rows there are no places; nothing if all are settled."""
    pairs = [(one, place) for one, place in zip(entrants, found, strict=True) if one is not None]
    waiting = [one for one, place in pairs if place is None and not one.dropped]
    slowest = max((one.figure for one, place in pairs if place is not None), default=0.0)
    gone = [one for one, _ in pairs if one.dropped and one.figure < slowest]
    enough = launches_needed(2 * FALSE_DISCOVERIES / max(2, len(pairs)))
    if unknown := [one for one in waiting if not one.values]:
        yield f"No places: the number of processes is not known of {_names(unknown)}."
    if guessed := [one for one in waiting if one.values and one.estimated]:
        why = f"estimated core cycles of {_names(guessed)}"
        yield _cured(why, guessed, f"--launches {enough}")
    if few := [one for one in waiting if one.values and not one.estimated]:
        why = f"too few launches of {_names(few)} to be told from any other"
        yield _cured(why, few, f"--launches {enough}")
    if gone:
        why = f"left a race early, and not behind all other rows: {_names(gone)}"
        yield _cured(why, gone, f"--exhaustive --launches {enough}")


def _cured(why: str, rows: Sequence[Entrant], options: str) -> str:
    names = " ".join(dict.fromkeys(one.name for one in rows[:NAMED]))
    return (
        f"No places: {why}. `assay run {names} {options}`, with all other options as before, "
        "settles that."
    )


def _names(rows: Sequence[Entrant]) -> str:
    return listed_names(one.name for one in rows)


def listed_names(names: Iterable[str]) -> str:
    """Name the first few, and how many more there are."""
    known = list(dict.fromkeys(names))
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return f"{', '.join(known[:NAMED])}{more}"

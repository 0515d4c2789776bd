# SPDX-License-Identifier: MIT
"""Which place each row of a table has: ranks that are not separated share one."""

from collections.abc import Iterable, Mapping, Sequence

from assay.model import Cell, Figure, SizeChoice
from assay.stats.places import FALSE_DISCOVERIES, Place, exact_places, places
from assay.summary.rows import Row
from assay.summary.unit import Unit

NOTE = (
    "place: ranks that are not separated share one (Mann-Whitney over launches, at most "
    f"{100 * FALSE_DISCOVERIES:.0f} % false discoveries)."
)
EXACT_NOTE = "place: exact counts share a place only if they are equal."
TOO_FEW = (
    "Rows without a place have too few launches to be told from any other, and are not "
    "counted: use --launches."
)

Key = tuple[Cell, SizeChoice]


def row_places(rows: Sequence[Row], unit: Unit) -> Mapping[Key, Place]:
    """Return the places of rows of one target by their stream rate.

    Rows that failed, or were not measured, have none.
    """
    known = [row for row in rows if ranks(row)]
    if unit.exact:
        found = exact_places([unit.value(_rate(row)) for row in known])
    else:
        found = places([_values(row, unit) for row in known])
    return {
        key_of(row): place for row, place in zip(known, found, strict=True) if place is not None
    }


def ranks(row: Row) -> bool:
    """Return whether a row takes part in the ranking; estimated figures do not."""
    return row.rate is not None and not (row.result.failed or row.result.estimated)


def key_of(row: Row) -> Key:
    """Name a row of a table."""
    return (row.result.cell, row.sizes)


def place_notes(sides: Iterable[tuple[Place | None, int | None]]) -> tuple[str, ...]:
    """State below a table what a place is; `sides` are places and numbers of launches."""
    launched = [(place, launches) for place, launches in sides if launches]
    placed = sum(place is not None for place, _ in launched)
    notes = (NOTE,) if placed > 1 else ()
    return (*notes, TOO_FEW) if placed < len(launched) > 1 else notes


def _values(row: Row, unit: Unit) -> tuple[float, ...]:
    """Return the stream rate of each launch, rounded to what is no rounding error."""
    figure = _rate(row)
    return tuple(float(f"{unit.value(figure, ticks):.12g}") for ticks in figure.values)


def _rate(row: Row) -> Figure:
    """Return the figure of a row that takes part in the ranking."""
    if row.rate is None:
        raise ValueError("a row without a rate is not ranked")
    return row.rate

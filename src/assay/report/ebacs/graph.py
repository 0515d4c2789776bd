# SPDX-License-Identifier: MIT
"""What the graph over message length draws: medians and quartiles, thinned to fit a page."""

from collections.abc import Sequence
from typing import Any

from assay.report.ebacs.overview import Overview, overviews
from assay.report.ebacs.quantities import Part, Quantity
from assay.report.ebacs.ranking import KeySeries, SlideRow, View, lengths_of, sizes_of
from assay.report.ebacs.records import Provenance

POINTS = 12_000  # of all graphs of an operation: some 150 kB
FEWEST = 24  # lengths of a graph, however many series there are
SHOWN = 8  # series that are drawn at first: the best ones


def graphs(
    series: Sequence[KeySeries], quantity: Quantity, part: Part, points: int = POINTS
) -> list[dict[str, Any]]:
    """Return the graphs of a quantity, one for each place and unit, as the script reads them.

    Every primitive of a league is one series, of the implementation that stands in the
    overview. `x` holds lengths, `m` medians per call, `lo` and `hi` how far the quartiles are
    below and above them. The graph with the most series comes first. Empty where fewer
    than two lengths were measured.
    """
    own = [one for one in series if one.key == quantity.key]
    sizes = sizes_of(own, quantity, part)
    if len(lengths_of(own, quantity, part)) < 2 or not sizes:
        return []
    found = overviews(own, [View(quantity, part, size) for size in sizes])
    drawn = max(1, sum(len(each.lines) for each in found))
    shown = [_graph(own, each, max(FEWEST, points // drawn)) for each in found]
    return sorted(shown, key=lambda graph: -len(graph["series"]))


def thinned(lengths: Sequence[int], most: int, always: Sequence[int] = ()) -> tuple[int, ...]:
    """Choose at most about `most` lengths, evenly, with the first, the last and `always`."""
    if len(lengths) <= most:
        return tuple(lengths)
    last = len(lengths) - 1
    even = {lengths[round(i * last / (most - 1))] for i in range(most)}
    return tuple(sorted(even | (set(always) & set(lengths))))


def _graph(series: Sequence[KeySeries], overview: Overview, most: int) -> dict[str, Any]:
    """Describe one graph."""
    view, table = overview.deciding, overview.table
    known = {(one.place, one.subject, one.unit): one for one in series}
    lines = [(line.first, known[_key(line.first)]) for line in overview.lines]
    lengths = lengths_of([one for _, one in lines], view.quantity, view.part)
    x = thinned(lengths, most, view.quantity.sizes)
    return {
        "place": " ".join(place.text for place in table.places),
        "unit": table.unit,
        "per": view.quantity.per.value,
        "factor": 2 if view.part is Part.BOTH else 1,
        "lengths": len(lengths),
        "shown": SHOWN,
        "x": list(x),
        "series": [_series(row, one, view, x) for row, one in lines],
    }


def _key(row: SlideRow) -> tuple[Provenance, Any, str]:
    return (Provenance.of(row.source), row.subject, row.unit)


def _series(row: SlideRow, series: KeySeries, view: View, x: Sequence[int]) -> dict[str, Any]:
    """Describe one line; null where a length was not measured."""
    points = [series.points.get(view.quantity.stored(length, view.part)) for length in x]
    return {
        "name": row.name,
        "implementation": row.implementation,
        "m": [one and _short(one.median) for one in points],
        "lo": [one and _short(one.median - one.q1) for one in points],
        "hi": [one and _short(one.q3 - one.median) for one in points],
    }


def _short(value: float) -> int | float:
    """Drop decimals that nobody could see, since they are most of a page's bytes."""
    return round(value) if abs(value) >= 100 or value == round(value) else round(value, 1)

# SPDX-License-Identifier: MIT
"""What the graph over message length draws: medians and quartiles, thinned to fit a page."""

from collections.abc import Sequence

from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries, Form
from assay.report.ebacs.quantities import Part, Quantity
from assay.report.ebacs.views import (
    Curve,
    SlideRow,
    SlideTable,
    View,
    build_of,
    lengths_of,
    side_by_side,
    views_of,
)

POINTS = 12_000  # of all graphs of an operation: some 150 kB
FEWEST = 24  # lengths of a graph, however many series there are
SHOWN = 8  # series that are drawn at first: the best ones


def graphs(
    curves: Sequence[Curve], quantity: Quantity, part: Part, points: int = POINTS
) -> list[Chart]:
    """Return the graphs of a quantity, one for each place and unit.

    Every primitive of a league is one series, of the implementation that stands in the
    overview: medians per call with quartiles, over lengths. The graph with the most series
    comes first. Empty where fewer than two lengths were measured.
    """
    own = [one for one in curves if one.key == quantity.key]
    views = views_of(own, quantity, part) if own else ()
    if len(lengths_of(own, quantity, part)) < 2 or not views:
        return []
    found = side_by_side(own, views)
    drawn = max(1, sum(len(each.rows) for each in found))
    shown = [_graph(own, each, max(FEWEST, points // drawn)) for each in found]
    return sorted(shown, key=lambda graph: -len(graph.series))


def thinned(lengths: Sequence[int], most: int, always: Sequence[int] = ()) -> tuple[int, ...]:
    """Choose at most about `most` lengths, evenly, with the first, the last and `always`."""
    if len(lengths) <= most:
        return tuple(lengths)
    last = len(lengths) - 1
    even = {lengths[round(i * last / (most - 1))] for i in range(most)}
    return tuple(sorted(even | (set(always) & set(lengths))))


def _graph(curves: Sequence[Curve], table: SlideTable, most: int) -> Chart:
    """Make one graph."""
    view = table.view
    known = {one.build: one for one in curves}
    lines = [(row, known[build_of(row.series)]) for row in table.rows]
    lengths = lengths_of([one for _, one in lines], view.quantity, view.part)
    chosen = thinned(lengths, most, view.quantity.sizes)
    return Chart(
        Form.CURVES,
        " ".join(place.text for place in table.places),
        Axis("bytes", logarithmic=True),
        Axis(table.unit, logarithmic=True),
        tuple(_series(row, one, view, chosen) for row, one in lines),
        facts={
            "per": view.quantity.per.value,
            "factor": 2 if view.part is Part.BOTH else 1,
            "lengths": len(lengths),
            "shown": SHOWN,
        },
    )


def _series(row: SlideRow, curve: Curve, view: View, lengths: Sequence[int]) -> ChartSeries:
    """Make one line, with a gap where a length was not measured."""
    points = tuple(_point(curve, view, length) for length in lengths)
    return ChartSeries(row.name, points, row.subject.short_name)


def _point(curve: Curve, view: View, length: int) -> ChartPoint:
    found = curve.points.get(view.quantity.stored(length, view.part))
    if found is None:
        return ChartPoint(length, None)
    return ChartPoint(length, found.median, found.q1, found.q3)

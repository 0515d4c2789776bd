# SPDX-License-Identifier: MIT
"""The picture that a report opens with: a point for each row, on one logarithmic axis.

A point is a figure, and the line through it reaches from quartile to quartile. There are no
bars, as a logarithmic axis has no zero where they could begin. Rows of one group are not
separated: they share a place, and are drawn as one block. Places on the axis are per cent of
its width, so that the picture fits a phone.
"""

from dataclasses import dataclass
from itertools import groupby

from assay.report.axis import LogAxis, Tick
from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries
from assay.report.printable import printable
from assay.report.table import Style, Table, TableRow

WHOLE = 100.0
LEAST_BARS = 2
NAMES = ("name", "package", "implementation")  # keys of what a row is called
APART = 12.0  # per cent of the width between labels


@dataclass(frozen=True, slots=True)
class RankedBar:
    """A bar: where it ends, its quartiles, and what is written beside it."""

    name: str
    link: str
    place: str
    text: str
    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class RankedLayout:
    """Bars in blocks that share a place, and the axis."""

    blocks: tuple[tuple[RankedBar, ...], ...]
    ticks: tuple[Tick, ...]


def ranked_chart(table: Table) -> Chart | None:
    """Show the figures of rows that did not fail; None of fewer than two, or without a figure."""
    column = next((one for one in table.columns if one.key == table.charted), None)
    sound = (row for row in table.rows if row.style is not Style.FAIL)
    rated = [row for row in sound if (row.values.get(table.charted) or 0) > 0]
    if column is None or len(rated) < LEAST_BARS:
        return None
    series = tuple(_series(table, row) for row in rated)
    unit = table.unit.partition(",")[0].partition(";")[0].rpartition(": ")[2] or column.heading
    title = f"{table.title or column.heading}, {unit}, on a logarithmic axis"
    return Chart(title, Axis(unit, logarithmic=True), Axis(), series)


def _series(table: Table, row: TableRow) -> ChartSeries:
    values = row.values
    figure = values[table.charted]
    low, high = (values.get(key) or figure for key in ("q1", "q3"))
    name = next(values[key] for key in NAMES if values.get(key))
    point = ChartPoint(figure, None, low, high)
    place = str(values.get("charted_place", values.get("place")) or "")
    return ChartSeries(printable(name), (point,), values.get("link", ""), place)


def layout(chart: Chart) -> RankedLayout:
    """Lay out the bars, the fastest first."""
    points = [one.points[0] for one in chart.series]
    values = [value for one in points for value in (one.low, one.x, one.high) if value]
    axis = LogAxis.over(values, 0.0, WHOLE)
    bars = [_bar(axis, one) for one in chart.series]
    blocks = groupby(enumerate(bars), lambda item: item[1].place or item[0])
    return RankedLayout(
        tuple(tuple(bar for _, bar in block) for _, block in blocks), axis.ticks(APART)
    )


def _bar(axis: LogAxis, series: ChartSeries) -> RankedBar:
    (point,) = series.points
    low, high = (axis.at(one or point.x) for one in (point.low, point.high))
    return RankedBar(
        series.name, series.label, series.group, f"{point.x:.2f}", low, axis.at(point.x), high
    )

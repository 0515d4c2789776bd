# SPDX-License-Identifier: MIT
"""The picture that a report opens with: a bar for each primitive, on one logarithmic axis.

Bars of one group are not separated: they share a place, and are drawn as one block. Places on
the axis are per cent of its width, so that the picture fits a phone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from assay.report.axis import LogAxis, Tick
from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries, Form
from assay.report.kinds import CellKind, per_unit
from assay.report.printable import printable
from assay.report.views import RankedTable, page_link, page_place
from assay.summary.rows import Row

WHOLE = 100.0
LEAST_BARS = 2
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


def ranked_chart(table: RankedTable, kind: CellKind, names: Sequence[str]) -> Chart | None:
    """Show the rates of a table's rows; None of fewer than two. `names` are those of rows."""
    rated = [(name, row) for name, row in zip(names, table.rows, strict=True) if row.rate]
    if len(rated) < LEAST_BARS:
        return None
    series = tuple(_series(table, name, row) for name, row in rated)
    unit = per_unit(table.unit, next(row.rate for _, row in rated if row.rate))
    title = f"{kind.metrics[0].heading}, {unit}, on a logarithmic axis"
    return Chart(Form.RANKED, title, Axis(unit, logarithmic=True), Axis(), series)


def _series(table: RankedTable, name: str, row: Row) -> ChartSeries:
    link, place = page_link(page_place(row.result.package)), table.place(row)
    return ChartSeries(printable(name), (_point(table, row),), link, str(place or ""))


def _point(table: RankedTable, row: Row) -> ChartPoint:
    figure, unit = row.rate, table.unit
    if figure is None:
        raise ValueError("a row without a rate has no bar")
    low, high = (unit.value(figure, one) for one in (figure.q1, figure.q3))
    return ChartPoint(unit.value(figure), None, low, high)


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

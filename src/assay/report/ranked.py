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
    place: str
    text: str
    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class RankedChart:
    """Bars in blocks that share a place, the fastest first, and the axis."""

    title: str
    unit: str
    blocks: tuple[tuple[RankedBar, ...], ...]
    ticks: tuple[Tick, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Name the rows in their order."""
        return tuple(bar.name for block in self.blocks for bar in block)


def ranked_chart(table: Table) -> RankedChart | None:
    """Show the figures of rows that did not fail; None of fewer than two, or without a figure."""
    column = next((one for one in table.columns if one.key == table.charted), None)
    sound = (row for row in table.rows if row.style is not Style.FAIL)
    rated = [row for row in sound if (row.values.get(table.charted) or 0) > 0]
    if column is None or len(rated) < LEAST_BARS:
        return None
    unit = table.unit.partition(",")[0].partition(";")[0].rpartition(": ")[2] or column.heading
    title = f"{table.title or column.heading}, {unit}, on a logarithmic axis"
    ends = [_ends(row, table.charted) for row in rated]
    axis = LogAxis.over([value for one in ends for value in one], 0.0, WHOLE)
    bars = [_bar(axis, row, each) for row, each in zip(rated, ends, strict=True)]
    blocks = groupby(enumerate(bars), lambda item: item[1].place or item[0])
    joined = tuple(tuple(bar for _, bar in block) for _, block in blocks)
    return RankedChart(title, unit, joined, axis.ticks(APART))


def _ends(row: TableRow, charted: str) -> tuple[float, float, float]:
    """Return the lower quartile of a row, its figure, and the upper quartile."""
    figure = row.values[charted]
    low, high = (row.values.get(key) or figure for key in ("q1", "q3"))
    return low, figure, high


def _bar(axis: LogAxis, row: TableRow, ends: tuple[float, float, float]) -> RankedBar:
    values = row.values
    name = next(values[key] for key in NAMES if values.get(key))
    place = str(values.get("charted_place", values.get("place")) or "")
    return RankedBar(printable(name), place, f"{ends[1]:.2f}", *map(axis.at, ends))

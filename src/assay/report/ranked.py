# SPDX-License-Identifier: MIT
"""The charts of tables: a point for each row, on one logarithmic axis.

A point is a figure, and the line through it reaches from quartile to quartile. There are no
bars, as a logarithmic axis has no zero where they could begin.
"""

from collections.abc import Iterable, Iterator
from textwrap import wrap

from assay.report.drawing import SIZE, Axis, Dot, Drawing, Shape, Stroke, Word
from assay.report.printable import printable
from assay.report.table import Table, TableRow

LEAST_ROWS = 2
KEYS = ("name", "package", "implementation")  # of what a row is called
ROW, MARGIN = 14.0, 3.0  # of a line, around all
NAMES, PLACES, FIGURES, AXIS = 120.0, 26.0, 40.0, 150.0  # widths, from left to right
LETTERS = int(NAMES / (0.55 * SIZE))  # that fit beside the axis
LEFT = MARGIN + PLACES + NAMES
WIDTH = LEFT + AXIS + FIGURES + 2 * MARGIN
APART = 18.0  # between labels of the axis


def ranked_charts(tables: Iterable[Table], origin: str = "") -> Drawing | None:
    """Draw the charts of tables below each other, and below them where the figures come from.

    None if no table has two figures to compare.
    """
    titles: list[str] = []
    shapes: list[Shape] = []
    y = MARGIN
    for table in tables:
        rows = charted_rows(table)
        if rows:
            heading = next(one.heading for one in table.columns if one.key == table.charted)
            unit = table.charted_unit
            titles.append(f"{table.title or heading}, {unit}, on a logarithmic axis")
            for text in _wrapped(titles[-1]):
                y += ROW
                shapes.append(Word(MARGIN, y, text, bold=True))
            shapes += _chart(table, rows, unit, y)
            y += (len(rows) + 2.6) * ROW
    for text in _wrapped(origin):
        y += 0.8 * ROW
        shapes.append(Word(MARGIN, y, text))
    return Drawing("; ".join(titles), WIDTH, y + ROW, tuple(shapes)) if titles else None


def charted_rows(table: Table) -> tuple[TableRow, ...]:
    """Return the rows that are charted; none of fewer than two."""
    rated = table.rated
    return rated if len(rated) >= LEAST_ROWS else ()


def row_name(row: TableRow) -> str:
    """Return what a row is called in a chart."""
    return printable(next(row.values[key] for key in KEYS if row.values.get(key)))


def _chart(table: Table, rows: tuple[TableRow, ...], unit: str, y: float) -> Iterator[Shape]:
    """Draw a line below `y` for each row, and the axis below them."""
    top, foot = y + 0.4 * ROW, y + (len(rows) + 0.6) * ROW
    ends = [_ends(row, table.charted) for row in rows]
    axis = Axis.over([value for one in ends for value in one], LEFT, LEFT + AXIS)
    for number, (row, (low, figure, high)) in enumerate(zip(rows, ends, strict=True), 1):
        at, name = y + number * ROW, row_name(row)
        place = row.values.get("charted_place", row.values.get("place"))
        shown = name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}..."
        yield Word(MARGIN + PLACES - 8, at + 3, str(place or ""), "end")
        yield Word(MARGIN + PLACES, at + 3, shown)
        yield Stroke(axis.at(low), at, axis.at(high), at, width=1.4)
        yield Dot(axis.at(figure), at)
        yield Word(LEFT + AXIS + FIGURES, at + 3, f"{figure:.2f}", "end")
    yield Stroke(LEFT, foot, LEFT + AXIS, foot)
    for tick in axis.ticks(APART):
        yield Stroke(tick.at, top, tick.at, foot + 3, width=0.3, soft=True)
        yield Word(tick.at, foot + ROW * 0.8, tick.label, "middle")
    yield Word(LEFT + AXIS / 2, foot + ROW * 1.7, unit, "middle")


def _ends(row: TableRow, charted: str) -> tuple[float, float, float]:
    """Return the lower quartile of a row, its figure, and the upper quartile."""
    figure = row.values[charted]
    return row.values.get("q1") or figure, figure, row.values.get("q3") or figure


def _wrapped(text: str) -> list[str]:
    """Break a text into lines that fit the page."""
    return wrap(text, int((WIDTH - 2 * MARGIN) / (0.58 * SIZE)), break_long_words=False)

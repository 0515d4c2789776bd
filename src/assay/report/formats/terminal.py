# SPDX-License-Identifier: MIT
"""Tables for a terminal, in as many columns as it has room for."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from assay.report.printable import printable
from assay.report.table import Column, Note, Report, Style, Table, TableRow

STYLES = {
    Style.PASS: "green",
    Style.OPEN: "yellow",
    Style.FAIL: "bold red",
    Style.UNKNOWN: "dim",
    Style.FASTER: "green",
    Style.SLOWER: "red",
    Style.NOTE: "dim",
    Style.LEAD: "bold",
}
ROW_STYLES = {Style.FAIL: "red"}


def render(report: Report, console: Console) -> RenderableType:
    """Lay out a report; what a narrow console leaves out is named below."""
    parts: list[RenderableType] = [*_lines(report.above)]
    missing: dict[str, None] = {}
    for number, table in enumerate(report.tables):
        kept = table.fitting(partial(_fits, console, table))
        missing |= dict.fromkeys(one.heading for one in table.shown if one not in kept)
        if number:
            parts.append(Text(""))
        if table.heading:
            parts.append(Text(table.heading, style="bold"))
        parts += [*_sections(console, table, kept), *_lines(map(Note, table.notes))]
    if missing:
        parts.append(Text(f"A wider terminal also shows: {', '.join(missing)}.", style="dim"))
    return Group(*parts, *_lines(report.below))


def widest(report: Report, console: Console) -> int:
    """Return in how many columns nothing of a report's tables is left out."""
    found = (_needs(console, table, table.shown) for table in report.tables)
    return max(found, default=0)


def _sections(
    console: Console, table: Table, columns: Sequence[Column]
) -> Iterator[RenderableType]:
    """Lay out each group of rows below its heading, columns in line if there is room."""
    found = table.sections
    room = len(found) > 1 and _fits(console, table, columns)
    for number, (heading, rows) in enumerate(found):
        if heading:
            yield Text(heading, style="italic")
        grid = _grid(table, columns, rows, in_line=room)
        grid.show_header = not (room and number)
        yield grid


def _fits(console: Console, table: Table, columns: Sequence[Column]) -> bool:
    """Return whether the console is wide enough for these columns without a broken word."""
    return _needs(console, table, columns) <= console.width


def _needs(console: Console, table: Table, columns: Sequence[Column]) -> int:
    unbounded = console.options.update(max_width=10_000)
    grid = _grid(table, columns, table.rows)
    return Measurement.get(console, unbounded, grid).maximum


def _grid(
    table: Table, columns: Sequence[Column], rows: Sequence[TableRow], *, in_line: bool = False
) -> Grid:
    """Lay out these columns: plain text throughout, since names are strangers' own.

    With `in_line` columns are as wide as in all other rows of the table.
    """
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        texts = (column.heading, *(table.text(row, column) for row in table.rows))
        grid.add_column(
            column.heading,
            justify="right" if column.number else "left",
            min_width=max(map(cell_len, texts)) if in_line else None,
            no_wrap=column.number or column.whole,
            overflow="ellipsis" if column.number else "fold",
        )
    for row in rows:
        cells = (_cell(table, row, one) for one in columns)
        grid.add_row(*cells, style=ROW_STYLES.get(row.style, ""))
    return grid


def _cell(table: Table, row: TableRow, column: Column) -> Text:
    """Write a cell with the lines below its words."""
    words = Text(table.text(row, column), style=STYLES.get(column.style(row.values), ""))
    for line in _lines(column.more(row.values).below):
        words.append("\n").append(line)
    return words


def _lines(notes: Iterable[Note]) -> Iterator[Text]:
    """Write lines, each in its style."""
    for note in notes:
        text = "\n".join(map(printable, note.text.split("\n")))
        yield Text(text, style=STYLES.get(note.style, ""))

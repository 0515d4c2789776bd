# SPDX-License-Identifier: MIT
"""The tables of the slides for the terminal."""

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.model import Direction
from assay.report.ebacs.overview import Line, Overview, overviews
from assay.report.ebacs.quantities import LONG, Part, Quantity
from assay.report.ebacs.ranking import (
    LEAGUE_NOTE,
    MARK,
    UNCOMPARED_NOTE,
    Row,
    Series,
    Table,
    View,
    all_series,
    tables,
)
from assay.report.ebacs.records import Place, Records
from assay.report.ebacs.selection import Choice, chosen_views
from assay.report.printable import printable
from assay.stats.places import Place as Rank
from assay.summary.ranks import place_notes, place_text

NAMES = ("name", "implementation", "configuration")


def show_operation(
    records: Records,
    operation: str,
    size: int | str | None = None,
    *,
    measure: str | None = None,
    part: Part = Part.MESSAGE,
    together: bool = False,
) -> RenderableType:
    """Lay out the tables of an operation, or the one of a size.

    Without a size all sizes stand side by side, medians only. `together` puts all machines
    into one table. UsageError if there is no such measure or size.
    """
    choice = Choice(size, measure, part, together)
    series = all_series(records.only(operation))
    views = chosen_views(series, operation, choice)
    parts: list[RenderableType] = []
    for quantity, group in groupby(views, key=_quantity):
        parts += _quantity_parts(operation, series, quantity, tuple(group), together=together)
    if not parts:
        parts.append(Text(f"Nothing of {operation} has been measured yet."))
    return Group(*parts)


def _quantity(view: View) -> Quantity:
    return view.quantity


def _quantity_parts(
    operation: str,
    series: Sequence[Series],
    quantity: Quantity,
    views: Sequence[View],
    *,
    together: bool,
) -> list[RenderableType]:
    """Lay out one table for one size, an overview for several."""
    own = [one for one in series if one.key == quantity.key]
    if len(views) == 1:
        return [slide_table(operation, each) for each in tables(own, views[0], together=together)]
    return [_overview(operation, each) for each in overviews(own, views, together=together)]


def slide_table(operation: str, table: Table) -> Group:
    """Lay out quartiles, name, implementation and configuration, best first."""
    grid = _grid()
    for column in ("25%", "50%", "75%"):
        grid.add_column(column, justify="right", no_wrap=True)
    _place_column(grid, table)
    _name_columns(grid, table)
    for row, rank in zip(table.rows, table.ranks, strict=True):
        figures = (Text(number(value)) for value in (row.q1, row.median, row.q3))
        names = _names(table, row)
        grid.add_row(*figures, *_place(table, rank), *names)
    said = (*notes(table.rows), *rank_notes(table))
    return _block(heading(operation, table, table.view.text), grid, said)


def heading(operation: str, table: Table, what: str) -> str:
    """Say what a table shows, where it comes from, in what unit, and which way is better."""
    where = f"; {printable(table.places[0].text)}" if len(table.places) == 1 else ""
    return f"{operation}, {what}{where}: {table.unit_text}, {Direction.LOWER.value}"


def number(value: float) -> str:
    """Write a figure: two decimals as the slides do, none where they would be noise."""
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}"


def notes(rows: Iterable[Row]) -> tuple[str, ...]:
    """Give what must be said below a table: the mark, and what `long` rests on."""
    known = tuple(rows)
    said = []
    if any(not row.compared for row in known):
        said.append(UNCOMPARED_NOTE)
    if any(row.marks.endswith(MARK) for row in known):
        said.append(LEAGUE_NOTE)
    fits = sorted({f"{row.fit.first}..{row.fit.last}" for row in known if row.fit})
    if fits:
        off = [row.fit.deviation_percent for row in known if row.fit]
        judged = [one for one in off if one is not None]
        worst = f"; medians within {max(judged):.1f} % of it" if judged else ""
        said.append(
            f"long: slope of a line through the lengths {', '.join(fits)}{worst}. "
            "How eBACS extrapolates is not published."
        )
    return tuple(said)


def rank_notes(table: Table) -> tuple[str, ...]:
    """Say what the places of a table are; nothing where there are none."""
    rows = zip(table.ranks, table.rows, strict=True)
    return place_notes((rank, len(row.medians)) for rank, row in rows)


def _block(title: str, grid: Grid, said: Sequence[str]) -> Group:
    """Put a title over a table and notes below it."""
    texts = [Text(line, style="dim") for line in said]
    return Group(Text(title, style="bold"), grid, *texts, Text(""))


def _grid() -> Grid:
    return Grid(box=None, pad_edge=False, header_style="bold")


def _place_column(grid: Grid, table: Table) -> None:
    """Add the column of places where there are any."""
    if table.ranked:
        grid.add_column("place", justify="right", no_wrap=True)


def _place(table: Table, rank: Rank | None) -> tuple[Text, ...]:
    """Write a place, if the table has a column for it."""
    return (Text(place_text(rank)),) if table.ranked else ()


def _name_columns(grid: Grid, table: Table) -> None:
    """Add the columns of the names, and of the machine where there are several."""
    for column in NAMES:
        grid.add_column(column, overflow="fold", no_wrap=column == "name")
    if len(table.places) > 1:
        grid.add_column("machine", overflow="fold")


def _names(table: Table, row: Row) -> tuple[Text, ...]:
    """Write the names: plain text throughout, since strangers chose them."""
    names = [row.name, row.implementation, row.subject.compiler]
    if len(table.places) > 1:
        names.append(Place.of(row.source).text)
    return tuple(Text(printable(name)) for name in names)


def _overview(operation: str, overview: Overview) -> Group:
    """Lay out the medians of all sizes."""
    table = overview.table
    what = table.view.quantity.text(table.view.part)
    grid = _grid()
    for view in overview.views:
        grid.add_column(str(view.size), justify="right", no_wrap=True)
    _place_column(grid, overview.decided)
    _name_columns(grid, table)
    for line, rank in zip_longest(overview.lines, overview.decided.ranks):
        grid.add_row(
            *_medians(line),
            *_place(overview.decided, rank),
            *_names(table, line.first),
        )
    shown = [row for line in overview.lines for row in line.rows if row is not None]
    best = f"The implementation is the best one for {overview.deciding.size_text}."
    said = [best] if overview.deciding.size != LONG else []
    return _block(
        f"{heading(operation, table, what)}; medians", grid, [*said, *notes(shown), *_at(overview)]
    )


def _at(overview: Overview) -> tuple[str, ...]:
    """Say what the places are, and for which size."""
    said = rank_notes(overview.decided)
    return (f"Places are those for {overview.deciding.size_text}.", *said) if said else ()


def _medians(line: Line) -> tuple[Text, ...]:
    return tuple(Text("-" if row is None else number(row.median)) for row in line.rows)

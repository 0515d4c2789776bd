# SPDX-License-Identifier: MIT
"""The tables of the slides: an operation at one size, or the medians of all sizes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from assay.model import PackageKind
from assay.report.ebacs.overview import Line, Overview, overviews
from assay.report.ebacs.quantities import LONG
from assay.report.ebacs.ranking import (
    LEAGUE_NOTE,
    LEAGUE_TEXTS,
    MARK,
    UNCOMPARED_NOTE,
    SlideRow,
    SlideTable,
    View,
    curves_of,
    tables,
)
from assay.report.ebacs.records import Provenance, Records
from assay.report.ebacs.selection import Choice, chosen_views
from assay.report.table import NONE, Column, Note, Report, Style, Table, TableRow
from assay.stats.places import Place as Rank

SIDE_BY_SIDE = frozenset({"terminal", "markdown", "html"})  # forms that show medians alone
KEYS = (
    *("kind", "operation", "measure", "part", "size", "machine", "abi", "version", "date"),
    *("primitive", "league", "implementation", "configuration"),
    *("q1", "median", "q3", "unit", "direction", "launches", "place", "compared"),
    *("long_from", "long_to", "long_lengths", "long_deviation_percent"),
)
DIGITS = {"q1": 4, "median": 4, "q3": 4, "long_deviation_percent": 2}


def number(value: float | None) -> str:
    """Write a figure: two decimals as the slides do, none where they would be noise."""
    if value is None:
        return NONE
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}"


def _figure(key: str, heading: str) -> Column:
    return Column(key, heading, number=True, text=number, exported=False)


NAMES = (
    Column("place", "place", number=True, optional=True, exported=False),
    Column("name", "name", whole=True, exported=False),
    Column("short_name", "implementation", exported=False),
    Column("configuration", "configuration", exported=False),
)
MACHINE = Column("where", "machine", exported=False)
QUARTILES = (_figure("q1", "25%"), _figure("median", "50%"), _figure("q3", "75%"))


def operation_report(
    records: Records,
    operations: Iterable[str],
    choice: Choice | None = None,
    form: str = "terminal",
) -> Report:
    """Make the tables of operations, of all sizes that were measured or of the chosen one.

    For readers all sizes stand side by side, medians only; otherwise each has a table.
    UsageError if there is no such measure or size.
    """
    named = tuple(operations)
    found = [table for one in named for table in _tables(records, one, choice or Choice(), form)]
    nothing = tuple(
        Note(f"Nothing of {one} has been measured yet.", Style.PLAIN)
        for one in named
        if not any(table.facts["operation"] == one for table in found)
    )
    if not named:
        nothing = (Note("Nothing has been measured yet.", Style.PLAIN),)
    facts = {"operation": named[0]} if len(named) == 1 else {"operations": list(named)}
    return Report(tuple(found), nothing, facts=facts)


def _tables(records: Records, operation: str, choice: Choice, form: str) -> Iterator[Table]:
    """Make the tables of one operation."""
    curves = curves_of(records.only(operation).series)
    views = chosen_views(curves, operation, choice)
    for quantity, group in groupby(views, key=lambda view: view.quantity):
        wanted = tuple(group)
        if form in SIDE_BY_SIDE and len(wanted) > 1 and not choice.everything:
            own = [one for one in curves if one.key == quantity.key]
            shown = overviews(own, wanted, together=choice.together)
            yield from (overview_table(operation, each) for each in shown)
        else:
            for view in wanted:
                found = tables(
                    curves, view, together=choice.together, everything=choice.everything
                )
                yield from (slide_table(operation, each) for each in found)


def slide_table(operation: str, table: SlideTable) -> Table:
    """Show quartiles, name, implementation and configuration, best first."""
    rows = [_slide(row, rank) for row, rank in zip(table.rows, table.ranking.places, strict=True)]
    return _grid(
        _title(operation, table, table.view.text),
        QUARTILES,
        operation,
        table,
        rows,
        (*notes(table.rows), *table.ranking.notes),
        charted="median",
    )


def overview_table(operation: str, overview: Overview) -> Table:
    """Show the medians of all sizes."""
    table = overview.table
    decided = overview.decided
    ranks = dict(zip(map(id, decided.rows), decided.ranking.places, strict=True))
    columns = tuple(_figure(f"median/{view.size}", str(view.size)) for view in overview.views)
    what = f"{table.view.quantity.text(table.view.part)}, medians"
    rows = [_medians(overview, line, ranks.get(id(line.first))) for line in overview.lines]
    said = _overview_notes(overview)
    return _grid(_title(operation, table, what), columns, operation, table, rows, said)


def notes(rows: Iterable[SlideRow]) -> tuple[str, ...]:
    """State below a table what the marks mean, and what `long` rests on."""
    known = tuple(rows)
    said = []
    if any(not row.series.compared for row in known):
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


def _grid(
    title: str,
    figures: tuple[Column, ...],
    operation: str,
    table: SlideTable,
    rows: Sequence[TableRow],
    said: tuple[str, ...],
    charted: str = "",
) -> Table:
    """Put figures before names, and the machine behind them where there are several."""
    machine = (MACHINE,) if len(table.places) > 1 else ()
    columns = (*figures, *NAMES, *machine, *(Column(key, digits=DIGITS.get(key)) for key in KEYS))
    facts = {"kind": PackageKind.OPERATION.value, "operation": operation, **_head(table.view)}
    return Table(
        title,
        table.unit_text,
        columns,
        tuple(rows),
        said,
        facts=facts,
        groups=LEAGUE_TEXTS,
        charted=charted,
    )


def _title(operation: str, table: SlideTable, what: str) -> str:
    """Describe what a table shows and where it comes from."""
    where = f"; {table.places[0].text}" if len(table.places) == 1 else ""
    return f"{operation}, {what}{where}"


def _head(view: View) -> dict[str, object]:
    return {"measure": view.quantity.key, "part": view.part.value, "size": view.size}


def _slide(row: SlideRow, rank: Rank | None) -> TableRow:
    """Describe one row."""
    fit, one = row.fit, row.series
    q1, median, q3 = (each / one.work for each in (one.q1, one.median, one.q3))
    values = {
        **_named(row, rank),
        "machine": one.machine,
        "abi": one.source.abi,
        "version": one.source.version,
        "date": one.source.date,
        "primitive": one.subject.primitive,
        "league": one.subject.league,
        "implementation": one.implementation,
        "q1": q1,
        "median": median,
        "q3": q3,
        "launches": one.launches,
        "compared": one.compared,
        "long_from": fit.first if fit else None,
        "long_to": fit.last if fit else None,
        "long_lengths": fit.lengths if fit else None,
        "long_deviation_percent": fit.deviation_percent if fit else None,
    }
    return TableRow(values, group=one.subject.league)


def _named(row: SlideRow, rank: Rank | None) -> dict[str, object]:
    return {
        "place": rank,
        "name": row.name,
        "short_name": row.implementation,
        "configuration": row.series.configuration.command_line,
        "where": Provenance.of(row.series.source).text,
    }


def _medians(overview: Overview, line: Line, rank: Rank | None) -> TableRow:
    """Put the figures of one implementation side by side."""
    figures = {
        f"median/{view.size}": row and row.median
        for view, row in zip(overview.views, line.rows, strict=True)
    }
    return TableRow({**_named(line.first, rank), **figures}, group=line.subject.league)


def _overview_notes(overview: Overview) -> tuple[str, ...]:
    """State which size decided, what marks mean, and what the places are."""
    size = overview.deciding.size_text
    best = f"The implementation is the best one for {size}."
    shown = [row for line in overview.lines for row in line.rows if row is not None]
    said = overview.decided.ranking.notes
    return (
        *((best,) if overview.deciding.size != LONG else ()),
        *notes(shown),
        *((f"Places are those for {size}.",) if any(overview.decided.ranking.places) else ()),
        *said,
    )

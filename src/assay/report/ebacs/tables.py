# SPDX-License-Identifier: MIT
"""The tables of the slides: an operation at one size, or the medians of all sizes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from assay.model import PackageKind
from assay.model.supercop import LEAGUES
from assay.report.ebacs.quantities import LONG, quantities
from assay.report.ebacs.records import Provenance, Records
from assay.report.ebacs.views import (
    MARK,
    Choice,
    SlideRow,
    SlideTable,
    chosen_views,
    curves_of,
    side_by_side,
    tables,
)
from assay.report.leads import lead
from assay.report.table import NONE, Column, Note, Report, Style, Table, TableRow
from assay.stats.places import Place as Rank
from assay.summary.ranks import Entrant, Ranking

SIDE_BY_SIDE = frozenset({"terminal", "markdown", "html"})  # forms that show medians alone
UNCOMPARED_NOTE = (
    "?: correctness not compared: there are neither checksums of the primitive nor known answers "
    "that fit, so what is fast may be wrong."
)
LEAGUE_NOTE = "T: is not declared free of secret branches and secret indexes (timingleaks)."
LEAGUE_TEXTS = {
    LEAGUES[0]: f"{LEAGUES[0]}: declared free of secret branches and secret indexes",
    LEAGUES[1]: f"{LEAGUES[1]}: not declared free of them, with places of its own",
}
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
EXPORTED = tuple(Column(key, digits=DIGITS.get(key)) for key in KEYS)


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
    together = choice.together
    views = chosen_views(curves, operation, choice)
    for _, group in groupby(views, key=lambda view: view.quantity):
        wanted = tuple(group)
        if form in SIDE_BY_SIDE and len(wanted) > 1 and not choice.everything:
            shown = side_by_side(curves, wanted, together=together)
            yield from (slide_table(operation, each) for each in shown)
            continue
        for view in wanted:
            found = tables(curves, view, together=together, everything=choice.everything)
            yield from (slide_table(operation, each) for each in found)


def slide_table(operation: str, table: SlideTable) -> Table:
    """Show quartiles, or the medians of all sizes, name, implementation and configuration."""
    ranking = table.ranking
    ranks = dict(zip(map(id, table.ranked), ranking.places, strict=True))
    view, many = table.view, len(table.places) > 1
    what = f"{view.quantity.text(view.part)}, medians" if table.views else view.text
    where = "" if many else f"; {table.places[0].text}"
    sizes = tuple(_figure(f"median/{each.size}", str(each.size)) for each in table.views)
    return Table(
        f"{operation}, {what}{where}",
        table.unit_text,
        (*(sizes or QUARTILES), *NAMES, *((MACHINE,) if many else ()), *EXPORTED),
        tuple(_line(row, ranks.get(id(row)), table) for row in table.rows),
        _notes(table, ranking.notes, placed=any(ranking.places)),
        facts={
            "kind": PackageKind.OPERATION.value,
            "operation": operation,
            "measure": view.quantity.key,
            "part": view.part.value,
            "size": view.size,
        },
        groups=LEAGUE_TEXTS,
        charted="" if table.views else "median",
        lead=_lead(operation, table),
    )


def _lead(operation: str, table: SlideTable) -> str:
    """Answer for the first league, and for what is shown first of an operation."""
    view = table.view
    leagues = [tuple(rows) for _, rows in groupby(table.ranked, lambda row: row.subject.league)]
    if view.quantity != quantities(operation)[0] or not leagues:
        return ""
    first = leagues[0]
    places = Ranking(table.ranking.places[: len(first)])
    exact = first[0].series.exact
    entrants = [_short(row, operation) for row in first]
    said = lead(entrants, places, table.unit_text, exact=exact)
    where = f", on {table.places[0].machine}" if len(table.places) == 1 else ""
    return f"{operation}, {view.text}{where}: {said}" if said else ""


def _short(row: SlideRow, operation: str) -> Entrant:
    """Enter a row under a short name; of what was disturbed nothing is sure."""
    one = row.entrant
    name = one.name.removeprefix(f"{operation}/")
    return replace(one, name=name, estimated=row.series.disturbed)


def _notes(table: SlideTable, ranked: Sequence[str], *, placed: bool) -> tuple[str, ...]:
    """State which size decided, what marks mean, and what the places are."""
    if not table.views:
        return (*marked(table.rows), *ranked)
    size = table.view.size_text
    best = f"The implementation is the best one for {size}."
    shown = [row for line in table.rows for row in line.across if row is not None]
    return (
        *((best,) if table.view.size != LONG else ()),
        *marked(shown),
        *((f"Places are those for {size}.",) if placed else ()),
        *ranked,
    )


def marked(rows: Iterable[SlideRow]) -> tuple[str, ...]:
    """State below a table what the marks mean, and what `long` rests on."""
    known = tuple(rows)
    said = []
    if any(not row.series.compared for row in known):
        said.append(UNCOMPARED_NOTE)
    if any(MARK in row.name.removesuffix(row.subject.primitive) for row in known):
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


def _line(row: SlideRow, rank: Rank | None, table: SlideTable) -> TableRow:
    """Describe one row: who it is, and its quartiles or its medians at all sizes."""
    one = row.series
    values: dict[str, object] = {
        "place": rank,
        "name": row.name,
        "short_name": one.subject.short_name,
        "configuration": one.configuration.command_line,
        "where": Provenance.of(one.source).text,
    }
    if table.views:
        pairs = zip(table.views, row.across, strict=True)
        values |= {f"median/{view.size}": each and each.median for view, each in pairs}
    else:
        values |= _exported(row)
    return TableRow(values, group=one.subject.league)


def _exported(row: SlideRow) -> dict[str, object]:
    """Describe what programs read of a row."""
    one, fit = row.series, row.fit
    return {
        "machine": one.machine,
        "abi": one.source.abi,
        "version": one.source.version,
        "date": one.source.date,
        "primitive": one.subject.primitive,
        "league": one.subject.league,
        "implementation": one.implementation,
        "q1": one.q1 / one.work,
        "median": one.rate,
        "q3": one.q3 / one.work,
        "launches": one.launches,
        "compared": one.compared,
        "long_from": fit.first if fit else None,
        "long_to": fit.last if fit else None,
        "long_lengths": fit.lengths if fit else None,
        "long_deviation_percent": fit.deviation_percent if fit else None,
    }

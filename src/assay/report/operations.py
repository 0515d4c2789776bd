# SPDX-License-Identifier: MIT
"""The tables of operations: one at a size, or the medians of all sizes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from msgspec.structs import replace

from assay.model import PackageKind
from assay.model.supercop import LEAGUES, Source, Subject
from assay.report.curves import (
    MARK,
    Choice,
    Figure,
    FigureTable,
    Records,
    chosen_views,
    curves_of,
    tables,
)
from assay.report.leads import lead, winners
from assay.report.printable import natural
from assay.report.quantities import LONG, quantities
from assay.report.supercop.own import subject_of
from assay.report.table import Column, Note, Report, Style, Table, TableRow, figure_text, numeric
from assay.stats.places import Place as Rank
from assay.summary.ranks import Ranking, listed_names
from assay.summary.rows import Detail

SIDE_BY_SIDE = frozenset({"terminal", "markdown", "html"})  # forms that show medians alone
UNCOMPARED_NOTE = (
    "?: correctness not compared: there are neither checksums of the primitive nor known answers "
    "that fit, so what is fast may be wrong."
)
ESTIMATED_NOTE = (
    "Core cycles of {} are estimated: its own launches know ticks alone, and the number of cycles "
    "in one is that of the machine's other launches."
)
RELATED = "Ratios are to {} on the same machine; below 1 is faster."
UNRELATED = "There are no ratios to {}: it has no figure here."
LEAGUE_NOTE = "T: is not declared free of secret branches and secret indexes (timingleaks)."
LEAGUE_TEXTS = {
    LEAGUES[0]: f"{LEAGUES[0]}: declared free of secret branches and secret indexes",
    LEAGUES[1]: f"{LEAGUES[1]}: not declared free of them, with places of its own",
}
WHOSE = (
    *("machine", "abi", "version", "date"),
    *("primitive", "league", "implementation", "configuration"),
)
KEYS = (
    *("kind", "operation", "measure", "part", "size", *WHOSE),
    *("q1", "median", "q3", "unit", "direction", "launches", "place", "compared"),
    *("long_from", "long_to", "long_lengths", "long_deviation_percent"),
)
DIGITS = {"q1": 4, "median": 4, "q3": 4, "long_deviation_percent": 2}


NAMES = (
    Column("place", "place", number=True, optional=True, exported=False),
    Column("name", "name", whole=True, exported=False),
    Column("short_name", "implementation", exported=False),
    Column("configuration", "configuration", exported=False),
)
MACHINE = Column("where", "machine", exported=False)
QUARTILES = (
    numeric("q1", "25%"),
    numeric("median", "50%"),
    numeric("q3", "75%"),
)
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
    views = chosen_views(curves, operation, choice)
    for _, group in groupby(views, key=lambda view: view.quantity):
        wanted = tuple(group)
        beside = form in SIDE_BY_SIDE and choice.detail is not Detail.EVERYTHING
        for each in (wanted,) if beside else ((view,) for view in wanted):
            found = tables(curves, each, choice)
            yield from (_related(_table(operation, one), one, choice.relative) for one in found)


def _related(shown: Table, table: FigureTable, name: str) -> Table:
    """Add ratios to a primitive's figures on the same machine, behind the figures."""
    if not name:
        return shown
    known = {
        (row.series.source.place, view): each.series.rate
        for row in reversed(table.rows)
        if row.subject.primitive == name
        for view, each in row.at(table.views).items()
    }
    if not known:
        return replace(shown, notes=(*shown.notes, UNRELATED.format(name)))
    rows = []
    for row, line in zip(table.rows, shown.rows, strict=True):
        of = {view: known.get((row.series.source.place, view)) for view in table.views}
        ratios = {f"ratio/{view.size}": each.series.rate / by
                  for view, each in row.at(table.views).items() if (by := of[view])}  # fmt: skip
        rows.append(replace(line, values={**line.values, **ratios}))
    many = len(table.views) > 1
    columns = tuple(
        Column(
            *(f"ratio/{one.size}", f"x {one.size}" if many else "ratio"),
            number=True, text=figure_text, digits=4,
        )
        for one in table.views
    )  # fmt: skip
    notes = (*shown.notes, RELATED.format(name))
    at = len(columns) if many else len(QUARTILES)
    columns = (*shown.columns[:at], *columns, *shown.columns[at:])
    return replace(shown, columns=columns, rows=tuple(rows), notes=notes)


def _table(operation: str, table: FigureTable) -> Table:
    """Show quartiles, or the medians of all sizes, name, implementation and configuration."""
    view, places, many = table.view, table.places, len(table.views) > 1
    what = f"{view.quantity.text(view.part)}, medians" if many else view.text
    where = "" if len(places) > 1 else f"; {' '.join(places[0])}"
    sizes = tuple(numeric(f"median/{one.size}", str(one.size)) for one in table.views)
    machine = (MACHINE,) if len(places) > 1 else ()
    return Table(
        f"{operation}, {what}{where}",
        table.unit_text,
        (*(sizes if many else QUARTILES), *NAMES, *machine, *EXPORTED),
        tuple(_line(*each, table) for each in zip(table.rows, table.ranking.places, strict=True)),
        _notes(table),
        facts={
            "kind": PackageKind.OPERATION.value,
            "operation": operation,
            "measure": view.quantity.key,
            "part": view.part.value,
            "size": view.size,
        },
        groups=LEAGUE_TEXTS,
        charted="" if many else "median",
        lead=_lead(operation, table),
    )


def _lead(operation: str, table: FigureTable) -> str:
    """Answer for the first league, and for what is shown first of an operation."""
    view, places, of = table.view, table.places, f"{operation}/"
    entered = [(row, replace(one, name=one.name.removeprefix(of)), place)
               for row, place in zip(table.rows, table.ranking.settled, strict=True)
               if (one := row.entrant)]  # fmt: skip
    if view.quantity != quantities(operation)[0] or not entered:
        return ""
    league = entered[0][0].subject.league
    first = tuple(takewhile(lambda each: each[0].subject.league == league, entered))
    if len(places) > 1:
        best = {row.series.machine: one for row, one, _ in reversed(first)}
        shown = (
            (machine, one.name, one.figure, True)
            for machine, one in sorted(best.items(), key=lambda item: natural(item[0]))
        )
        said = winners(shown, table.unit_text)
        return f"{operation}, {view.text}: {said}" if said else ""
    settled = Ranking(settled=tuple(place for *_, place in first))
    said = lead([one for _, one, _ in first], settled, table.unit_text)
    return f"{operation}, {view.text}, on {places[0][0]}: {said}" if said else ""


def _notes(table: FigureTable) -> tuple[str, ...]:
    """State which size decided, what marks mean, and what the places are."""
    ranking = table.ranking
    if len(table.views) == 1:
        return (*_marked(table.rows), *ranking.notes)
    size = table.view.size_text
    shown = [one for row in table.rows for one in row.at(table.views).values()]
    return (
        *((f"The implementation is the best one for {size}.",) if table.view.size != LONG else ()),
        *_marked(shown),
        *((f"Places are those for {size}.",) if any(ranking.places) else ()),
        *ranking.notes,
    )


def _marked(rows: Sequence[Figure]) -> Iterator[str]:
    """State below a table what the marks mean, and what `long` rests on."""
    if any(not row.series.compared for row in rows):
        yield UNCOMPARED_NOTE
    if any(MARK in row.name.removesuffix(row.subject.primitive) for row in rows):
        yield LEAGUE_NOTE
    if guessed := [row.subject.name for row in rows if row.series.estimated]:
        yield ESTIMATED_NOTE.format(listed_names(guessed))
    fits = [row.fit for row in rows if row.fit]
    if fits:
        spans = sorted({f"{fit.first}..{fit.last}" for fit in fits})
        judged = [fit.deviation_percent for fit in fits if fit.deviation_percent is not None]
        worst = f"; medians within {max(judged):.1f} % of it" if judged else ""
        yield (
            f"long: slope of a line through the lengths {', '.join(spans)}{worst}. "
            "How eBACS extrapolates is not published."
        )


def _line(row: Figure, rank: Rank | None, table: FigureTable) -> TableRow:
    """Describe one row: who it is, and its quartiles or its medians at all sizes."""
    one, fit = row.series, row.fit
    values: dict[str, object] = {
        **whose(one.source, subject_of(one)),
        "place": rank,
        "name": row.name,
        "where": " ".join(one.source.place),
    }
    if len(table.views) > 1:
        across = row.at(table.views)
        values |= {f"median/{view.size}": None for view in table.views}
        values |= {f"median/{view.size}": one.series.rate for view, one in across.items()}
    else:
        values |= {
            "q1": one.q1 / one.work,
            "median": one.rate,
            "q3": one.q3 / one.work,
            "launches": one.launches,
            "compared": one.compared,
            "long_from": fit and fit.first,
            "long_to": fit and fit.last,
            "long_lengths": fit and fit.lengths,
            "long_deviation_percent": fit and fit.deviation_percent,
        }
    return TableRow(values, group=one.subject.league)


def whose(source: Source, subject: Subject) -> dict[str, object]:
    """Describe whose result a row has, by the keys that programs read, and in short."""
    return {
        "machine": source.machine,
        "abi": source.abi,
        "version": source.version,
        "date": source.date,
        "primitive": subject.primitive,
        "league": subject.league,
        "implementation": subject.implementation,
        "configuration": subject.compiler,
        "short_name": subject.short_name,
    }

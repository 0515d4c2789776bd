# SPDX-License-Identifier: MIT
"""The tables of what is measured cell by cell: a row for each cell at one choice of sizes."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from assay.grouped import grouped
from assay.model.work import measured_sizes
from assay.report.cell_exports import described
from assay.report.kinds import CellKind, RankedTable, tables
from assay.report.leads import lead
from assay.report.table import (
    CellLook,
    Column,
    Note,
    Report,
    Style,
    Table,
    TableRow,
    values_of,
)
from assay.report.verdicts import Standing, standing
from assay.stats.places import Place
from assay.summary.cells import Results
from assay.summary.rows import Detail, Row, chosen_rows

WORDS = {"fail": "FAILED", "broken": "FAILED"}
STYLES = {"pass": Style.PASS, "open": Style.OPEN, "fail": Style.FAIL, "broken": Style.FAIL}
LEFT_OUT = (
    "One row per primitive: its fastest sound implementation at its largest sizes. "
    "--packages shows every package and size, --all every configuration."
)
NOTHING = Note("Nothing has been measured yet.", Style.PLAIN)
NAMED = {
    "package": "package.selector",
    "variant": "cell.variant",
    "tag": "configuration.tag",
    "role": "package.role.value",
}


def verdict_style(state: str) -> Style:
    """Return the style of a verdict."""
    return STYLES.get(state, Style.UNKNOWN)


class CellLine(Struct, frozen=True):
    """What a line shows: a row with its place, the name of its primitive, and how it stands."""

    row: Row
    place: Place | None
    name: str
    state: Standing


def shown(kind: CellKind) -> tuple[Column, ...]:
    """Return the columns of a kind."""
    return (
        Column("place", "Place", number=True, look=CellLook.COUNT),
        Column("primitive", "Primitive",
               of=lambda one: f"{one.name}{' (benchmark)' if one.row.benchmark else ''}"),
        Column("verdict", "Verdict", text=lambda one: WORDS.get(one, one), of="state.state",
               style=lambda row: verdict_style(row["verdict"])),
        *kind.sizes,
        *(one.column for one in kind.metrics),
        Column("launches", "n", number=True, optional=True, spare=14, look=CellLook.COUNT,
               of="row.launches"),
        Column("implementation", "Variant", optional=True, spare=15,
               of=lambda one: f"{one.row.result.package.label}/{one.row.result.cell.variant}"),
        Column("configuration", "Compiler", optional=True, spare=10,
               of="row.result.configuration.name"),
        Column("profile", "Profile", optional=True, spare=2, of="row.result.subject.profile"),
        Column("stack", "Stack", number=True, optional=True, spare=1, look=CellLook.COUNT,
               of=lambda one: measured_sizes(one.row.result.checks).get("stack")),
        Column("remarks", "Remarks", optional=True, spare=1,
               of=lambda one: "; ".join(one.state.remarks)),
        *(Column(key, of=f"row.result.{part}") for key, part in NAMED.items()),
        *(Column(key, of=None) for key in ("kind", "target", "unit", "direction")),
        # What a chart shows besides.
        Column("name", exported=False),
        Column("q1", exported=False, of=lambda one: one.row.rate and one.row.rate.quartiles[0]),
        Column("q3", exported=False, of=lambda one: one.row.rate and one.row.rate.quartiles[1]),
    )  # fmt: skip


def cell_report(
    results: Results, detail: Detail = Detail.PRIMITIVES, form: str = "terminal"
) -> Report:
    """Make the tables of all targets; rows that failed stand below those that did not."""
    programs = form in {"csv", "json"}
    if not programs and len({one.package.primitive for one in results.cells}) == 1:
        # A row alone would not say against what it is the best.
        detail = Detail.PACKAGES if detail is Detail.PRIMITIVES else detail
    rows = chosen_rows(results.cells, detail)
    ranked = tuple(tables(rows))
    return Report(
        tuple(map(ranking, ranked)),
        () if ranked else (NOTHING,),
        tuple(_below(results, ranked, rows, detail)),
        described(results) if form == "json" else {},
    )


def ranking(table: RankedTable) -> Table:
    """Make the table of one target."""
    kind, columns = table.kind, shown(table.kind)
    where = "" if table.target == "native" else table.target
    title = ", ".join(filter(None, (kind.name.capitalize(), where)))
    lines = (CellLine(row, place, table.name(row), standing(row.result))
             for row, place in table.ranked)  # fmt: skip
    rows = tuple(
        TableRow(values_of(one, columns), Style.FAIL if one.row.result.failed else Style.PLAIN)
        for one in lines
    )
    facts = {"target": table.target, "kind": kind.kind.value}
    unit, charted = kind.units.format(clock=table.clock), kind.metrics[0].key
    first = next((row.rate for row in table.rows if row.rate), None)
    entrants = [row.entrant for row in table.rows]
    said = lead(entrants, table.ranking, first.rate_unit) if first else ""
    answer = f"{title}: {said}" if said else ""
    return Table(title, unit, columns, rows, facts=facts, charted=charted, lead=answer)


def _below(
    results: Results, ranked: Sequence[RankedTable], rows: Sequence[Row], detail: Detail
) -> Iterable[Note]:
    """Describe what a place is, what is not shown, and why rows did not pass."""
    every = chosen_rows(results.cells, Detail.EVERYTHING)
    yield from map(Note, dict.fromkeys(note for table in ranked for note in table.notes))
    if rows and len(rows) < len(every) and detail is Detail.PRIMITIVES:
        yield Note(LEFT_OUT)
    for result in {row.result.cell: row.result for row in rows}.values():
        state = standing(result)
        if state.reasons:
            name = f"{result.package.selector}, {result.configuration.name}"
            yield _explained(name, WORDS.get(state.state, state.state), state)
    seen = {row.result.package.selector for row in every}
    for name, state in _excluded(results):
        if name not in seen:
            yield _explained(name, state.text, state)
    yield from (Note(f"Weak jail: {jail}", Style.FAIL) for jail in results.weak_jails)


def _excluded(results: Results) -> list[tuple[str, Standing]]:
    """Name the packages without any cell that both ran and did not fail, each with why.

    Of a package's cells the worst one is named.
    """
    found = [
        (one.selector, Standing("broken", "not loaded", (one.reason,))) for one in results.broken
    ]
    for cells in grouped((cell.package.place, cell) for cell in results.cells).values():
        if any(cell.figures and not cell.failed for cell in cells):
            continue
        worst = min(cells, key=lambda cell: (not cell.failed, not cell.build.ok))
        state = standing(worst)
        if not worst.failed:
            state = Standing(
                state.state, f"{state.text}, not measured", ("no launch counted yet",)
            )
        found.append((worst.package.selector, state))
    return sorted(found, key=lambda each: each[0])


def _explained(name: str, verdict: str, state: Standing) -> Note:
    text = f"{name}: {verdict}: {'; '.join(state.reasons)}"
    return Note(text, verdict_style(state.state))

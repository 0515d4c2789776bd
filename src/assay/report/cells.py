# SPDX-License-Identifier: MIT
"""The tables of what is measured cell by cell: a row for each cell at one choice of sizes."""

from collections.abc import Iterable, Sequence
from typing import Any

from assay.model.work import measured_sizes
from assay.report.cell_exports import document, lines_of, named
from assay.report.kinds import CellKind, RankedTable, tables
from assay.report.leads import lead
from assay.report.table import CellLook, Column, Note, Report, Style, Table, TableRow
from assay.report.verdicts import Standing, standing
from assay.stats.grouped import grouped
from assay.stats.places import Place
from assay.summary.cells import Results
from assay.summary.rows import LONG, Detail, Row, chosen_rows

WORDS = {"fail": "FAILED", "broken": "FAILED"}
STYLES = {"pass": Style.PASS, "open": Style.OPEN, "fail": Style.FAIL, "broken": Style.FAIL}
LEFT_OUT = (
    "One row per primitive: its fastest sound implementation at its largest sizes. "
    "--packages shows every package and size, --all every configuration."
)
NOTHING = Note("Nothing has been measured yet.", Style.PLAIN)
PLACE = Column("place", "Place", number=True, look=CellLook.COUNT)


def verdict_style(state: str) -> Style:
    """Return the style of a verdict."""
    return STYLES.get(state, Style.UNKNOWN)


def shown(kind: CellKind) -> tuple[Column, ...]:
    """Return the columns of a kind."""
    return (
        PLACE,
        Column("primitive", "Primitive"),
        Column("verdict", "Verdict", text=lambda one: WORDS.get(one, one),
               style=lambda row: verdict_style(row["verdict"])),
        *kind.sizes,
        *(one.column for one in kind.metrics),
        Column("launches", "n", number=True, optional=True, spare=14, look=CellLook.COUNT),
        Column("implementation", "Variant", optional=True, spare=15),
        Column("configuration", "Compiler", optional=True, spare=10),
        Column("profile", "Profile", optional=True, spare=2),
        Column("stack", "Stack", number=True, optional=True, spare=1, look=CellLook.COUNT),
        Column("remarks", "Remarks", optional=True, spare=1),
        *map(Column, ("kind", "package", "target", "variant", "tag", "role")),
    )  # fmt: skip


def cell_report(
    results: Results, detail: Detail = Detail.PRIMITIVES, form: str = "terminal"
) -> Report:
    """Make the tables of all targets; rows that failed stand below those that did not.

    As CSV there is one line for each figure, quartiles included.
    """
    if form == "csv":
        more = detail if detail is Detail.EVERYTHING else Detail.PACKAGES
        return Report((lines_of(chosen_rows(results.cells, more)),))
    if form != "json" and len({one.package.primitive for one in results.cells}) == 1:
        # A row alone would not say against what it is the best.
        detail = Detail.PACKAGES if detail is Detail.PRIMITIVES else detail
    rows = chosen_rows(results.cells, detail)
    ranked = tuple(tables(rows))
    facts = document(results.cells, results.machine, results.launches) if form == "json" else {}
    return Report(
        tuple(map(ranking, ranked)),
        () if ranked else (NOTHING,),
        tuple(_below(results, ranked, rows, detail)),
        facts,
    )


def ranking(table: RankedTable) -> Table:
    """Make the table of one target."""
    kind = table.kind
    where = "" if table.target == "native" else table.target
    title = ", ".join(filter(None, (kind.name.capitalize(), where)))
    rows = tuple(
        TableRow(values(table, row, place), Style.FAIL if row.result.failed else Style.PLAIN)
        for row, place in table.ranked
    )
    facts = {"target": table.target, "kind": kind.kind.value}
    unit, charted = kind.units.format(clock=table.clock), kind.metrics[0].key
    first = next((row.rate for row in table.rows if row.rate), None)
    entrants = [row.entrant for row in table.rows]
    said = lead(entrants, table.ranking, first.rate_unit) if first else ""
    answer = f"{title}: {said}" if said else ""
    return Table(title, unit, shown(kind), rows, facts=facts, charted=charted, lead=answer)


def values(table: RankedTable, row: Row, place: Place | None) -> dict[str, Any]:
    """Return what a row shows, by the keys of columns."""
    result, sizes = row.result, row.sizes
    name = table.name(row)
    state = standing(result)
    long, quartiles = row.beginning(LONG), row.rate.quartiles if row.rate else (None, None)
    return {
        "place": place,
        "name": name,
        **dict(zip(("q1", "q3"), quartiles, strict=True)),
        "primitive": f"{name}{' (benchmark)' if row.benchmark else ''}",
        "verdict": state.state,
        "key_bits": sizes.key_bits,
        "iv_bits": sizes.iv_bits,
        "mac_bits": sizes.mac_bits,
        "digest_bits": long and int(long.measure.removeprefix(LONG)),
        **{one.key: one.value(row) for one in table.kind.metrics},
        "launches": row.launches,
        "implementation": f"{result.package.label}/{result.cell.variant}",
        **named(result),
        "profile": result.subject.profile if result.subject else None,
        "stack": measured_sizes(result.checks).get("stack"),
        "remarks": "; ".join(state.remarks),
    }


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

# SPDX-License-Identifier: MIT
"""The table of hashes: a long message per byte, and a short one as a whole."""

from assay.model import CellResult, Figure, PackageKind
from assay.report.ciphers import CHOOSE, STYLES, WORDS, Detail
from assay.report.table import Column, Note, Report, Style, Table, TableRow, decimals
from assay.report.verdicts import standing
from assay.report.views import RankedTable, tables
from assay.summary.cells import Results
from assay.summary.rows import LONG, SHORT, Row
from assay.summary.unit import Unit

TITLE = "Hashes"


def _number(key: str, heading: str, digits: int) -> Column:
    return Column(key, heading, True, decimals(digits))


SHOWN = (
    Column("place", "Place", number=True),
    Column("primitive", "Primitive"),
    Column("verdict", "Verdict", text=lambda state: WORDS.get(state, state)),
    Column("digest_bits", "Digest", number=True),
    _number("long", "Long", 2),
    _number("short", "32 bytes", 0),
    Column("launches", "n", number=True, spare=4),
    Column("implementation", "Implementation", optional=True, spare=3),
    Column("configuration", "Compiler", optional=True, spare=2),
    Column("remarks", "Remarks", optional=True, spare=1),
    *map(Column, ("package", "target", "tag", "long_q1", "long_q3", "short_q1", "short_q3")),
)


def hash_report(results: Results, detail: Detail = Detail.PRIMITIVES) -> Report:
    """Make the tables of all targets; rows that failed stand below those that did not."""
    rows = sorted(CHOOSE[detail](results.cells), key=lambda row: row.result.failed)
    shown = tables(rows)
    notes = dict.fromkeys(note for table in shown for note in table.notes)
    failed = {row.result.cell: row.result for row in rows if row.result.failed}
    reasons = [_explained(one) for one in (*failed.values(), *_without_rows(results, rows))]
    return Report(tuple(map(ranking, shown)), (), (*map(Note, notes), *dict.fromkeys(reasons)))


def ranking(table: RankedTable) -> Table:
    """Make the table of one target."""
    clock = table.unit.clock
    title = TITLE if table.target == "native" else f"{TITLE}, {table.target}"
    unit = f"long: {clock}/byte; 32 bytes: {clock}/hash"
    rows = tuple(_line(table, row) for row in table.rows)
    return Table(
        title, unit, SHOWN, rows, facts={"target": table.target, "kind": PackageKind.HASH.value}
    )


def _line(table: RankedTable, row: Row) -> TableRow:
    """Write one row."""
    result, state = row.result, standing(row.result)
    found: dict[str, float | None] = {}
    for name, beginning in (("long", LONG), ("short", SHORT)):
        figure = row.beginning(beginning)
        for part, value in _parts(table.unit, figure).items():
            found[f"{name}{part}"] = value
    long = row.beginning(LONG)
    values = {
        "place": table.place(row),
        "primitive": result.package.primitive,
        "verdict": state.state,
        "digest_bits": long.measure.removeprefix(LONG) if long else None,
        **found,
        "launches": row.launches,
        "implementation": result.package.label,
        "configuration": result.configuration.name,
        "remarks": "; ".join(state.remarks),
        "package": result.package.selector,
        "tag": result.configuration.tag,
    }
    return TableRow(values, Style.FAIL if result.failed else Style.PLAIN)


def _parts(unit: Unit, figure: Figure | None) -> dict[str, float | None]:
    """Return median and quartiles."""
    if figure is None:
        return {"": None, "_q1": None, "_q3": None}
    return {
        "": unit.value(figure),
        "_q1": unit.value(figure, figure.q1),
        "_q3": unit.value(figure, figure.q3),
    }


def _without_rows(results: Results, rows: list[Row]) -> list[CellResult]:
    """Return a cell of each package that failed and was not measured."""
    seen = {row.result.package.selector for row in rows}
    found = {
        one.package.selector: one
        for one in results.cells
        if one.failed and one.package.selector not in seen
    }
    return list(found.values())


def _explained(result: CellResult) -> Note:
    """Return a note on why a cell did not pass."""
    state = standing(result)
    verdict = WORDS.get(state.state, state.state)
    name = f"{result.package.selector}, {result.configuration.name}"
    text = f"{name}: {verdict}: {'; '.join(state.reasons)}"
    return Note(text, STYLES.get(state.state, Style.UNKNOWN))

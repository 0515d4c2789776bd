# SPDX-License-Identifier: MIT
"""The HOWTO's table: stream ciphers, a row for each cell at one choice of sizes."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from assay.model import StreamSubject
from assay.report.cipher_facts import document
from assay.report.cipher_lines import lines_of
from assay.report.table import Column, Note, Report, Style, Table, TableRow, decimals
from assay.report.verdicts import Standing, standing
from assay.report.views import Excluded, RankedTable, excluded, tables
from assay.summary.cells import Results
from assay.summary.rows import COLUMNS, Row, all_rows, best_rows, leading_rows

WORDS = {"fail": "FAILED", "broken": "FAILED"}
STYLES = {"pass": Style.PASS, "open": Style.OPEN, "fail": Style.FAIL, "broken": Style.FAIL}
# Which figures a narrow terminal leaves out, in which order.
SPARE = {
    "agility": 3,
    "packet/1500": 4,
    "packet/576": 5,
    "setup/iv": 6,
    "setup/key": 7,
    "imix": 9,
    "packet/40": 11,
}


class Detail(StrEnum):
    """How much a table shows."""

    PRIMITIVES = "primitives"
    PACKAGES = "packages"
    EVERYTHING = "everything"


CHOOSE = {
    Detail.PRIMITIVES: leading_rows,
    Detail.PACKAGES: best_rows,
    Detail.EVERYTHING: all_rows,
}
LEFT_OUT = (
    "One row per primitive: its fastest sound implementation at its largest sizes. "
    "--packages shows every package and size, --all every configuration."
)


def _number(key: str, heading: str, spare: int = 0) -> Column:
    return Column(key, heading, number=True, optional=bool(spare), spare=spare)


def _verdict_style(values: Mapping[str, Any]) -> Style:
    return STYLES.get(values["verdict"], Style.UNKNOWN)


SHOWN = (
    _number("place", "Place"),
    Column("primitive", "Primitive"),
    Column("verdict", "Verdict", text=lambda state: WORDS.get(state, state), style=_verdict_style),
    _number("key_bits", "Key", 13),
    _number("iv_bits", "IV", 12),
    _number("mac_bits", "MAC", 8),
    *(
        Column(
            measure, heading, True, decimals(2),
            optional=measure in SPARE, spare=SPARE.get(measure, 0),
        )
        for heading, measure in COLUMNS.items()
    ),
    _number("launches", "n", 14),
    Column("implementation", "Variant", optional=True, spare=15),
    Column("configuration", "Compiler", optional=True, spare=10),
    Column("profile", "Profile", optional=True, spare=2),
    Column("remarks", "Remarks", optional=True, spare=1),
    *map(Column, ("package", "target", "variant", "tag", "role")),
)  # fmt: skip


def cipher_report(
    results: Results, detail: Detail = Detail.PRIMITIVES, form: str = "terminal"
) -> Report:
    """Make the tables of all targets; rows that failed stand below those that did not.

    As CSV there is one line for each figure, quartiles included.
    """
    if form == "csv":
        chosen = CHOOSE[detail if detail is Detail.EVERYTHING else Detail.PACKAGES]
        return Report((lines_of(chosen(results.cells)),))
    rows = sorted(CHOOSE[detail](results.cells), key=lambda row: row.result.failed)
    shown = tables(rows)
    facts = document(results.cells, results.machine, results.launches) if form == "json" else {}
    return Report(
        tuple(map(ranking, shown)),
        () if shown else (Note("Nothing has been measured yet.", Style.PLAIN),),
        tuple(_below(results, shown, rows, detail)),
        facts,
    )


def ranking(table: RankedTable) -> Table:
    """Make the table of one target."""
    unit = f"{table.unit.text}, setups {table.unit.setup_text}"
    title = "" if table.target == "native" else table.target
    rows = tuple(_line(table, row) for row in table.rows)
    return Table(title, unit, SHOWN, rows, facts={"target": table.target})


def _line(table: RankedTable, row: Row) -> TableRow:
    """Write one row."""
    result, sizes = row.result, row.sizes
    subject = result.subject if isinstance(result.subject, StreamSubject) else None
    name = subject.name if subject else result.package.primitive
    state = standing(result)
    values = {
        "place": table.place(row),
        "primitive": f"{name}{' (benchmark)' if row.benchmark else ''}",
        "verdict": state.state,
        "key_bits": sizes.key_bits,
        "iv_bits": sizes.iv_bits,
        "mac_bits": sizes.mac_bits,
        **row.values(table.unit),
        "launches": row.launches,
        "implementation": f"{result.package.label}/{result.cell.variant}",
        "configuration": result.configuration.name,
        "profile": subject.profile if subject else None,
        "remarks": "; ".join(state.remarks),
        "package": result.package.selector,
        "variant": result.cell.variant,
        "tag": result.configuration.tag,
        "role": result.package.role.value,
    }
    return TableRow(values, Style.FAIL if result.failed else Style.PLAIN)


def _below(
    results: Results, shown: Sequence[RankedTable], rows: Sequence[Row], detail: Detail
) -> Iterable[Note]:
    """Describe what a place is, what is not shown, and why rows did not pass."""
    every = all_rows(results.cells)
    yield from map(Note, dict.fromkeys(note for table in shown for note in table.notes))
    if rows and len(rows) < len(every) and detail is Detail.PRIMITIVES:
        yield Note(LEFT_OUT)
    for result in {row.result.cell: row.result for row in rows}.values():
        state = standing(result)
        if state.reasons:
            name = f"{result.package.selector}, {result.configuration.name}"
            yield _explained(name, WORDS.get(state.state, state.state), state)
    seen = {row.result.package.selector for row in every}
    yield from map(_without_rows, (one for one in excluded(results) if one.selector not in seen))
    yield from (Note(f"Weak jail: {jail}", Style.FAIL) for jail in results.weak_jails)


def _without_rows(one: Excluded) -> Note:
    """Explain why a package has no row."""
    return _explained(one.selector, one.standing.text, one.standing)


def _explained(name: str, verdict: str, state: Standing) -> Note:
    text = f"{name}: {verdict}: {'; '.join(state.reasons)}"
    return Note(text, STYLES.get(state.state, Style.UNKNOWN))

# SPDX-License-Identifier: MIT
"""The HOWTO's table for the terminal."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.model import Direction, StreamSubject
from assay.report.columns import fitting
from assay.report.printable import printable
from assay.report.verdicts import standing
from assay.report.views import Excluded, Table, excluded, tables
from assay.summary.cells import Results
from assay.summary.ranks import place_text
from assay.summary.rows import COLUMNS, Row, all_rows, best_rows, leading_rows

NUMBERS = frozenset({"Place", "Key", "IV", "MAC", *COLUMNS, "n"})
HEADINGS = (
    *("Place", "Primitive", "Verdict", "Key", "IV", "MAC", *COLUMNS),
    *("n", "Variant", "Compiler", "Profile", "Remarks"),
)
# What a narrow terminal leaves out, the first ones first.
DISPENSABLE = (
    *("Remarks", "Profile", "Agility", "1500 bytes", "576 bytes", "IV setup", "Key setup"),
    *("MAC", "Imix", "Compiler", "40 bytes", "IV", "Key", "n", "Variant"),
)
STYLES = {"pass": "green", "open": "yellow", "fail": "bold red", "broken": "bold red"}


WORDS = {"fail": "FAILED", "broken": "FAILED"}


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


def overview(
    results: Results, console: Console, detail: Detail = Detail.PRIMITIVES
) -> RenderableType:
    """Lay out the tables of all targets in as many columns as the console has room for.

    Rows that failed stand below those that did not, however fast they are.
    """
    rows = sorted(CHOOSE[detail](results.cells), key=lambda row: row.result.failed)
    shown = tables(rows)
    grids = [_Lines(table, console) for table in shown]
    parts: list[RenderableType] = [each.grid for each in grids]
    if not parts:
        parts.append(Text("Nothing has been measured yet."))
    said = dict.fromkeys(note for table in shown for note in table.notes)
    if rows and len(rows) < len(all_rows(results.cells)) and detail is Detail.PRIMITIVES:
        said[LEFT_OUT] = None
    parts += [Text(note, style="dim") for note in said]
    missing = dict.fromkeys(name for each in grids for name in each.left_out)
    if missing:
        parts.append(Text(f"A wider terminal also shows: {', '.join(missing)}.", style="dim"))
    parts += _explained(rows)
    seen = {row.result.package.selector for row in all_rows(results.cells)}
    parts += _left_out(each for each in excluded(results) if each.selector not in seen)
    parts += [Text(f"Weak jail: {jail}", style="bold red") for jail in results.weak_jails]
    return Group(*parts)


class _Lines:
    """The rows of one target, laid out for a console."""

    def __init__(self, table: Table, console: Console) -> None:
        """Choose the columns that fit; those that say nothing are not missed."""
        self._table = table
        self._rows = [(row, _cells(table, row)) for row in table.rows]
        telling = tuple(
            name
            for name in HEADINGS
            if name not in DISPENSABLE or any(cells[name].plain != "-" for _, cells in self._rows)
        )
        kept = fitting(console, telling, DISPENSABLE, self._grid)
        self.left_out = tuple(name for name in telling if name not in kept)
        self.grid = self._grid(kept)

    def _grid(self, headings: Iterable[str]) -> Grid:
        """Lay out these columns."""
        unit = self._table.unit
        title = f"{unit.text}, setups {unit.setup_text}; {Direction.LOWER.value}"
        if self._table.target != "native":
            title = f"{self._table.target}: {title}"
        grid = Grid(
            title=title, title_justify="left", title_style="bold", box=None, pad_edge=False
        )
        for heading in (names := tuple(headings)):
            right = heading in NUMBERS
            grid.add_column(heading, justify="right" if right else "left", no_wrap=right)
        for row, cells in self._rows:
            style = "red" if row.result.failed else ""
            grid.add_row(*(cells[heading] for heading in names), style=style)
        return grid


def _cells(table: Table, row: Row) -> Mapping[str, Text]:
    """Write one row: plain text throughout, since names are the packages' own."""
    result, sizes = row.result, row.sizes
    subject = result.subject if isinstance(result.subject, StreamSubject) else None
    name = subject.name if subject else result.package.primitive
    mark = " (benchmark)" if row.benchmark else ""
    values = row.values(table.unit)
    texts = {
        "Place": place_text(table.place(row)),
        "Primitive": f"{printable(name)}{mark}",
        "Key": str(sizes.key_bits),
        "IV": str(sizes.iv_bits),
        "MAC": "-" if sizes.mac_bits is None else str(sizes.mac_bits),
        **{
            heading: "-" if values[measure] is None else f"{values[measure]:.2f}"
            for heading, measure in COLUMNS.items()
        },
        "n": str(row.launches),
        "Variant": f"{printable(result.package.label)}/{result.cell.variant}",
        "Compiler": result.configuration.name,
        "Profile": printable((subject.profile if subject else None) or "-"),
        "Remarks": "; ".join(standing(result).remarks) or "-",
    }
    return {heading: Text(text) for heading, text in texts.items()} | {"Verdict": _verdict(row)}


def _verdict(row: Row) -> Text:
    """Say in a word whether the row passed; why not stands below the table."""
    state = standing(row.result).state
    return Text(WORDS.get(state, state), style=STYLES.get(state, "dim"))


def _explained(rows: Iterable[Row]) -> list[Text]:
    """Say of each row that did not pass which checks failed or are open."""
    cells = {row.result.cell: row.result for row in rows}
    states = ((result, standing(result)) for result in cells.values())
    return [
        Text(
            f"{printable(result.package.selector)}, {result.configuration.name}: "
            f"{WORDS.get(state.state, state.state)}: {printable('; '.join(state.reasons))}",
            style=STYLES.get(state.state, "dim"),
        )
        for result, state in states
        if state.reasons
    ]


def _left_out(packages: Iterable[Excluded]) -> list[Text]:
    """Name the packages that have no row, with the reason."""
    return [
        Text(
            f"{printable(each.selector)}: {each.standing.text}: "
            f"{printable('; '.join(each.standing.reasons))}",
            style=STYLES.get(each.standing.state, "dim"),
        )
        for each in packages
    ]

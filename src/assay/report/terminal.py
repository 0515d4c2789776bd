# SPDX-License-Identifier: MIT
"""The HOWTO's table for the terminal."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.model import Direction
from assay.report.rows import COLUMNS, Row, all_rows, best_rows
from assay.report.summary import Results
from assay.report.unit import Unit
from assay.report.verdicts import standing
from assay.report.views import Excluded, Table, excluded, tables

STYLES = {"pass": "green", "fail": "bold red", "broken": "bold red"}


def overview(results: Results, *, everything: bool = False) -> RenderableType:
    """Lay out the best configuration per package and size, or all of them."""
    rows = all_rows(results.cells) if everything else best_rows(results.cells)
    parts: list[RenderableType] = [_grid(table) for table in tables(rows)]
    if not parts:
        parts.append(Text("Nothing has been measured yet."))
    shown = {row.result.package.selector for row in rows}
    parts += _left_out(each for each in excluded(results) if each.selector not in shown)
    parts += [Text(f"Weak jail: {jail}", style="bold red") for jail in results.weak_jails]
    return Group(*parts)


def _grid(table: Table) -> Grid:
    """Lay out the rows of one target."""
    title = f"{table.unit.text}, setups {table.unit.setup_text}; {Direction.LOWER.value}"
    if table.target != "native":
        title = f"{table.target}: {title}"
    grid = Grid(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("Primitive", "Profile"):
        grid.add_column(heading)
    for heading in ("Key", "IV", "MAC", *COLUMNS):
        grid.add_column(heading, justify="right", no_wrap=True)
    for heading in ("Variant", "Compiler", "Checks"):
        grid.add_column(heading, overflow="fold")
    grid.add_column("n", justify="right")
    for row in table.rows:
        grid.add_row(*_cells(row, table.unit), style="red" if row.result.failed else "")
    return grid


def _cells(row: Row, unit: Unit) -> Sequence[Text]:
    """Write one row: plain text throughout, since names are the packages' own."""
    result, sizes = row.result, row.sizes
    name = result.subject.name if result.subject else result.package.primitive
    mark = " (benchmark)" if row.benchmark else ""
    numbers = ["-" if value is None else f"{value:.2f}" for value in row.values(unit).values()]
    texts = (
        f"{printable(name)}{mark}",
        printable((result.subject.profile if result.subject else None) or "-"),
        *(str(sizes.key_bits), str(sizes.iv_bits)),
        "-" if sizes.mac_bits is None else str(sizes.mac_bits),
        *numbers,
        f"{printable(result.package.implementation)}/{result.cell.variant}",
        result.configuration.tag,
    )
    return (*map(Text, texts), _checks(row), Text(str(row.launches)))


def _checks(row: Row) -> Text:
    """Say how the checks went, and name those that failed."""
    state = standing(row.result)
    failed = ", ".join(check.check for check in row.failures)
    return Text(
        f"FAILED: {failed}" if failed else state.text, style=STYLES.get(state.state, "dim")
    )


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


def printable(text: str) -> str:
    """Replace what could steer the terminal: packages choose their own names."""
    return "".join(char if char.isprintable() else "?" for char in text)

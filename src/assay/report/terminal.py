# SPDX-License-Identifier: MIT
"""The HOWTO's table for the terminal."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.model import Direction, StreamSubject
from assay.report.printable import printable
from assay.report.ranks import place_text
from assay.report.rows import COLUMNS, Row, all_rows, best_rows
from assay.report.summary import Results
from assay.report.verdicts import standing
from assay.report.views import Excluded, Table, excluded, tables

NUMBERS = ("Place", "Key", "IV", "MAC", *COLUMNS, "n")
WIDE = ("Place", "Primitive", "Profile", *NUMBERS[1:-1], "Variant", "Compiler", "Checks", "n")
NARROW = (
    "Place",
    "Primitive",
    "Variant",
    "Key",
    "IV",
    "Stream",
    "40 bytes",
    "Imix",
    "Compiler",
    "n",
)

STYLES = {"pass": "green", "open": "yellow", "fail": "bold red", "broken": "bold red"}


def overview(
    results: Results, *, everything: bool = False, narrow: bool = False
) -> RenderableType:
    """Lay out the best configuration per package and size, or all of them.

    Rows that failed stand below those that did not, however fast they are;
    `narrow` leaves out columns so that the table fits a small terminal.
    """
    rows = list(all_rows(results.cells) if everything else best_rows(results.cells))
    rows.sort(key=lambda row: row.result.failed)
    shown = tables(rows)
    parts: list[RenderableType] = [_grid(table, narrow=narrow) for table in shown]
    if not parts:
        parts.append(Text("Nothing has been measured yet."))
    else:
        said = dict.fromkeys(note for table in shown for note in table.notes)
        parts += [Text(note, style="dim") for note in said]
    if shown and narrow:
        parts.append(Text("A wider terminal shows more columns.", style="dim"))
    seen = {row.result.package.selector for row in rows}
    parts += _left_out(each for each in excluded(results) if each.selector not in seen)
    parts += [Text(f"Weak jail: {jail}", style="bold red") for jail in results.weak_jails]
    return Group(*parts)


def _grid(table: Table, *, narrow: bool) -> Grid:
    """Lay out the rows of one target."""
    title = f"{table.unit.text}, setups {table.unit.setup_text}; {Direction.LOWER.value}"
    if table.target != "native":
        title = f"{table.target}: {title}"
    grid = Grid(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    shown = NARROW if narrow else WIDE
    for heading in shown:
        right = heading in NUMBERS
        grid.add_column(heading, justify="right" if right else "left", no_wrap=right)
    for row in table.rows:
        cells = dict(zip(WIDE, _cells(table, row), strict=True))
        style = "red" if row.result.failed else ""
        if narrow and row.result.failed:
            cells["Compiler"] = cells["Checks"]
        grid.add_row(*(cells[heading] for heading in shown), style=style)
    return grid


def _cells(table: Table, row: Row) -> Sequence[Text]:
    """Write one row: plain text throughout, since names are the packages' own."""
    result, sizes = row.result, row.sizes
    subject = result.subject if isinstance(result.subject, StreamSubject) else None
    name = subject.name if subject else result.package.primitive
    mark = " (benchmark)" if row.benchmark else ""
    numbers = [
        "-" if value is None else f"{value:.2f}" for value in row.values(table.unit).values()
    ]
    texts = (
        place_text(table.place(row)),
        f"{printable(name)}{mark}",
        printable((subject.profile if subject else None) or "-"),
        *(str(sizes.key_bits), str(sizes.iv_bits)),
        "-" if sizes.mac_bits is None else str(sizes.mac_bits),
        *numbers,
        f"{printable(result.package.label)}/{result.cell.variant}",
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

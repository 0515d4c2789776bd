# SPDX-License-Identifier: MIT
"""Reads `speed_*` files, Assay's and the original's, into rows of the HOWTO's table."""

import re
from collections.abc import Iterable
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.errors import UsageError
from assay.report.files import STARS
from assay.report.table import CellLook, Column, More, Style, Table, TableRow
from assay.summary.rows import AGILITY, COLUMNS, IV_SETUP, KEY_SETUP, STREAM

PREFIX = "speed_"

# A report line and the column that it sets.
TEXTS = {"Primitive Name": "name", "Profile": "profile"}
SIZES = {"Key size": "key", "IV size": "iv", "MAC size": "mac"}

# A heading starts a section; the rates below it belong to its measure.
HEADINGS = {
    "Testing stream encryption speed": STREAM,
    "Weighted average": "imix",
    "Testing key setup speed": KEY_SETUP,
    "Testing IV setup speed": IV_SETUP,
    "Testing speed of IV setup": IV_SETUP,
    "Testing key agility": AGILITY,
}
PACKET = re.compile(r"Encrypted \d+ packets of (\d+) bytes")
RATE = re.compile(r"(?:Encryption|Key setup|IV setup) speed \((\w+)/(?:byte|setup)\): ([\d.]+)")


# Values of a row by the columns of the table: sizes are bits, rates are by measure.
TextRow = dict[str, Any]


def read_rows(paths: Iterable[Path], base: Path) -> tuple[TextRow, ...]:
    """Read all reports of all files, fastest stream first; links are relative to `base`."""
    found = [row for path in paths for row in read_file(path, base)]
    return tuple(sorted(found, key=lambda row: float(row.get(STREAM, "inf"))))


def text_rows_table(rows: Iterable[TextRow]) -> Table:
    """Make the HOWTO's table of rows read from files."""
    known = tuple(rows)
    clocks = {row["clock"] for row in known}
    clock = clocks.pop() if len(clocks) == 1 else "mixed units: ticks"
    columns = (
        Column("name", "Primitive", text=str, look=CellLook.NAME),
        Column("profile", "Profile", text=str, look=CellLook.PROFILE),
        *(
            Column(key, text, number=True, text=str, look=CellLook.COUNT)
            for key, text in (("key", "Key"), ("iv", "IV"), ("mac", "MAC"))
        ),
        *(Column(key, text, number=True, text=_rate) for text, key in COLUMNS.items()),
        Column("variant", "Variant", text=str, look=CellLook.VARIANT),
        Column(
            "compiler",
            "Compiler",
            text=str,
            look=CellLook.CODE,
            more=lambda values: More(values["link"]),
        ),
    )
    return Table("", f"{clock}/byte, setups {clock}/setup", columns, tuple(map(_line, known)))


def _line(row: TextRow) -> TableRow:
    benchmark = "/benchmarks/" in f"/{row['link']}"
    return TableRow(row, Style.BENCHMARK if benchmark else Style.PLAIN)


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def read_file(path: Path, base: Path) -> tuple[TextRow, ...]:
    """Read all reports of one file; UsageError if it cannot be read or holds none."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "Name files such as speed_1_*.") from error
    rows: list[TextRow] = []
    measure = ""
    # What follows the 79 stars tells how the reports came about (the banner has 80).
    for line in text.partition(f"\n{STARS}\n")[0].splitlines():
        if line.startswith("Primitive Name: "):
            rows.append(_empty(path, base))
            measure = ""
        if rows:
            measure = _read_line(rows[-1], line.strip(), measure)
    if not rows:
        raise UsageError(f"{path} holds no performance report", "Name files such as speed_1_*.")
    return tuple(rows)


def _empty(path: Path, base: Path) -> TextRow:
    """Start a row: what the file's name and place tell."""
    number, _, compiler = path.name.removeprefix(PREFIX).partition("_")
    parent = Path(relpath(path.parent, base)).as_posix()
    variant = number if parent == "." else f"{parent}/{number}"
    named = dict.fromkeys((*TEXTS.values(), *SIZES.values()), "")
    link = quote(Path(relpath(path, base)).as_posix())
    return {**named, "variant": variant, "compiler": compiler or path.name, "link": link,
            "clock": "cycles"}  # fmt: skip


def _read_line(row: TextRow, line: str, measure: str) -> str:
    """Take from a line what it tells; return the measure that the next line belongs to."""
    label, _, value = line.partition(": ")
    if label in TEXTS:
        row[TEXTS[label]] = value.strip()
    if label in SIZES:
        row[SIZES[label]] = value.removesuffix(" bits").strip()
    if packet := PACKET.match(line):
        return f"packet/{packet[1]}"
    if (rate := RATE.match(line)) and measure:
        row |= {"clock": rate[1], measure: float(rate[2])}
    return next((name for text, name in HEADINGS.items() if line.startswith(text)), measure)

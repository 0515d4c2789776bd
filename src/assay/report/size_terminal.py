# SPDX-License-Identifier: MIT
"""The size table for the terminal, and as CSV and JSON."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.report.printable import printable
from assay.report.size_rows import HEADINGS, NONE, NUMBERS, SizeRow

NOTE = (
    "Bytes: all that is loaded, less unwind tables, notes and ABI flags. Long: steps per byte of "
    "8 KiB (AVR: what fits). Short: steps for 32 bytes.\nPublished: bytes, cycles per byte and "
    "cycles for 32 bytes on a real machine: cycles are not instructions. Lower is better; "
    "of the ratio 10^6/(c s), higher."
)
FIELDS = (
    "package", "target", "architecture", "configuration", "bytes", "text", "rodata", "data",
    "bss", "dec", "context", "stack", "unit", "long_bytes", "long_per_byte", "short", "ratio",
    "published_bytes", "published_long_cycles", "published_short_cycles", "passed", "problems",
    "skipped",
)  # fmt: skip


def size_table(rows: Sequence[SizeRow]) -> RenderableType:
    """Lay out the table; what nobody has published takes no column."""
    known = [row for row in rows if not row.footprint.skipped]
    grid = Table(box=None, pad_edge=False, header_style="bold")
    shown = [
        i for i, heading in enumerate(HEADINGS)
        if heading != "Published" or any(row.cells[i] != NONE for row in known)
    ]  # fmt: skip
    for i in shown:
        right = HEADINGS[i] in NUMBERS
        grid.add_column(HEADINGS[i], justify="right" if right else "left", no_wrap=right)
    for row in known:
        wrong = bool(row.footprint.problems) or row.footprint.passed is False
        cells = [printable(row.cells[i]) for i in shown]
        grid.add_row(*cells, style="red" if wrong else "")
    return Group(grid, Text(NOTE, style="dim"), *_skipped(rows))


def _skipped(rows: Sequence[SizeRow]) -> list[Text]:
    """List what was skipped, one line per reason and target."""
    found: dict[str, list[str]] = {}
    for row in rows:
        one = row.footprint
        if one.skipped:
            found.setdefault(f"{one.target.name}: {one.skipped}", []).append(one.selector)
    lines = [f"skipped {key} ({', '.join(names)})" for key, names in found.items()]
    return [Text(line, style="yellow") for line in lines]


def size_csv(rows: Sequence[SizeRow]) -> str:
    """Write one line for each row."""
    sink = io.StringIO()
    writer = csv.DictWriter(sink, FIELDS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        record = _record(row)
        writer.writerow({name: record[name] for name in FIELDS})
    return sink.getvalue()


def size_json(rows: Sequence[SizeRow]) -> str:
    """Write everything known: also sections, functions, and what other options gave."""
    return json.dumps([{**_record(row), **_details(row)} for row in rows], indent=1) + "\n"


def _record(row: SizeRow) -> dict[str, object]:
    one, size, known = row.footprint, row.footprint.size, row.published
    long, short = one.measured("long"), one.measured("short")
    return {
        "package": one.selector,
        "target": one.target.name,
        "architecture": one.target.architecture,
        "configuration": one.configuration.name if one.configuration else None,
        "bytes": size.total_bytes if size else None,
        "text": size.text_bytes if size else None,
        "rodata": size.rodata_bytes if size else None,
        "data": size.data_bytes if size else None,
        "bss": size.bss_bytes if size else None,
        "dec": size.dec_bytes if size else None,
        "context": one.context_bytes,
        "stack": one.stack_bytes,
        "unit": one.steps[0].unit if one.steps else None,
        "long_bytes": long.work_bytes if long else None,
        "long_per_byte": round(long.per_byte, 4) if long else None,
        "short": round(short.amount) if short else None,
        "ratio": round(one.ratio, 2) if one.ratio else None,
        "published_bytes": known.size_bytes if known else None,
        "published_long_cycles": known.long_cycles if known else None,
        "published_short_cycles": known.short_cycles if known else None,
        "passed": one.passed,
        "problems": "; ".join(one.problems),
        "skipped": one.skipped,
    }


def _details(row: SizeRow) -> dict[str, object]:
    one, size = row.footprint, row.footprint.size
    if size is None:
        return {}
    return {
        "sections": [asdict(section) for section in size.sections],
        "functions": dict(size.functions),
        "externals": list(size.externals),
        "steps": [asdict(steps) for steps in one.steps],
        "configurations": dict(one.others),
        "options": one.configuration and f"{one.configuration.arch} {one.configuration.opt}",
    }

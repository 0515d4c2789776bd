# SPDX-License-Identifier: MIT
"""Tables for programs: CSV with a line for each row, JSON in one shape for every kind."""

import csv
import io
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from msgspec.structs import asdict

from assay.model import Direction
from assay.report.printable import printable
from assay.report.table import Report, Table
from assay.stats.places import Place

FORMAT = 1
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # begins one in a spreadsheet


def csv_text(report: Report) -> str:
    """Write the rows of all tables below one line of keys."""
    keys = dict.fromkeys(one.key for table in report.tables for one in table.exported)
    records = ({**table.shared, **table.record(row)}
               for table in report.tables for row in table.rows)  # fmt: skip
    return csv_of((keys, *([record.get(key) for key in keys] for record in records)))


def csv_of(rows: Iterable[Iterable[Any]]) -> str:
    """Write lines, each with its end."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Write a place as text, a list as its items with blanks, and no name as a formula."""
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        return spreadsheet_cell(value)
    if isinstance(value, Place):
        return str(value)
    return " ".join(map(str, value)) if isinstance(value, list) else value


@lru_cache(maxsize=4096)  # most texts of a column are the same
def spreadsheet_cell(text: str) -> str:
    """Keep a hostile name from being a formula in a spreadsheet, or steering a terminal."""
    text = printable(text)
    return f"'{text}" if text.startswith(FORMULA) else text


def json_text(report: Report) -> str:
    """Write the report as a JSON document, keys in a fixed order."""
    document = {
        "format": FORMAT,
        "direction": Direction.LOWER.value,
        **({"origin": report.origin} if report.origin else {}),
        **report.facts,
        "tables": [_table(table) for table in report.tables],
        "notes": [note.text for note in (*report.above, *report.below)],
    }
    return json.dumps(document, indent=1, default=_plain) + "\n"


def _table(table: Table) -> dict[str, Any]:
    """Describe a table: what all rows share, headings by the keys of columns, rows."""
    keys = {one.key for one in table.exported}
    return {
        "title": table.title,
        **table.facts,
        "unit": table.unit,
        "direction": table.direction,
        "columns": {one.key: one.heading for one in table.shown if one.key in keys},
        "rows": [table.record(row) for row in table.rows],
        "notes": list(table.notes),
    }


def _plain(value: Any) -> Any:
    """Write a place as its first and last number, and a record as its fields."""
    return [value.first, value.last] if isinstance(value, Place) else asdict(value)

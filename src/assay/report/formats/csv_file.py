# SPDX-License-Identifier: MIT
"""Tables as CSV: one line per row, what all rows share in every line."""

import csv
import io
from typing import Any

from assay.report.printable import printable
from assay.report.table import Report
from assay.stats.places import Place


def csv_text(report: Report) -> str:
    """Write the rows of all tables below one line of keys."""
    keys = dict.fromkeys(one.key for table in report.tables for one in table.exported)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(keys)
    for table in report.tables:
        for row in table.rows:
            record = {**table.shared, **table.record(row)}
            writer.writerow(_cell(record.get(key)) for key in keys)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Write a place as text, and keep names from being formulas; numbers stay what they are."""
    if isinstance(value, Place):
        return str(value)
    return spreadsheet_cell(value) if isinstance(value, str) else value


def spreadsheet_cell(text: str) -> str:
    """Keep a hostile name from being a formula in a spreadsheet, or steering a terminal."""
    text = printable(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text

# SPDX-License-Identifier: MIT
"""Tables as JSON: one shape for every kind, beside what the kind has of its own."""

import json
from dataclasses import asdict
from typing import Any

from assay.model import Direction
from assay.report.table import Report, Table
from assay.stats.places import Place

FORMAT = 1


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

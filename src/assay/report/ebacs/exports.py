# SPDX-License-Identifier: MIT
"""The tables for other programs: CSV and JSON, every figure with its unit and direction."""

import csv
import io
import json
from collections.abc import Callable, Sequence

from assay.errors import UsageError
from assay.model import Direction
from assay.report.csv_file import spreadsheet_cell
from assay.report.ebacs.latex import latex_text
from assay.report.ebacs.ranking import Row, Table
from assay.report.ebacs.records import Records
from assay.report.ebacs.selection import Choice, chosen_tables
from assay.stats.places import Place as Rank

FORMAT = 1
HEADER = (
    *("operation", "measure", "part", "size", "machine", "abi", "version", "date"),
    *("primitive", "league", "implementation", "configuration"),
    *("q1", "median", "q3", "unit", "direction", "launches", "place", "compared"),
    *("long_from", "long_to", "long_lengths", "long_deviation_percent"),
)


def ebacs_csv(operation: str, tables: Sequence[Table]) -> str:
    """Write one line for each row of each table."""
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADER, lineterminator="\n")
    writer.writeheader()
    for table in tables:
        for row, rank in zip(table.rows, table.ranks, strict=True):
            place = None if rank is None else str(rank)
            record = {"operation": operation, **_head(table), **_record(row), "place": place}
            writer.writerow({name: _plain(record[name]) for name in HEADER})
    return text.getvalue()


def ebacs_json(operation: str, tables: Sequence[Table]) -> str:
    """Write the tables as a JSON document, keys in a fixed order."""
    document = {
        "format": FORMAT,
        "direction": Direction.LOWER.value,
        "operation": operation,
        "tables": [
            {
                **_head(table),
                "rows": [_ranked(*pair) for pair in zip(table.rows, table.ranks, strict=True)],
            }
            for table in tables
        ],
    }
    return json.dumps(document, indent=1) + "\n"


EXPORTERS: dict[str, Callable[[str, Sequence[Table]], str]] = {
    "csv": ebacs_csv,
    "json": ebacs_json,
    "latex": latex_text,
}


def export_operation(
    records: Records, operation: str, form: str, choice: Choice | None = None
) -> str:
    """Write the tables of an operation in the form `csv`, `json` or `latex`.

    Without a choice all sizes of all timed quantities. UsageError for an unknown form.
    """
    if form not in EXPORTERS:
        raise UsageError(f"there is no form {form!r}", f"Choose one of {', '.join(EXPORTERS)}.")
    return EXPORTERS[form](operation, chosen_tables(records, operation, choice or Choice()))


def _head(table: Table) -> dict[str, object]:
    """Describe what all rows of a table have in common."""
    return {
        "measure": table.view.quantity.key,
        "part": table.view.part.value,
        "size": table.view.size,
        "unit": table.unit_text,
        "direction": Direction.LOWER.value,
    }


def _ranked(row: Row, rank: Rank | None) -> dict[str, object]:
    """Describe one row with its first and last place."""
    return {**_record(row), "place": None if rank is None else [rank.first, rank.last]}


def _record(row: Row) -> dict[str, object]:
    """Describe one row."""
    fit = row.fit
    return {
        "machine": row.source.machine,
        "abi": row.source.abi,
        "version": row.source.version,
        "date": row.source.date,
        "primitive": row.subject.primitive,
        "league": row.subject.league,
        "implementation": row.subject.implementation,
        "configuration": row.subject.compiler,
        "q1": round(row.q1, 4),
        "median": round(row.median, 4),
        "q3": round(row.q3, 4),
        "launches": row.launches,
        "compared": row.compared,
        "long_from": fit.first if fit else None,
        "long_to": fit.last if fit else None,
        "long_lengths": fit.lengths if fit else None,
        "long_deviation_percent": _rounded(fit.deviation_percent) if fit else None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _plain(value: object) -> object:
    """Keep names from being formulas; numbers stay what they are."""
    return spreadsheet_cell(value) if isinstance(value, str) else value

# SPDX-License-Identifier: MIT
"""Rows as CSV: one line per cell, size choice and measure, quartiles included."""

import csv
import io
from collections.abc import Iterable

from assay.model import Direction
from assay.report.verdicts import standing
from assay.report.views import tables
from assay.stats.places import Place
from assay.summary.rows import STREAM, Row
from assay.summary.unit import Unit

HEADER = (
    *("package", "primitive", "role", "target", "variant", "configuration", "tag"),
    *("key_bits", "iv_bits", "mac_bits", "measure", "median", "q1", "q3", "launches"),
    *("unit", "direction", "checks", "shared_with", "measured_at", "place"),
)


def csv_text(rows: Iterable[Row]) -> str:
    """Write the rows by target; every line has its unit, cycles only where they are known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for table in tables(rows):
        for row in table.rows:
            writer.writerows(_lines(row, table.place(row)))
    return text.getvalue()


def _lines(row: Row, place: Place | None) -> Iterable[tuple[object, ...]]:
    """Write one line per measure of a row."""
    result, sizes, state = row.result, row.sizes, standing(row.result)
    shared = result.shared_with.configuration if result.shared_with else None
    for figure in row.figures.values():
        unit = Unit.of([figure])
        yield (
            spreadsheet_cell(result.package.selector),
            spreadsheet_cell(result.package.primitive),
            result.package.role.value,
            *(result.cell.target, result.cell.variant, result.cell.configuration),
            result.configuration.tag,
            *(sizes.key_bits, sizes.iv_bits, sizes.mac_bits),
            figure.measure,
            *(unit.value(figure, ticks) for ticks in (figure.median, figure.q1, figure.q3)),
            figure.launches,
            unit.setup_text if figure.work_unit == "setups" else unit.text,
            Direction.LOWER.value,
            "; ".join((state.text, *state.remarks)),
            shared,
            result.measured_at,
            place if figure.measure == STREAM else None,
        )


def spreadsheet_cell(text: str) -> str:
    """Keep a hostile name from being a formula in a spreadsheet."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text

# SPDX-License-Identifier: MIT
"""The page of a size table: the paper's table, four-way charts, and what the bytes are."""

from collections.abc import Sequence
from pathlib import Path

from assay.report import quadrants
from assay.report.html import copy_assets, page_environment, write_page
from assay.report.size_rows import HEADINGS, NUMBERS, SizeRow, unit_of
from assay.report.size_terminal import size_csv, size_json


def write_size_page(folder: Path, rows: Sequence[SizeRow]) -> Path:
    """Write page, CSV and JSON into `folder`, and give the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    copy_assets(folder)
    write_page(folder / "size.csv", size_csv(rows))
    write_page(folder / "size.json", size_json(rows))
    shown = [row for row in rows if not row.footprint.skipped]
    text = page_environment().get_template("size.html.j2")
    page = folder / "index.html"
    write_page(
        page,
        text.render(
            rows=shown,
            skipped=[row for row in rows if row.footprint.skipped],
            headings=HEADINGS,
            numbers=NUMBERS,
            charts=charts(shown),
            geometry=quadrants,
            root="",
        ),
    )
    return page


def charts(rows: Sequence[SizeRow]) -> tuple[quadrants.Chart, ...]:
    """Make a chart for every unit: instructions and cycles are never in one picture."""
    by_unit: dict[str, list[quadrants.Point]] = {}
    for row in rows:
        one = row.footprint
        long = one.measured("long")
        if one.size and long and one.size.total_bytes and long.amount > 0:
            where = "this machine" if one.target.is_native else one.target.runner.value
            label = f"{one.selector} on {one.target.name}"
            point = quadrants.Point(one.size.total_bytes, long.per_byte, label, where)
            by_unit.setdefault(f"{unit_of(one)}, {where}", []).append(point)
    return tuple(quadrants.chart(points, unit) for unit, points in by_unit.items())

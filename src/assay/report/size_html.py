# SPDX-License-Identifier: MIT
"""The page of a size table: the paper's table, four-way charts, and what the bytes are."""

from collections.abc import Sequence
from pathlib import Path

from assay.model import Target
from assay.model.footprint import CodeSize, Footprint
from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries, Form
from assay.report.code_sizes import SizeRow, size_report, unit_of
from assay.report.formats.csv_file import csv_text
from assay.report.formats.json_file import json_text
from assay.report.pages import copy_assets, page_environment
from assay.report.quadrants import medians
from assay.report.table import CellLook, Column, Table, listed
from assay.writing import require_folder, write_below

BYTE = 8


def write_size_page(folder: Path, rows: Sequence[SizeRow]) -> Path:
    """Write page, CSV and JSON into `folder`, and give the page's path."""
    require_folder(folder)
    copy_assets(folder)
    write_below(folder, "size.csv", csv_text(size_report(rows, "csv")))
    write_below(folder, "size.json", json_text(size_report(rows, "json")))
    shown = [row for row in rows if not row.footprint.skipped]
    text = page_environment().get_template("size.html.j2")
    return write_below(
        folder,
        "index.html",
        text.render(
            rows=shown,
            skipped=[row for row in rows if row.footprint.skipped],
            table=size_report(shown).tables[0],
            charts=charts(shown),
            medians=medians,
            sections_of=sections_table,
            functions_of=functions_table,
            root="",
        ),
    )


def charts(rows: Sequence[SizeRow]) -> tuple[Chart, ...]:
    """Make a chart for every unit: instructions and cycles are never in one picture.

    Nor are cycles of different machines. One point alone makes no chart.
    """
    by_unit: dict[str, list[ChartSeries]] = {}
    for row in rows:
        one = row.footprint
        long = one.measured("long")
        if one.size and long and one.size.total_bytes and long.amount > 0:
            by_unit.setdefault(_chart_of(one), []).append(_mark(one, long.per_byte))
    return tuple(
        Chart(
            Form.QUADRANTS,
            f"Size against speed: {unit}",
            Axis("bytes of code", logarithmic=True),
            Axis(f"{unit}, per byte of a long message", logarithmic=True),
            tuple(series),
        )
        for unit, series in by_unit.items()
        if len(series) > 1
    )


def sections_table(size: CodeSize) -> Table:
    """List sections, and which of them count."""
    no = {True: "", False: "no: "}
    return listed(
        ((one.name, one.size_bytes, f"{no[one.counted]}{one.policy}") for one in size.sections),
        Column("name", "Section", whole=True),
        Column("bytes", "Bytes", number=True),
        Column("counted", "Counted", look=CellLook.PROSE),
    )


def functions_table(size: CodeSize) -> Table:
    """List functions with their sizes."""
    return listed(
        size.functions,
        Column("name", "Function", whole=True),
        Column("bytes", "Bytes", number=True),
    )


def _mark(one: Footprint, steps: float) -> ChartSeries:
    """Make the mark of a row."""
    total = one.size.total_bytes if one.size else 0
    name = f"{one.selector} on {one.target.name}: {total:.0f} bytes, {steps:.2f} per byte"
    return ChartSeries(name, (ChartPoint(total, steps),), _label(one), _group(one.target))


def _chart_of(one: Footprint) -> str:
    """Name the chart on which the row belongs."""
    unit = unit_of(one)
    if one.target.is_native:
        return f"{unit} on this machine"
    return unit if unit == "instructions" else f"{unit} on {one.target.name}"


def _label(one: Footprint) -> str:
    """Name a mark in short; a target that goes without saying is left out."""
    said = one.selector.rpartition("/")[2] in one.target.architectures
    if said or one.target.is_native or unit_of(one) != "instructions":
        return one.selector
    return f"{one.selector}, {one.target.name}"


def _group(target: Target) -> str:
    """Return what decides how large code is on a target: words and their order."""
    order = f", {target.endian}-endian" if target.bits > BYTE else ""
    return f"{target.bits} bits{order}"

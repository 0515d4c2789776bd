# SPDX-License-Identifier: MIT
"""The page of a size table: the paper's table, size against speed, and what the bytes are."""

from collections.abc import Sequence
from pathlib import Path

from assay.model import Target
from assay.model.footprint import CodeSize, Footprint
from assay.report.code_sizes import SizeRow, size_report, unit_of
from assay.report.drawing import Drawing
from assay.report.formats.data_files import csv_text, json_text
from assay.report.plots import Spot, scatter
from assay.report.table import CellLook, Column, Table, listed
from assay.site.page import assets, graph, page
from assay.site.writer import written
from assay.stats.grouped import grouped
from assay.writing import require_folder

BYTE = 8
BYTES_OF = {"Size": "bytes of code", "Stack": "bytes of stack"}


def write_size_page(folder: Path, rows: Sequence[SizeRow]) -> Path:
    """Write page, graphs, CSV and JSON into `folder`, and give the page's path."""
    require_folder(folder)
    shown = [row for row in rows if not row.footprint.skipped]
    drawn = {f"size-{number}": one for number, one in enumerate(charts(shown), 1)}
    first = page(
        "index.html",
        "size.html.j2",
        rows=shown,
        skipped=[row for row in rows if row.footprint.skipped],
        table=size_report(shown).tables[0],
        charts={name: one.title for name, one in drawn.items()},
        sections_of=sections_table,
        functions_of=functions_table,
    )
    data = (
        ("size.csv", csv_text(size_report(rows, "csv"))),
        ("size.json", json_text(size_report(rows, "json"))),
    )
    graphs = (file for name, one in drawn.items() for file in graph(name, one))
    written(folder, (*assets(), *data, *graphs, first), {})
    return folder / first[0]


def charts(rows: Sequence[SizeRow]) -> tuple[Drawing, ...]:
    """Draw code and stack against speed for every unit: no two units are in one picture.

    Nor are cycles of different machines. One point alone makes no picture.
    """
    units = grouped(
        ((_chart_of(one), what), (_group(one.target), Spot(size, step, step, step, _label(one))))
        for one in (row.footprint for row in rows)
        if (long := one.measured("long")) and long.amount > 0
        for step in (long.per_byte,)
        for what, size in (("Size", one.size and one.size.total_bytes), ("Stack", one.stack_bytes))
        if size
    )
    drawn = (
        scatter(f"{what} against speed: {unit}", BYTES_OF[what],
                f"{unit}, per byte of a long message", grouped(spots))
        for (unit, what), spots in units.items()
    )  # fmt: skip
    return tuple(one for one in drawn if one)


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

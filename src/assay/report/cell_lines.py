# SPDX-License-Identifier: MIT
"""Figures for programs: a line for each cell, size choice and measure, whatever its kind."""

from collections.abc import Iterable, Iterator

from assay.model import PackageKind
from assay.report.kinds import per_unit
from assay.report.table import Column, Table, TableRow
from assay.report.verdicts import standing
from assay.report.views import tables
from assay.stats.places import Place
from assay.summary.rows import Row
from assay.summary.unit import Unit

KEYS = (
    *("kind", "package", "primitive", "role", "target", "variant", "configuration", "tag"),
    *("key_bits", "iv_bits", "mac_bits", "measure", "median", "q1", "q3", "launches"),
    *("unit", "direction", "checks", "shared_with", "measured_at", "place"),
)


def lines_of(rows: Iterable[Row]) -> Table:
    """Write the rows by target; every line has its unit, cycles only where they are known."""
    lines = (
        line
        for table in tables(rows)
        for row in table.rows
        for line in _lines(row, table.place(row))
    )
    return Table("", "", tuple(map(Column, KEYS)), tuple(lines))


def _lines(row: Row, place: Place | None) -> Iterator[TableRow]:
    """Write one line per measure of a row."""
    result, sizes, state = row.result, row.sizes, standing(row.result)
    keyed = result.package.kind is PackageKind.STREAM
    for figure in row.figures.values():
        unit = Unit.of([figure])
        yield TableRow(
            {
                "kind": result.package.kind.value,
                "package": result.package.selector,
                "primitive": result.package.primitive,
                "role": result.package.role.value,
                "target": result.cell.target,
                "variant": result.cell.variant,
                "configuration": result.cell.configuration,
                "tag": result.configuration.tag,
                "key_bits": sizes.key_bits if keyed else None,
                "iv_bits": sizes.iv_bits if keyed else None,
                "mac_bits": sizes.mac_bits,
                "measure": figure.measure,
                "median": unit.value(figure),
                "q1": unit.value(figure, figure.q1),
                "q3": unit.value(figure, figure.q3),
                "launches": figure.launches,
                "unit": per_unit(unit, figure),
                "checks": "; ".join((state.text, *state.remarks)),
                "shared_with": result.shared_with.configuration if result.shared_with else None,
                "measured_at": result.measured_at,
                "place": place if figure is row.rate else None,
            }
        )

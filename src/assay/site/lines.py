# SPDX-License-Identifier: MIT
"""A cell's results as SUPERCOP's database lines, as `assay export` writes them."""

from pathlib import Path

from assay.model import Machine, PackageKind
from assay.report.supercop import LineWriter, in_order
from assay.report.supercop.own import records_of
from assay.summary.series import MeasuredCell


def database_lines(
    measured: MeasuredCell, machine: Machine | None, folder: Path
) -> tuple[str, ...]:
    """Return the lines of a cell of an operation, with all of its timings; else nothing."""
    if measured.cell.package.kind != PackageKind.OPERATION:
        return ()
    records = in_order(records_of((measured,), machine, folder))
    return tuple(LineWriter().lines(records))

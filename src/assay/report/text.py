# SPDX-License-Identifier: MIT
"""The text of a performance report, line for line as in the eSTREAM HOWTO, Example 1.

The words are in `templates/speed.txt.j2`, and the numbers here. The word "cycles" stands there
only if the core clock is known; otherwise every line says "ticks".
"""

from assay.model import CellResult, SizeChoice
from assay.model.series import CYCLES
from assay.report.kinds import KINDS
from assay.stats import rates
from assay.summary.rows import STREAM, in_one_unit, rows_of


def performance_report(result: CellResult, sizes: SizeChoice) -> str:
    """Write the report of one cell at one size choice, without the empty line before it.

    Empty if the cell was not measured at `sizes`.
    """
    from assay.report.formats.html import page_environment  # noqa: PLC0415 - reports alone need it

    kind = KINDS.get(result.package.kind)
    row = next((one for one in rows_of(result) if one.sizes == sizes), None)
    if not (kind and kind.page and row and result.subject and result.counter):
        return ""
    (row,) = in_one_unit((row,))
    clock = next(one.unit for one in row.figures.values())
    ratio = (result.counter.cycles_per_tick or 1.0) if clock == CYCLES else 1.0
    page = page_environment().get_template(kind.page)
    return page.render(
        row=row, subject=result.subject, counter=result.counter, clock=clock, ratio=ratio,
        hertz=result.counter.ticks_per_second * ratio, stream=row.figures.get(STREAM), rates=rates,
    ) + "\n"  # fmt: skip

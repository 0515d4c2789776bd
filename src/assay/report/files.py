# SPDX-License-Identifier: MIT
"""The text files of a cell, next to the HTML: `speed_<ext>`, `errors_<ext>`, `info_<ext>`.

They lie where the original puts them: in the package's place below the results
folder. A cell has one of them, so that no tool that reads `speed_*` ranks code
that failed, or counts identical object code twice. Beside the errors of code that gives
other vectors than the verified ones lie its own, `vectors_<ext>`, which a campaign writes.
"""

import os
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from assay.errors import AssayError
from assay.model import CheckResult, Machine, Verdict
from assay.model.causes import causes, consequences
from assay.model.series import CYCLES
from assay.report.kinds import KINDS
from assay.stats import summary
from assay.summary.rows import STREAM, Row, in_one_unit, rows_of
from assay.summary.series import CellResult
from assay.writing import remove_below, write_below

STARS = 79 * "*"
FILES = ("speed", "errors", "info")
VERIFIED = ("vectors/verified", "digest/verified")


def write_cell(folder: Path, result: CellResult, machine: Machine | None) -> Path | None:
    """Write the text file of one cell below the results folder and give its path.

    None (and no file left) if there is nothing to say about the cell yet.
    """
    kind, text = cell_text(result, machine)
    extension = _name(result.cell.extension)
    place = inside(folder, result.package.place)
    for other in FILES:
        remove_below(folder, place / f"{other}_{extension}")
    if not differs(result.checks):
        remove_below(folder, vectors_place(folder, result.package.place, extension))
    return write_below(folder, place / f"{kind}_{extension}", text) if text else None


def differs(checks: Iterable[CheckResult]) -> bool:
    """Return whether code gives other vectors than the verified ones."""
    return any(one.check in VERIFIED and one.verdict is Verdict.FAIL for one in checks)


def vectors_place(folder: Path, place: str, extension: str) -> PurePath:
    """Name the file of a cell's own vectors, below the results folder."""
    return inside(folder, place) / f"vectors_{_name(extension)}"


def _name(extension: str) -> str:
    """Return the end of a file's name; AssayError if it leads out of the folder."""
    if "/" in extension or "\0" in extension:
        raise AssayError(f"the configuration's name {extension!r} is no file name", "Rename it.")
    return extension


def inside(folder: Path, place: str) -> PurePath:
    """Return a package's place relative to the folder; AssayError if it would lie elsewhere."""
    path = Path(os.path.normpath(folder / place)) if "\0" not in place else None
    if path is None or not path.is_relative_to(os.path.normpath(folder)):
        raise AssayError(f"the package's place {place!r} leads out of {folder}", "Rename it.")
    return path.relative_to(os.path.normpath(folder))


def cell_text(result: CellResult, machine: Machine | None) -> tuple[str, str]:
    """Return which file a cell has, and its text: empty if there is nothing to say yet.

    It has the reports of all size choices, or why it has no place in the ranking with the cures,
    or which cell was measured in its place; and below that how all of this came about.
    """
    kind = "errors" if result.failed else "info" if result.shared_with else "speed"
    reports = map(performance_report, rows_of(result))
    known = [report for report in reports if report and kind == "speed"]
    if kind == "speed" and not known:
        return kind, ""
    failed = causes(result.checks), consequences(result.checks)
    text = _written(
        "cell.txt.j2",
        kind=kind, result=result, build=result.build, configuration=result.configuration,
        machine=machine, reports=known, stars=STARS,
        failed=failed if result.build.ok else ((), ()),
    )  # fmt: skip
    return kind, text


def performance_report(row: Row) -> str:
    """Write a row line for line as in the eSTREAM HOWTO, Example 1; empty for other kinds.

    The word "cycles" stands there only if the core clock is known; otherwise every line says
    "ticks".
    """
    result, kind = row.result, KINDS.get(row.result.package.kind)
    if not (kind and kind.page and result.subject and result.counter):
        return ""
    (row,) = in_one_unit((row,))
    clock = next(one.unit for one in row.figures.values())
    ratio = (result.counter.cycles_per_tick or 1.0) if clock == CYCLES else 1.0
    return _written(
        kind.page, row=row, subject=result.subject, counter=result.counter, clock=clock,
        ratio=ratio, hertz=result.counter.ticks_per_second * ratio,
        stream=row.figures.get(STREAM), rates=summary,
    )  # fmt: skip


def _written(template: str, **about: Any) -> str:
    """Write a text by its template."""
    from assay.report.formats.html import page_environment  # noqa: PLC0415 - reports alone need it

    return f"{page_environment().get_template(template).render(**about)}\n"

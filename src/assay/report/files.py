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

from assay.errors import AssayError
from assay.model import CellResult, CheckResult, Machine, Verdict
from assay.model.causes import causes, consequences
from assay.report.text import performance_report
from assay.summary.rows import rows_of
from assay.writing import remove_below, write_below

STARS = 79 * "*"
KINDS = ("speed", "errors", "info")
VERIFIED = ("vectors/verified", "digest/verified")


def write_cell(folder: Path, result: CellResult, machine: Machine | None) -> Path | None:
    """Write the text file of one cell below the results folder and give its path.

    None (and no file left) if there is nothing to say about the cell yet.
    """
    kind, text = cell_text(result, machine)
    extension = _name(result.cell.extension)
    place = inside(folder, result.package.place)
    for other in KINDS:
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
    from assay.report.formats.html import page_environment  # noqa: PLC0415 - reports alone need it

    kind = "errors" if result.failed else "info" if result.shared_with else "speed"
    reports = [performance_report(result, row.sizes) for row in rows_of(result)]
    known = [report for report in reports if report and kind == "speed"]
    if kind == "speed" and not known:
        return kind, ""
    failed = causes(result.checks), consequences(result.checks)
    template = page_environment().get_template("cell.txt.j2")
    text = template.render(
        kind=kind, result=result, build=result.build, configuration=result.configuration,
        machine=machine, reports=known, stars=STARS,
        failed=failed if result.build.ok else ((), ()),
    )  # fmt: skip
    return kind, f"{text}\n"

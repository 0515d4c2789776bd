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
EDGE = 80 * "*"
BANNER = f"{EDGE}\n*{26 * ' '}ECRYPT Stream Cipher Project{24 * ' '}*\n{EDGE}\n"
KINDS = ("speed", "errors", "info")
VERIFIED = ("vectors/verified", "digest/verified")


def write_cell(folder: Path, result: CellResult, machine: Machine | None) -> Path | None:
    """Write the text file of one cell below the results folder and give its path.

    None (and no file left) if there is nothing to say about the cell yet.
    """
    kind, text = _content(result, machine)
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


def speed_text(result: CellResult, machine: Machine | None) -> str:
    """Write a result file: the reports of all size choices, then how they came about."""
    reports = [performance_report(result, row.sizes) for row in rows_of(result)]
    body = "".join(f"\n{report}" for report in reports if report)
    return f"{BANNER}{body}\n{STARS}\n{_sections(result, machine)}" if body else ""


def errors_text(result: CellResult, machine: Machine | None) -> str:
    """Write why a cell has no place in the ranking, and the cures."""
    parts = []
    build = result.build
    if not build.ok:
        parts.append(f"*** ERROR: {build.stage.value} failed: {build.reason}\n{_cure(build.cure)}")
    parts += [_failure(check) for check in causes(result.checks) if build.ok]
    follow = consequences(result.checks) if build.ok else []
    parts += [f"{', '.join(names)}: follow from {name}\n" for name, names in follow]
    if build.diagnostics:
        parts.append(f"Compiler messages:\n\n{build.diagnostics.rstrip()}\n")
    return "\n".join(parts) + f"\n{STARS}\n{_sections(result, machine)}"


def info_text(result: CellResult, machine: Machine | None) -> str:
    """Write which cell was measured in the place of this one."""
    other = result.shared_with.configuration if result.shared_with else ""
    says = f"The object code is identical to that of {other}, which was measured.\n"
    return f"{says}\n{STARS}\n{_sections(result, machine)}"


def _content(result: CellResult, machine: Machine | None) -> tuple[str, str]:
    """Choose which file the cell has, and write its text."""
    if result.failed:
        return "errors", errors_text(result, machine)
    if result.shared_with is not None:
        return "info", info_text(result, machine)
    return "speed", speed_text(result, machine)


def _failure(check: CheckResult) -> str:
    """Write one failed check."""
    evidence = f"\n{check.evidence.rstrip()}\n" if check.evidence else ""
    return f"*** ERROR: {check.check}: {check.reason}\n{_cure(check.cure)}{evidence}"


def _cure(cure: str) -> str:
    """Write a cure on a line of its own, if there is one."""
    return f"    {cure}\n" if cure else ""


def _sections(result: CellResult, machine: Machine | None) -> str:
    """Write when, on what, with what and from what the cell was made."""
    configuration = result.configuration
    options = f"{configuration.arch} {configuration.opt}".strip()
    contents = {
        "DATE": result.measured_at or "not measured",
        "CPU": _cpu(machine),
        "COMPILER": f"{configuration.command} ({configuration.family}), options: {options}",
        "COMPILATION": result.build.command,
        "EXECUTABLE": f"object code {result.build.object_hash}, jail: {result.build.jail}",
    }
    return "".join(f"\n{name}:\n\n{text}\n" for name, text in contents.items())


def _cpu(machine: Machine | None) -> str:
    """Write the machine on a few lines."""
    if machine is None:
        return "unknown"
    virtual = f"\nvirtualised: {machine.virtualised}" if machine.virtualised else ""
    return f"{machine.cpu} ({machine.architecture}, {machine.cores} cores){virtual}"

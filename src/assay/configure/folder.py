# SPDX-License-Identifier: MIT
"""Writes a reports folder. What stands there is always whole, whenever we are stopped."""

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.machine.cpuinfo import CPUINFO, cpuinfo_text
from assay.model import Configuration
from assay.toolchain.configs import CONFIGS, render_configuration
from assay.toolchain.shortlist import SHORTLIST, SHORTLIST_ONLY
from assay.toolchain.slow import SKIP_SLOW

CANDIDATES = "candidates"
COMPILERS = "compilers"
_FILE_MODE = 0o644
_FOLDER_MODE = 0o755


def write_text(path: Path, text: str) -> None:
    """Put a file in place at once, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        temporary.chmod(_FILE_MODE)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_configurations(reports: Path, configurations: Iterable[Configuration]) -> None:
    """Replace the folder `configs` as a whole: what is not named is gone."""
    reports.mkdir(parents=True, exist_ok=True)
    folder = reports / CONFIGS
    with tempfile.TemporaryDirectory(prefix=".configs.", dir=reports) as name:
        new, old = Path(name, "new"), Path(name, "old")
        new.mkdir(mode=_FOLDER_MODE)
        for each in configurations:
            (new / f"{each.name}.mk").write_text(render_configuration(each))
        if folder.exists():
            folder.replace(old)
        new.replace(folder)


def write_shortlist(reports: Path, text: str) -> None:
    """Write the shortlist."""
    write_text(reports / SHORTLIST, text)


def write_shortlist_only(reports: Path, *, only: bool) -> None:
    """Set or clear the flag that ends a run after the shortlist."""
    flag = reports / SHORTLIST_ONLY
    if only:
        write_text(flag, "")
    else:
        flag.unlink(missing_ok=True)


def write_slow_rate(reports: Path, rate_cycles: float | None) -> None:
    """Write or remove the rate from which on ciphers are skipped."""
    if rate_cycles is None:
        (reports / SKIP_SLOW).unlink(missing_ok=True)
    else:
        write_text(reports / SKIP_SLOW, f"{rate_cycles:g}\n")


def write_cpuinfo(reports: Path, mhz: float) -> None:
    """Write what the system says of the processor, and the frequency in MHz."""
    write_text(reports / CPUINFO, cpuinfo_text(mhz))


def remove_leftovers(reports: Path) -> None:
    """Remove the temporary folders of a start that was killed."""
    for folder in reports.glob(".configs.*"):
        shutil.rmtree(folder, ignore_errors=True)

# SPDX-License-Identifier: MIT
"""Writes a reports folder. What stands there is always whole, whenever we are stopped."""

from collections.abc import Iterable
from pathlib import Path

from assay.machine.cpuinfo import CPUINFO, cpuinfo_text
from assay.model import Configuration
from assay.toolchain.configs import CONFIGS, render_configuration
from assay.toolchain.listings import SKIP_SLOW
from assay.toolchain.shortlist import SHORTLIST, SHORTLIST_ONLY
from assay.writing import remove_below, replace_folder, write_below

CANDIDATES = "candidates"
COMPILERS = "compilers"


def write_configurations(reports: Path, configurations: Iterable[Configuration]) -> None:
    """Replace the folder `configs` as a whole: what is not named is gone."""
    files = {f"{each.name}.mk": render_configuration(each) for each in configurations}
    replace_folder(reports, CONFIGS, files)


def write_shortlist(reports: Path, text: str) -> None:
    """Write the shortlist."""
    write_below(reports, SHORTLIST, text)


def write_shortlist_only(reports: Path, *, only: bool) -> None:
    """Set or clear the flag that ends a run after the shortlist."""
    if only:
        write_below(reports, SHORTLIST_ONLY, "")
    else:
        remove_below(reports, SHORTLIST_ONLY)


def write_slow_rate(reports: Path, rate_cycles: float | None) -> None:
    """Write or remove the rate from which on ciphers are skipped."""
    if rate_cycles is None:
        remove_below(reports, SKIP_SLOW)
    else:
        write_below(reports, SKIP_SLOW, f"{rate_cycles:g}\n")


def write_cpuinfo(reports: Path, mhz: float) -> None:
    """Write what the system says of the processor, and the frequency in MHz."""
    write_below(reports, CPUINFO, cpuinfo_text(mhz))

# SPDX-License-Identifier: MIT
"""The file `cpuinfo` of a reports folder, and the flags of the processor.

The file is what the system says about the processor, as it says it, and a last
line with the frequency in MHz that the user confirmed.
"""

import math
import platform
from functools import reduce

from assay.errors import UsageError
from assay.machine.sources import LINUX, Sources, cpuinfo_fields

CPUINFO = "cpuinfo"
_FLAG_NAMES = frozenset({"flags", "Features", "features", "isa"})


def cpu_flags(sources: Sources = LINUX) -> frozenset[str] | None:
    """Name what all processors can do (`avx2`, `asimd`, `zbb`); None if it is not told.

    A RISC-V isa string such as `rv64imafdcv_zba_zbb` is taken apart.
    """
    fields = cpuinfo_fields(sources.cpuinfo())
    sets = [_flags(name, value) for name, value in fields if name in _FLAG_NAMES]
    return reduce(frozenset.__and__, sets) if sets else None


def cpuinfo_text(mhz: float, sources: Sources = LINUX) -> str:
    """Compose the file's text."""
    told = sources.cpuinfo() or f"{platform.processor() or platform.machine()}"
    return f"{told}\n\n{mhz:.3f}\n"


def parse_mhz(text: str, cure: str = "Enter a number such as 1694.829.") -> float:
    """Read a frequency that somebody typed."""
    try:
        mhz = float(text)
    except ValueError:
        mhz = math.nan
    if not 0 < mhz < math.inf:
        raise UsageError(f"{text.strip()[:40]!r} is no clock speed in MHz", cure)
    return mhz


def _flags(name: str, value: str) -> frozenset[str]:
    """Split one line of flags."""
    if name != "isa":
        return frozenset(value.split())
    base, *extensions = value.lower().split("_")
    return frozenset([*base[4:], *extensions])

# SPDX-License-Identifier: MIT
"""Whether this machine is one that QEMU emulates, instruction by instruction."""

import functools
from contextlib import suppress
from pathlib import Path

from assay.machine.cache import cache_folder

EMULATOR = "qemu"  # as systemd-detect-virt names it where the processor is not a real one
BOOT = Path("/proc/sys/kernel/random/boot_id")
KEPT = "hypervisor"


@functools.cache
def emulated() -> bool:
    """Return whether the processor of this machine is emulated.

    That takes a program some milliseconds, and is asked once after each start of the machine.
    """
    boot = _read(BOOT)
    known, _, name = _read(cache_folder() / KEPT).partition("\n")
    if boot and known == boot and name:
        return name == EMULATOR
    from assay.machine.describe import hypervisor  # noqa: PLC0415 - seldom asked
    from assay.machine.sources import LINUX  # noqa: PLC0415

    name = hypervisor(LINUX) or "none"
    with suppress(OSError):
        (cache_folder() / KEPT).write_text(f"{boot}\n{name}")
    return name == EMULATOR


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""

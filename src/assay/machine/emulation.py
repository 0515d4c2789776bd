# SPDX-License-Identifier: MIT
"""Whether this machine is one that QEMU emulates, instruction by instruction."""

import functools

from assay.machine.describe import hypervisor
from assay.machine.sources import LINUX

EMULATOR = "qemu"  # as systemd-detect-virt names it where the processor is not a real one


@functools.cache
def emulated() -> bool:
    """Return whether the processor of this machine is emulated."""
    return hypervisor(LINUX) == EMULATOR

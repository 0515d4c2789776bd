# SPDX-License-Identifier: MIT
"""Whether the processor promises that the time of instructions depends on no data.

Architectures promise it for lists of instructions, some of them only in a mode that is off at
first, so that code without branches and tables of secrets may still leak by its time:

- Intel: "Data Operand Independent Timing ISA Guidance" (2022). Processors since Ice Lake and
  Gracemont have the mode DOITM: bit 12 of IA32_ARCH_CAPABILITIES says so, bit 0 of
  IA32_UARCH_MISC_CTL turns it on; older ones behave as if it were on. Linux leaves it off.
- Arm: FEAT_DIT of the Arm ARM (DDI 0487, PSTATE.DIT), the feature `dit` of Linux. A process turns
  it on for itself; Linux begins programs without it.
- RISC-V: Zkt of "Scalar cryptography" 1.0, which is always in force.
"""

import struct
from pathlib import Path

from msgspec import Struct

from assay.machine.cpuinfo import cpu_flags
from assay.machine.sources import LINUX, Sources, cpuinfo_fields

ARCH_CAPABILITIES, DOITM_PROMISED = 0x10A, 1 << 12
UARCH_MISC_CTL, DOITM_ON = 0x1B01, 1
SINCE_ICE_LAKE = "gfni"  # Tremont has it, too, and no such mode
REGISTERS = "dev/cpu/0/msr"
READ_THEM = "read as root, after `modprobe msr`"


class DataTiming(Struct, frozen=True):
    """Whether it is promised, and in force for programs; None where it cannot be known."""

    promised: bool | None
    in_force: bool | None
    why: str

    def __str__(self) -> str:
        """Return it as a sentence without an end."""
        promised = {True: "promised", False: "not promised", None: "not known"}[self.promised]
        force = {True: ", and in force", False: ", but not in force", None: ""}[self.in_force]
        return f"{promised}{force if self.promised else ''} ({self.why})"


def data_timing(hypervisor: str | None, sources: Sources = LINUX) -> DataTiming:
    """Return what this machine's processor promises; `hypervisor` is what it runs under."""
    fields = dict(cpuinfo_fields(sources.cpuinfo()))
    flags = cpu_flags(sources) or frozenset()
    if "CPU implementer" in fields:
        return _arm(flags)
    if "isa" in fields:
        return _riscv(flags)
    if fields.get("vendor_id") == "GenuineIntel":
        return _intel(flags, hypervisor, sources.root / REGISTERS)
    if fields.get("vendor_id") == "AuthenticAMD":
        return DataTiming(None, None, "AMD documents neither a mode nor a list of instructions")
    return DataTiming(None, None, "nothing is documented for this processor")


def _arm(flags: frozenset[str]) -> DataTiming:
    if "dit" in flags:
        why = "Arm's DIT, which each program turns on for itself: `msr dit, #1`"
        return DataTiming(True, False, why)
    return DataTiming(False, None, "an Arm processor without DIT")


def _riscv(flags: frozenset[str]) -> DataTiming:
    if "zkt" in flags:
        return DataTiming(True, True, "RISC-V's Zkt")
    return DataTiming(None, None, "the system does not name RISC-V's Zkt; older ones name none")


def _intel(flags: frozenset[str], hypervisor: str | None, registers: Path) -> DataTiming:
    """Read Intel's registers; without them what the processor is says it."""
    has = _register(registers, ARCH_CAPABILITIES)
    if has is not None and has & DOITM_PROMISED:
        control = _register(registers, UARCH_MISC_CTL)
        on = None if control is None else bool(control & DOITM_ON)
        return DataTiming(True, on, "Intel's DOITM, bit 0 of register 0x1b01")
    if hypervisor is not None:
        why = f"Intel's DOITM: under {hypervisor}, which may hide the mode"
        return DataTiming(None, None, why)
    if SINCE_ICE_LAKE not in flags:
        return DataTiming(True, True, "Intel, before Ice Lake: as if DOITM were always on")
    if has is None:
        why = f"Intel's DOITM, which Linux leaves off; its registers are {READ_THEM}"
        return DataTiming(None, None, why)
    return DataTiming(False, None, "an Intel processor that does not name DOITM")


def _register(registers: Path, number: int) -> int | None:
    """Read a register of the first processor; None if it cannot be read."""
    try:
        with registers.open("rb", buffering=0) as file:
            file.seek(number)
            (value,) = struct.unpack("<Q", file.read(8))
    except (OSError, struct.error):
        return None
    return int(value)

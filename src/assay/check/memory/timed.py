# SPDX-License-Identifier: MIT
"""Whose instructions take a time that depends on their operands, and where traces show these."""

from types import MappingProxyType
from typing import Any

from assay.check.trial import BaseTrial
from assay.compile.visible import Visible

# Architectures of which a trace has the operands of divisions, if the processor divides at all.
DIVIDING = (
    *("aarch64", "armv7", "thumb2", "cortex-m0", "cortex-m4", "riscv32", "riscv64", "avr8"),
    *("mips-le", "mips-be", "ppc", "s390x"),
    *(f"{one}-{end}" for one in ("arm", "mixed", "thumb") for end in ("le", "be")),
)
# Sloss, Symes, Wright, "ARM System Developer's Guide", appendix B3: the number of cycles of the
# multiplier depends on the value of Rs, on an ARM7TDMI (B3.2), an ARM9TDMI and a StrongARM.
ARMV4 = "an ARM7TDMI or ARM9TDMI"
# Architectures of whose processors one multiplies small numbers faster, and the processor.
EARLY = MappingProxyType(
    {
        **{f"{one}-{end}": ARMV4 for one in ("arm", "mixed") for end in ("le", "be")},
        # Technical Reference Manual r1p1 (DDI 0337E), table 18.1: umull, smull, umlal and smlal
        # "use early termination depending on the size of source values"; mul is of one cycle.
        "thumb2": "a Cortex-M3",
        # gcc's config/rs6000/603.md: "takes 2 or 3 cycles"; the MPC603e User's Manual lists
        # several latencies for each of these instructions (chapter 6).
        "ppc": "a PowerPC 603e",
    }
)


def early(trial: BaseTrial[Any, Any]) -> str:
    """Return the processor of the target that multiplies small numbers faster; empty for none."""
    return EARLY.get(trial.bench.target.architecture, "") if trial.bench else ""


def traced_operands(visible: Visible, architecture: str) -> bool:
    """Return whether traces of an architecture show what is made visible."""
    known = {Visible.DIVISIONS: DIVIDING, Visible.MULTIPLICATIONS: EARLY}
    return not visible or architecture in known.get(visible, ())

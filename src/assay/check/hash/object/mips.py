# SPDX-License-Identifier: MIT
"""What MIPS I lacks: conditional moves, and waiting for a loaded register (A.3.1)."""

import itertools
import re
from collections.abc import Iterator

from assay.check.hash.object.denied import Instruction

LOADS = frozenset({"lw", "lh", "lhu", "lb", "lbu"})  # lwl and lwr may follow one another
CONDITIONAL = frozenset({"movn", "movz", "movf", "movt"})
STORES = re.compile(r"s[bhw][lr]?$|b\w*$|mt\w+|mult?u?$|divu?$|jr$|t\w+$")
_REGISTER = re.compile(r"\b(?:zero|at|v[01]|a[0-3]|t\d|s[0-8]|k[01]|gp|sp|fp|ra)\b")


def newer_than_mips_1(code: tuple[Instruction, ...]) -> Iterator[str]:
    """Describe what would not run, or not run alike, on a MIPS I."""
    for one in code:
        if one.mnemonic in CONDITIONAL:
            yield f"{one}: MIPS I has no conditional move"
    for one, following in itertools.pairwise(code):
        loaded = _REGISTER.findall(one.operands)[:1] if one.mnemonic in LOADS else []
        if loaded and loaded[0] in _read(following):
            yield f"{one}; {following}: uses {loaded[0]} in the load delay slot"


def _read(one: Instruction) -> list[str]:
    """Name the registers that an instruction reads: all but the first, which most write."""
    named = _REGISTER.findall(one.operands)
    return named if STORES.match(one.mnemonic) else named[1:]

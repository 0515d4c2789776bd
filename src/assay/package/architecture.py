# SPDX-License-Identifier: MIT
"""For which machine an assembly file is written, as far as registers and directives tell."""

import re

from assay.targets.architectures import families

_ANY_X86 = re.compile(r"\b(?:[re](?:[abcd]x|[sd]i|[sb]p)|[xyz]mm[0-9]+)\b")
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|elif)", re.MULTILINE)
_X86 = ("x86-64", "x86")
_ENOUGH = 3


def architecture_of(text: str) -> str | None:
    """Name the one architecture an assembly text is for; None if it may choose or is unclear.

    Text with conditionals may hold several. Few telling words are no evidence.
    64-bit x86 code also names 32-bit registers, and AArch64 has instructions of ARM.
    """
    return None if _CONDITIONAL.search(text) else _only(text)


def foreign_assembly(text: str) -> str | None:
    """Name the one architecture of assembly that a compiler refused or left out.

    Conditionals do not matter, since what they choose was seen to be nothing here. One
    register of x86 is enough to call it unclear.
    """
    found = _only(text)
    return None if found and not found.endswith(_X86) and _ANY_X86.search(text) else found


def _only(text: str) -> str | None:
    seen = [one for one in families() if len(one.registers.findall(text)) >= _ENOUGH]
    names = [one.name for one in seen]
    names = [one.name for one in seen if one.within not in names]
    return names[0] if len(names) == 1 else None

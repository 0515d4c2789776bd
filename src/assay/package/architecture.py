# SPDX-License-Identifier: MIT
"""For which machine an assembly file is written, as far as registers and directives tell."""

import re

_REGISTERS = {
    "x86-64": r"%r(?:[abcd]x|[sd]i|[sb]p|8|9|1[0-5])[dwb]?\b",
    "32-bit x86": r"%e(?:[abcd]x|[sd]i|[sb]p)\b",
    "SPARC": r"%(?:o|l|i|g)[0-7]\b|%[fs]p\b",
    "ARM": r"\b(?:vld1|vst1|[ls][td]m(?:ia|db|fd)|mvns?|bics?|orrs?|orn|eors|bx[ \t]+lr)\b"
    r"|\.(?:thumb(?:_func)?|syntax[ \t]+unified)\b|\b(?:push|pop|ldm|stm)\b[^\n{]*\{[ \t]*r[0-9]",
    "AArch64": r"\b(?:ldp|stp)[ \t]+[xwqd][0-9]+\b|\bv[0-9]+\.(?:16b|8b|8h|4h|4s|2s|2d)\b",
    "AVR": r"\b(?i:ldi|adiw|sbiw|rjmp|rcall|lpm|elpm|sbci|brne|cpse)\b",
    "PowerPC": r"\b(?:stwu|rlwinm|lwzx?|mflr|mtlr|stvx|lvx)\b",
    "MIPS": r"\$(?:a[0-3]|t[0-9]|s[0-7]|sp|ra)\b",
}
_ORDER = ("x86-64", "AArch64", "SPARC", "MIPS", "PowerPC", "ARM", "AVR", "32-bit x86")
_ANY_X86 = re.compile(r"\b(?:[re](?:[abcd]x|[sd]i|[sb]p)|[xyz]mm[0-9]+)\b")
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|elif)", re.MULTILINE)
_X86 = ("x86-64", "x86")
_WIDER = {"32-bit x86": "x86-64", "ARM": "AArch64"}
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
    counts = {name: len(re.findall(pattern, text)) for name, pattern in _REGISTERS.items()}
    seen = [name for name in _ORDER if counts[name] >= _ENOUGH]
    seen = [name for name in seen if _WIDER.get(name) not in seen]
    return seen[0] if len(seen) == 1 else None

# SPDX-License-Identifier: MIT
"""For which machine an assembly file is written, as far as its registers tell."""

import re

_REGISTERS = {
    "x86-64": r"%r(?:[abcd]x|[sd]i|[sb]p|8|9|1[0-5])[dwb]?\b",
    "32-bit x86": r"%e(?:[abcd]x|[sd]i|[sb]p)\b",
    "SPARC": r"%(?:o|l|i|g)[0-7]\b|%[fs]p\b",
    "ARM": r"\b(?:vld1|vst1|ldmia|stmdb|stmfd|ldmfd)\b",
    "AArch64": r"\b(?:ldp|stp)[ \t]+[xwqd][0-9]+\b",
    "PowerPC": r"\b(?:stwu|rlwinm|lwzx?|mflr|mtlr|stvx|lvx)\b",
    "MIPS": r"\$(?:a[0-3]|t[0-9]|s[0-7]|sp|ra)\b",
}
_ORDER = ("x86-64", "AArch64", "SPARC", "MIPS", "PowerPC", "ARM", "32-bit x86")
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|elif)", re.MULTILINE)
_ENOUGH = 3


def architecture_of(text: str) -> str | None:
    """Name the one architecture an assembly text is for; None if it may choose or is unclear.

    Text with conditionals may hold several. Few telling words are no evidence.
    64-bit x86 code also names 32-bit registers, so it is asked for first.
    """
    if _CONDITIONAL.search(text):
        return None
    counts = {name: len(re.findall(pattern, text)) for name, pattern in _REGISTERS.items()}
    seen = [name for name in _ORDER if counts[name] >= _ENOUGH]
    if "x86-64" in seen and "32-bit x86" in seen:
        seen.remove("32-bit x86")
    return seen[0] if len(seen) == 1 else None

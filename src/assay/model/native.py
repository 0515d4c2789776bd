# SPDX-License-Identifier: MIT
"""Options by which a compiler uses all that this machine's processor has, and what they lack.

A feature that the system hides is left out by a word (`-march=native -mno-rdseed`), on Arm by a
longer value (`-mcpu=native+nosve`).
"""

import re

HIDDEN = "which the system does not list for this processor"
_NATIVE = re.compile(r"-m(?:arch|cpu)=native(?:\+no\w+)*")


def is_native_option(arch: str) -> bool:
    """Return whether an option asks for all that this machine's processor has."""
    return any(_NATIVE.fullmatch(word) for word in arch.split())


def as_wanted(arch: str) -> str:
    """Return an option for the native processor without what was left out of it."""
    if not is_native_option(arch):
        return arch
    kept = (word for word in arch.split() if not word.startswith("-mno-"))
    return " ".join(word.split("+no")[0] if _NATIVE.fullmatch(word) else word for word in kept)


def left_out(arch: str) -> tuple[str, ...]:
    """Name what was left out of an option for the native processor, as compilers call it."""
    if not is_native_option(arch):
        return ()
    words = arch.split()
    off = [word.removeprefix("-mno-") for word in words if word.startswith("-mno-")]
    return (*(name for word in words for name in word.split("+no")[1:]), *off)

# SPDX-License-Identifier: MIT
"""Compilers, how they are called, and the options by which they use all that this processor has.

A feature that the system hides is left out by a word (`-march=native -mno-rdseed`), on Arm by a
longer value (`-mcpu=native+nosve`).
"""

import re
from pathlib import Path

from msgspec import Struct

HIDDEN = "which the system does not list for this processor"
_NATIVE = re.compile(r"-m(?:arch|cpu)=native(?:\+no\w+)*")


class Compiler(Struct, frozen=True):
    """A compiler found on the path.

    `family` is gcc, clang, tcc or cc; `command` is what the user would type
    (`gcc-12`); `identity` is a digest of the executable behind it, so that two
    names of one program are known to be one.
    """

    family: str
    command: str
    path: Path
    version: str
    target: str
    identity: str

    @property
    def release(self) -> str:
        """The version without what a distribution adds to it: `gcc 12.2.0`."""
        return re.sub(r"\s*\([^)]*\)", "", self.version).strip() or self.command

    @property
    def is_tcc(self) -> bool:
        """Return whether it is tcc, which knows one dialect and few kinds of sections."""
        return self.family == "tcc"


class Configuration(Struct, frozen=True):
    """A compiler and its options: one `configs/*.mk` file.

    `family` (`comp` in the file) and `command` (`cc`) name the compiler;
    `arch` and `opt` are option strings as the file has them, possibly empty.
    `tag` is `<comp>_<arch>_<opt>` in compact spelling, what shortlists name;
    `name` is `<cc>_<arch>_<opt>`, the file's stem, unique on a machine.
    """

    family: str
    command: str
    arch: str
    opt: str
    tag: str
    name: str

    @property
    def command_line(self) -> str:
        """Return the compiler with its options, as SUPERCOP names a configuration."""
        return " ".join(filter(None, (self.command, self.arch, self.opt)))


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

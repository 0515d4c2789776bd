# SPDX-License-Identifier: MIT
"""Compilers and how they are called."""

import re
from pathlib import Path

from msgspec import Struct


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

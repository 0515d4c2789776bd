# SPDX-License-Identifier: MIT
"""The one exception root.

Every error that a user can cause or cure is an AssayError: its message gives
the value that was wrong, and `cure` says in one sentence what to do about it.
Only the command line prints them.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class AssayError(Exception):
    """Something the user can act on."""

    def __init__(self, message: str, cure: str = "") -> None:
        """Keep the message and, apart from it, the cure."""
        super().__init__(message)
        self.cure = cure


class UsageError(AssayError):
    """Wrong usage: an unknown name, a bad value, a missing file (exit code 2)."""


class MachineError(AssayError):
    """The machine lacks something: a compiler, a jail, disk space (exit code 2)."""


class PackageError(AssayError):
    """A package cannot even be loaded: no header, no source (a failed verdict)."""


class VectorFormatError(AssayError):
    """A vector file is damaged or cut short; the message says where."""


def meant(name: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> str:
    """Return the beginning of a cure that asks for the nearest names; empty if none is near."""
    near = get_close_matches(name, list(known), most, cutoff)
    return f"Did you mean {' or '.join(near)}? " if near else ""

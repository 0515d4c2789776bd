# SPDX-License-Identifier: MIT
"""Executables on the path that look like C compilers. Nothing is executed here."""

import os
import re
from pathlib import Path

from msgspec import Struct

from assay.toolchain.process import is_native

_NAME = re.compile(
    r"(?:(?P<prefix>\w+(?:-[\w.]+)*?)-)?"
    r"(?P<stem>gcc|clang|tcc|icc|icx|cc|c99|cl)"
    r"(?:-(?P<version>\d+(?:\.\d+)*))?"
)
_WRAPPERS = frozenset({"c89", "c99"})  # Debian's c99-gcc: a standard, no target
_FAMILIES = {"icx": "clang", "c99": "cc", "cl": "msvc"}


class CompilerCandidate(Struct, frozen=True):
    """An executable that may be a compiler.

    `family` is what the name suggests; only running it tells. `command` is the
    name to type, or a path; words after the first are options.
    """

    family: str
    command: str


def candidates(path: str | None = None, *, cross: bool = False) -> tuple[CompilerCandidate, ...]:
    """Name what looks like a compiler in the folders of `path` (default: PATH).

    Names with a target prefix other than this machine's are left out unless
    `cross` is given. Relative folders are not searched: what they hold depends
    on where the user stands.
    """
    folders = (os.environ.get("PATH", "") if path is None else path).split(os.pathsep)
    names = {name for folder in folders for name in _executables(folder)}
    found = (_candidate(name, cross=cross) for name in names)
    return tuple(sorted((each for each in found if each), key=lambda each: _order(each.command)))


def family_of(command: str) -> str:
    """Guess the family from a command's name; `cc` where it tells nothing."""
    match = _NAME.fullmatch(Path(command.split(maxsplit=1)[0]).name)
    stem = match["stem"] if match else "cc"
    return _FAMILIES.get(stem, stem)


def cross_prefix(command: str) -> str:
    """Return the target prefix of a cross compiler (`mips-linux-gnu`); empty for a native one."""
    match = _NAME.fullmatch(Path(command.split(maxsplit=1)[0]).name)
    prefix = match["prefix"] if match else None
    return prefix if prefix and prefix not in _WRAPPERS and not is_native(prefix) else ""


def _candidate(name: str, *, cross: bool) -> CompilerCandidate | None:
    """Keep the name if it is a compiler's, of a target that is wanted."""
    match = _NAME.fullmatch(name)
    if not match or match["prefix"] in _WRAPPERS:
        return None
    if not cross and cross_prefix(name):
        return None
    return CompilerCandidate(family_of(name), name)


def _executables(folder: str) -> list[str]:
    """List the executable files of a folder; nothing if it cannot be read."""
    if not os.path.isabs(folder):  # noqa: PTH117 - an empty entry means "." and is no Path
        return []
    try:
        entries = os.listdir(folder)  # noqa: PTH208 - names, of thousands of files
    except OSError:
        return []
    names = (name for name in entries if _NAME.fullmatch(name))
    return [name for name in names if _is_executable(Path(folder, name))]


def _is_executable(path: Path) -> bool:
    """Return whether the file exists, is no folder, and may be executed."""
    return path.is_file() and os.access(path, os.X_OK)


def _order(command: str) -> tuple[int, str]:
    """Sort plain names by kind of compiler, and those with a target prefix last."""
    stems = ("gcc", "clang", "icc", "icx", "tcc", "cc", "c99", "cl")
    rank = next((i for i, stem in enumerate(stems) if command.startswith(stem)), len(stems))
    return rank, command

# SPDX-License-Identifier: MIT
"""Linking as a compiler's driver does, without starting it each time.

clang takes twice as long to start as the linker to link. It says what it would start
(`-###`); that is asked once for a set of options, and started with the objects at hand.
"""

import functools
import shlex
from pathlib import Path, PurePath

from assay.execute.command import Ended, run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail, Limits
from assay.execute.staging import staged_folder
from assay.model import Compiler

ASK = "-###"
PASSED = "-Wl,"  # the driver passes on what follows, and keeps its place
PART = "assay-part-"


def run_link(
    compiler: Compiler, command: list[str], home: Path, jail: Jail, limits: Limits
) -> Ended:
    """Link in `home`; where that fails, by the driver, so that the words are its own.

    What is linked stands in the command with its whole path.
    """
    direct = linker_line(compiler, command, home, jail)
    if direct:
        ended = run_jailed(direct, home, jail, limits)
        if ended.ok:
            return ended
    return run_jailed(command, home, jail, limits)


def linker_line(
    compiler: Compiler, command: list[str], home: Path, jail: Jail
) -> list[str] | None:
    """Return what the driver would start for a command; None if it is to be started itself."""
    if compiler.family != "clang":
        return None  # gcc's starts at once, and leaves files behind for its plugin
    files = [word for word in command if word.startswith(f"{home}/")]
    parts = {f"{PART}{number}": word for number, word in enumerate(files)}
    names = {word: name for name, word in parts.items()}
    asked = tuple(PASSED + names[word] if word in names else word for word in command)
    line = _answer(asked, jail)
    if line is None or sorted(word for word in line if word in parts) != sorted(parts):
        return None
    return [parts.get(word, word) for word in line]


@functools.lru_cache(maxsize=64)
def _answer(asked: tuple[str, ...], jail: Jail) -> tuple[str, ...] | None:
    """Ask the driver; None if the answer is anything but one call of a linker."""
    with staged_folder("assay-build-") as home:
        ended = run_jailed([*asked, ASK], home, jail, LONG_COMPILE_LIMITS)
    return one_linker(ended.output) if ended.ok else None


def one_linker(said: str) -> tuple[str, ...] | None:
    """Read the one command that a driver would start, if it is a linker without helpers.

    Drivers escape a few characters in their own way; a line with any is none.
    """
    lines = [line for line in said.splitlines() if line.startswith(' "')]
    try:
        words = shlex.split(lines[0]) if len(lines) == 1 and "\\" not in lines[0] else []
    except ValueError:
        return None
    whole = words and PurePath(words[0]).is_absolute() and PurePath(words[0]).name[:2] == "ld"
    return tuple(words) if whole and not any("/tmp/" in word for word in words) else None  # noqa: S108

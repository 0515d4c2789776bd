# SPDX-License-Identifier: MIT
"""Bringing an agent to a board: the user's own command, or the user's own hands."""

import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from assay.errors import MachineError
from assay.execute.command import has_ended, kill_group, read_sink, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder
from assay.model import Target

TIME_LIMIT_SECONDS = 180.0
KEPT_LINES = 20
FORMATS = {"{hex}": "ihex", "{image}": "binary"}  # as objcopy calls them


def flash(target: Target, agent: Path, jail: Jail) -> None:
    """Run the target's flash command; MachineError with what it printed if it fails.

    It is the user's and runs as such, outside of the jail: it needs the board.
    """
    with staged_folder("assay-flash-") as folder:
        elf = Path(shutil.copy(agent, folder / "agent.elf"))
        hand_over(folder)
        known = {"{elf}": str(elf), "{line}": target.line, "{speed}": str(target.speed)}
        for mark, form in FORMATS.items():
            if mark in target.flash:
                known[mark] = str(_converted(target, elf, form, jail))
        _run(target, [_filled(word, known) for word in shlex.split(target.flash)])


def by_hand(target: Target, agent: Path) -> None:
    """Make sure that the user has had this agent to flash; MachineError the first time.

    An agent is known by what it consists of.
    """
    folder = cache_folder() / "boards" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    elf = folder / "agent.elf"
    if elf.exists() and elf.read_bytes() == agent.read_bytes():
        return
    shutil.copyfile(agent, elf)
    raise MachineError(
        f"{target.name} has no `flash` command, and this agent has not been on it yet",
        f"Flash {elf} by hand and give the same command again.",
    )


def objcopy_of(compiler: str) -> str:
    """Name the objcopy that belongs to a gcc."""
    return re.sub(r"(gcc|clang)(-[\d.]+)?$", "objcopy", compiler)


def _converted(target: Target, elf: Path, form: str, jail: Jail) -> Path:
    """Convert the agent, in the jail: a stranger's code is in it."""
    to = elf.with_suffix(".hex" if form == "ihex" else ".bin")
    command = [objcopy_of(target.compiler), "-O", form, elf.name, to.name]
    ended = run_jailed(command, elf.parent, jail, COMPILE_LIMITS)
    if not ended.ok or to.is_symlink() or not to.is_file():
        raise MachineError(
            f"{command[0]} made no {form} of the agent: {ended.output.strip()[:2000]}",
            f"Is {command[0]} installed (`assay targets`)?",
        )
    return to


def _filled(word: str, known: dict[str, str]) -> str:
    for mark, value in known.items():
        word = word.replace(mark, value)
    return word


def _run(target: Target, command: list[str]) -> None:
    cure = f"Try it by hand, and fix `flash` of {target.name} in your targets file."
    with tempfile.TemporaryFile() as sink:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(f"{target.name} cannot be flashed: {error}", cure) from None
        if not has_ended(process, TIME_LIMIT_SECONDS):
            kill_group(process)
        code = process.wait()
        said = "\n".join(read_sink(sink.fileno()).strip().splitlines()[-KEPT_LINES:])
    if code < 0:
        limit = f"it was stopped (after {TIME_LIMIT_SECONDS:.0f} seconds at most)"
        raise MachineError(f"{target.name} was not flashed: {limit}; it printed: {said}", cure)
    if code:
        what = f"`{shlex.join(command)}` exited with code {code}"
        raise MachineError(f"{target.name} was not flashed: {what}; it printed: {said}", cure)

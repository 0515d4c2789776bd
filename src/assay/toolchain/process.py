# SPDX-License-Identifier: MIT
"""Runs a compiler, or a program of ours that it made for some target, with a time-out.

Only the conftest programs of this package are compiled here, so there is no jail.
"""

import contextlib
import errno
import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from assay.machine.processors import usable_processors
from assay.machine.threads import Threads

TIMEOUT_SECONDS = 60.0  # clang in an emulated machine took more than 20
_WORKERS_MAX = 8
_SHORTAGES = (errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)
_PASSING = (*(os.strerror(number) for number in _SHORTAGES), "Killed")
Item = TypeVar("Item")
Answer = TypeVar("Answer")
_SPELLINGS = (
    (r"amd64", "x86_64"),
    (r"i[3-6]86", "i386"),
    (r"arm64", "aarch64"),
    (r"arm(?!eb).*", "arm"),
    (r"powerpc(.*)", r"ppc\1"),
    (r"parisc.*", "hppa"),
)
_FAMILIES = (
    (r"x86_64|i386", "x86"),
    (r"aarch64.*", "aarch64"),
    (r"arm.*", "arm"),
    (r"ppc.*", "ppc"),
    (r"mips.*", "mips"),
    (r"sparc.*", "sparc"),
    (r"riscv.*", "riscv"),
    (r"s390x", "s390x"),
    (r"alpha.*", "alpha"),
    (r"hppa.*", "hppa"),
)


class Finished(Struct, frozen=True):
    """How a process ended: `code` is None if it could not start or ran out of time."""

    code: int | None
    output: str
    messages: str

    @property
    def ok(self) -> bool:
        """Return whether it ended with 0."""
        return self.code == 0

    @property
    def passing(self) -> bool:
        """Return whether the machine failed and not the command: it was out of something."""
        short = any(text in self.messages for text in _PASSING)
        return self.code is None or self.code == -signal.SIGKILL or (not self.ok and short)


def run(command: Sequence[str], folder: Path, seconds: float = TIMEOUT_SECONDS) -> Finished:
    """Run a command in a folder, with plain English messages and no input.

    It gets a session of its own, so that a time-out also ends what a compiler
    driver has started.
    """
    try:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return Finished(None, "", str(error))
    with child:
        try:
            output, messages = child.communicate(timeout=seconds)
        except BaseException as error:
            _kill(child.pid)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return Finished(None, "", f"no end after {seconds:.0f} s")
    return Finished(child.returncode, output, messages)


def in_parallel(ask: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
    """Answer for every item, on all processors, in the items' order.

    After Ctrl-C what has not begun is dropped.
    """
    pool = Threads(min(_WORKERS_MAX, len(usable_processors())))
    try:
        return list(pool.map(ask, items))
    finally:
        pool.shutdown(cancel_futures=True)


def _kill(session: int) -> None:
    """End the whole session of a child."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(session, signal.SIGKILL)


def processor(target: str) -> str:
    """Name the processor of a target (`mips-linux-gnu`) or machine, as qemu spells it."""
    cpu = target.split("-", 1)[0].lower()
    for form, name in _SPELLINGS:
        match = re.fullmatch(form, cpu)
        if match:
            return match.expand(name)
    return cpu


def processor_family(target: str) -> str:
    """Name the family whose options a target takes; empty if it is unknown."""
    cpu = processor(target)
    return next((name for form, name in _FAMILIES if re.fullmatch(form, cpu)), "")


def is_native(target: str) -> bool:
    """Return whether programs for the target run here, without help."""
    if platform.system().lower() not in target:
        return False
    here, there = processor(platform.machine()), processor(target)
    return here == there or (here, there) == ("x86_64", "i386")


def runner(target: str) -> tuple[str, ...] | None:
    """Return the words to put before a program: none here, qemu for others, None without it."""
    if is_native(target):
        return ()
    name = f"qemu-{processor(target)}"
    qemu = shutil.which(name) or shutil.which(f"{name}-static")
    if qemu is None or "linux" not in target:
        return None
    libraries = Path("/usr") / target
    return (qemu, "-L", str(libraries)) if libraries.is_dir() else (qemu,)

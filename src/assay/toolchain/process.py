# SPDX-License-Identifier: MIT
"""Runs a compiler, or a program of ours that it made, with a time-out.

Only the conftest programs of this package are compiled here, so there is no jail.
"""

import contextlib
import errno
import os
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

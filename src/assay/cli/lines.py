# SPDX-License-Identifier: MIT
"""What commands say on standard error where no bars are drawn: progress, and who is waited for.

Progress is a line for each stage, and one every half minute, so that whoever reads a log or a
pipe sees that a command goes on.
"""

import sys
import time
from contextlib import AbstractContextManager, suppress
from threading import Event
from typing import Protocol

import click

from assay.execute.lock import Holder
from assay.machine.threads import Threads
from assay.model.progress import Progress
from assay.report.printable import printable

EVERY_SECONDS = 30.0


class Shown(Progress, AbstractContextManager["Shown"], Protocol):
    """What shows progress from its beginning to its end."""


def showing(*, brief: bool = False) -> Shown:
    """Return what shows how far a command is: bars for a person, lines for everybody else.

    A `brief` command shows nothing unless it lasts for half a minute.
    """
    if sys.stderr.isatty() and not brief:
        from assay.cli.progress import Bars  # noqa: PLC0415 - takes longer than a small command

        return Bars()
    return Lines(stages=not brief)


class Lines:
    """Prints a line for a stage, and how far it is while it lasts. Use it as a context manager."""

    def __init__(self, *, stages: bool = True, every_seconds: float = EVERY_SECONDS) -> None:
        """Print a line where a stage begins, unless only what lasts is of interest."""
        self._stages, self._every = stages, every_seconds
        self._began = time.monotonic()
        self._stage = self._last = ""
        self._done = self._steps = 0
        self._ended = Event()
        self._thread = Threads(1)

    def __enter__(self) -> "Lines":
        """Begin to wait; without memory for a thread there are no lines in between."""
        with suppress(MemoryError):
            self._thread.submit(self._go_on)
        return self

    def __exit__(self, *_: object) -> None:
        """End, at once."""
        self._ended.set()
        self._thread.shutdown()

    def begin(self, stage: str, steps: int) -> None:
        """Begin a stage; an empty one is not shown."""
        self._stage, self._steps, self._done, self._last = stage if steps else "", steps, 0, ""
        if steps and self._stages:
            click.echo(f" * {stage} ({steps})", err=True)

    def advance(self, note: str = "") -> None:
        """Finish a step."""
        self._done += 1
        self._last = note

    def warn(self, text: str) -> None:
        """Print a warning."""
        click.echo(f"warning: {text}", err=True)

    def tell(self) -> None:
        """Print how far the stage is."""
        if self._stage:
            minutes, seconds = divmod(round(time.monotonic() - self._began), 60)
            last = f", last: {self._last}" if self._last else ""
            done = f"{self._done} of {self._steps} done{last}"
            click.echo(f" * {self._stage}: {done} ({minutes}:{seconds:02d})", err=True)

    def _go_on(self) -> None:
        while not self._ended.wait(self._every):
            self.tell()


def say(what: Holder | float | None) -> None:
    """Print for whom the machine is waited for, or for how many seconds it was."""
    click.echo(f" * {_wait(what)}", err=True)


def _wait(what: Holder | float | None) -> str:
    if isinstance(what, float):
        return f"waited {what:.0f} s for the machine"
    if what is None or what.process is None:
        return "waiting for the machine: another program has it"
    doing = "measuring" if what.measuring else "compiling or checking"
    who = f"`{printable(what.command)}` (process {what.process})"
    return f"waiting for the machine: {who} is {doing}"

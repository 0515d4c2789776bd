# SPDX-License-Identifier: MIT
"""How far checks are that take hours: a bar for each, or a line now and then in a log."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import click
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from assay.check.engine.wanted import LongWanted
from assay.cli.console import progress_console, watched
from assay.machine.cache import cache_folder

PARTS = 20  # of a course that a log gets lines for


@dataclass(slots=True)
class Courses:
    """Hears how far each check is; `bars` shows it to a person."""

    bars: Progress
    drawn: bool
    tasks: dict[str, TaskID] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)

    def reach(self, label: str, done: int, whole: int) -> None:
        """Show that so many of a check's steps are done."""
        if self.drawn:
            if label not in self.tasks:
                self.tasks[label] = self.bars.add_task(label, total=whole)
            self.bars.update(self.tasks[label], completed=done)
            return
        part = PARTS * done // whole
        if part > self.shown.get(label, -1):
            self.shown[label] = part
            click.echo(f" * {label}: {100 * done // whole} % of a long keystream", err=True)


@contextmanager
def long_wanted(*, alone: bool) -> Iterator[LongWanted]:
    """Lend what checks need that take hours; bars are drawn if there are no others."""
    drawn = alone and watched()
    bars = Progress(
        TextColumn(" * {task.description}: a long keystream"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %, left:"),
        TimeRemainingColumn(),
        console=progress_console(),
        disable=not drawn,
    )
    with bars:
        yield LongWanted(cache_folder() / "long", Courses(bars, drawn).reach)

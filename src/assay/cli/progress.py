# SPDX-License-Identifier: MIT
"""Bars of progress, for commands and for checks that take hours."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from msgspec import Struct, field
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from assay.check.engine.wanted import LongWanted
from assay.cli.console import progress_console, watched
from assay.machine.cache import cache_folder

BAR = 12  # columns; a wide one would leave a narrow terminal no room for figures


class Bars:
    """A bar for every stage, on standard error. Use it as a context manager."""

    def __init__(self) -> None:
        """Draw nothing yet."""
        self._bars = Progress(
            TextColumn(" * {task.description}"),
            BarColumn(bar_width=BAR),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            # Otherwise a narrow terminal would cut off a figure, or its interval.
            TextColumn("{task.fields[note]}", table_column=Column(no_wrap=False)),
            console=progress_console(),
        )
        self._task: TaskID | None = None

    def __enter__(self) -> "Bars":
        """Start drawing."""
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        self._bars.stop()

    def begin(self, stage: str, steps: int) -> None:
        """Begin a stage; an empty one is not shown."""
        self._task = None
        if steps:
            self._task = self._bars.add_task(stage, total=steps, note="")

    def advance(self, note: str = "") -> None:
        """Finish a step."""
        if self._task is not None:
            self._bars.update(self._task, advance=1, note=note)

    def warn(self, text: str) -> None:
        """Print a warning above the bars."""
        self._bars.console.print(f"warning: {text}", markup=False, highlight=False)


PARTS = 20  # of a course that a log gets lines for


class Courses(Struct):
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

# SPDX-License-Identifier: MIT
"""Progress on the terminal: a bar with an estimate, or a line per stage where there is none."""

from types import TracebackType

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from assay.cli.console import progress_console, watched


class Bars:
    """A bar for every stage, on standard error. Use it as a context manager."""

    def __init__(self) -> None:
        """Draw bars only for a person; a log gets a line per stage."""
        self._drawn = watched()
        self._bars = Progress(
            TextColumn(" * {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=progress_console(),
            disable=not self._drawn,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> "Bars":
        """Start drawing."""
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop drawing."""
        self._bars.stop()

    def begin(self, stage: str, steps: int) -> None:
        """Begin a stage; an empty one is not shown."""
        self._task = None
        if not steps:
            return
        if self._drawn:
            self._task = self._bars.add_task(stage, total=steps, note="")
        else:
            click.echo(f" * {stage} ({steps})", err=True)

    def advance(self, note: str = "") -> None:
        """Finish a step."""
        if self._task is not None:
            self._bars.update(self._task, advance=1, note=note)

    def warn(self, text: str) -> None:
        """Print a warning above the bars."""
        if self._drawn:
            self._bars.console.print(f"warning: {text}", markup=False, highlight=False)
        else:
            click.echo(f"warning: {text}", err=True)

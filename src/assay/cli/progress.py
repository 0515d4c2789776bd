# SPDX-License-Identifier: MIT
"""Progress on a terminal that a person watches: a bar with an estimate for every stage."""

from types import TracebackType

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from assay.cli.console import progress_console


class Bars:
    """A bar for every stage, on standard error. Use it as a context manager."""

    def __init__(self) -> None:
        """Draw nothing yet."""
        self._bars = Progress(
            TextColumn(" * {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=progress_console(),
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
        if steps:
            self._task = self._bars.add_task(stage, total=steps, note="")

    def advance(self, note: str = "") -> None:
        """Finish a step."""
        if self._task is not None:
            self._bars.update(self._task, advance=1, note=note)

    def warn(self, text: str) -> None:
        """Print a warning above the bars."""
        self._bars.console.print(f"warning: {text}", markup=False, highlight=False)

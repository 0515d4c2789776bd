# SPDX-License-Identifier: MIT
"""How much of the files beside a package is read: nobody named them, and anybody may put them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from assay.errors import VectorFormatError

MOST_BYTES = 32 << 20
MOST_LINES = 500_000
MOST_SECONDS = 5.0
_STEP = 256  # lines between two looks at the clock
_CURE = "`--answers FILE` compares it, however large it is."


@dataclass(slots=True)
class Allowance:
    """What is left for the files beside one package, all together.

    The limits are estimates: no collection of genuine files was measured for them.
    """

    bytes_left: int = MOST_BYTES
    lines_left: int = MOST_LINES
    seconds_left: float = MOST_SECONDS
    _began: float = 0.0

    def take(self, path: Path, text: str) -> None:
        """Count the text of a file; VectorFormatError where all files have more than they may."""
        self.bytes_left -= len(text)
        self.lines_left -= text.count("\n")
        if self.bytes_left < 0:
            self._over(path, f"{MOST_BYTES >> 20} MiB")
        if self.lines_left < 0:
            self._over(path, f"{MOST_LINES} lines")

    def begin(self) -> None:
        """Begin to read a file."""
        self._began = time.monotonic()

    def end(self) -> None:
        """Count the time that reading it took."""
        self.seconds_left -= time.monotonic() - self._began

    def look(self, path: Path) -> None:
        """Raise VectorFormatError if reading takes longer than it may."""
        if time.monotonic() - self._began > self.seconds_left:
            what = f"reading it and the files before it takes more than {MOST_SECONDS:.0f} s"
            raise VectorFormatError(f"{path}: {what}", _CURE)

    def _over(self, path: Path, what: str) -> NoReturn:
        text = f"{path}: it and the files before it have more than {what} together"
        raise VectorFormatError(text, _CURE)


class TimedLines(list[str]):
    """The lines of a file, that are read as long as there is time."""

    def __init__(self, text: str, path: Path, allowance: Allowance | None) -> None:
        """Divide a text; without an allowance there is no limit."""
        super().__init__(text.splitlines())
        self._path, self._allowance = path, allowance

    def __iter__(self) -> Iterator[str]:
        """Yield the lines; VectorFormatError when the time is over."""
        for number, line in enumerate(super().__iter__()):
            if self._allowance is not None and number % _STEP == 0:
                self._allowance.look(self._path)
            yield line

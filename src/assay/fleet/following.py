# SPDX-License-Identifier: MIT
"""Commands that a fleet runs beside each other: who hears their lines, and how all are ended."""

import contextlib
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from assay.errors import MachineError
from assay.report.printable import printable

Say = Callable[[str], None]
# Assay itself. Where it runs may be a stranger's folder: Python imports nothing from there (-P).
PROGRAM = (sys.executable, "-P", "-c", "from assay.cli.program import program; program()")
KEPT_LINES = 3
LINE_BYTES = 1 << 14
FAREWELL_SECONDS = 10.0


class Ran(Struct, frozen=True):
    """How a command ended, and the last lines that it said."""

    code: int
    said: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """Return what it said last, in one line."""
        return "; ".join(self.said) or "it did not say why"


class Children:
    """The commands that run now. `end` ends them, from any thread."""

    def __init__(self) -> None:
        """Start with none."""
        self._live: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._ended = False

    @contextmanager
    def started(self, words: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        """Lend a command with pipes to and from it; it has ended when the context has."""
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        except FileNotFoundError:
            raise MachineError(f"there is no {words[0]} on this machine", "Install it.") from None
        with self._lock:
            self._live.add(process)
            late = self._ended
        try:
            if late:
                process.terminate()
            yield process
        except BaseException:
            process.terminate()
            raise
        finally:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            _end(process)
            with self._lock:
                self._live.discard(process)

    def end(self) -> None:
        """End all commands, and those that are only now started."""
        with self._lock:
            self._ended = True
            for process in self._live:
                process.terminate()


def followed(process: subprocess.Popen[bytes], say: Say) -> Ran:
    """Hand on what a command prints, line by line, until it has ended."""
    assert process.stdout is not None  # noqa: S101 - it was asked for
    last: deque[str] = deque(maxlen=KEPT_LINES)
    while data := process.stdout.readline(LINE_BYTES):
        line = printable(data.decode("utf-8", "replace").strip())
        if line:
            last.append(line)
            say(line)
    return Ran(process.wait(), tuple(last))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a command whose input has ended; kill it if it goes on."""
    for how in (process.terminate, process.kill):
        try:
            process.wait(FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            how()
    process.wait()

# SPDX-License-Identifier: MIT
"""Agents on a board behind a serial line.

A board cannot be killed. What happens between agents: another agent, or a board
that no longer answers, is flashed; the same agent is only greeted again, because
flash memory wears out and buffers are made anew anyhow.

Lines change and lose bytes. A request that did not arrive whole has not been
executed, and the agent says so, or is brought to say so: after some silence zeros
fill up what it may still wait for, and a frame follows that is wrong on purpose, with
the number of the request. An answer that did not arrive whole is an error of the
machine, never a verdict.
"""

import threading
import time
from pathlib import Path

from assay.errors import MachineError
from assay.execute.flash import by_hand, flash
from assay.execute.jail import Jail
from assay.execute.line import SerialLine, payload_bytes, whole_payload
from assay.execute.pipe import PipeClosed, PipeTimeout
from assay.execute.protocol import CHECKSUM, HEADER, encode
from assay.model import Target

BOOT_SECONDS = 10.0
PRESENT_SECONDS = 3.0  # for a board that has answered before
NUDGE_SECONDS = 2.0
GAP_SECONDS = 3.0  # inside an answer nothing takes so long
SETTLE_SECONDS = 0.3
NUDGE_ZEROS = 64
ADVICE = (
    "the code hangs or crashed the board, or the line lost bytes: "
    "try a lower `speed` or a shorter cable"
)

_lines: dict[str, SerialLine] = {}
_lines_lock = threading.Lock()


def open_board(target: Target, agent: Path, jail: Jail) -> "SerialPipe":
    """Bring the agent to the board and open its line; MachineError if nothing answers.

    One thread has a board at a time; within it conversations may overlap, since every
    check makes its own buffers.
    """
    line = _line(target)
    line.lock.acquire()
    try:
        _make_ready(line, target, agent, jail)
    except BaseException:
        line.lock.release()
        raise
    return SerialPipe(line)


def close_lines() -> None:
    """Let go of every line."""
    with _lines_lock:
        for line in _lines.values():
            line.close()
        _lines.clear()


def _line(target: Target) -> SerialLine:
    with _lines_lock:
        if target.line not in _lines:
            _lines[target.line] = SerialLine(target.line, target.speed)
        return _lines[target.line]


def _make_ready(line: SerialLine, target: Target, agent: Path, jail: Jail) -> None:
    if line.image == agent.name and line.greet(PRESENT_SECONDS):
        return
    line.image = ""
    if target.flash:
        line.close()  # the command may need it
        flash(target, agent, jail)
    else:
        by_hand(target, agent)
    if not line.greet(BOOT_SECONDS):
        said = line.silence()
        line.close()
        raise MachineError(
            f"{target.name}: no agent answers on {line.name} at {line.speed} baud: {said}",
            "Is the board on, is `speed` that of its port, does it run the agent after flashing? "
            "Reset it and start again.",
        )
    line.image = agent.name


class SerialPipe:
    """A conversation over a line, one request at a time."""

    def __init__(self, line: SerialLine) -> None:
        """Speak on a line whose lock this thread has."""
        self._line = line
        self._closed = False
        self._sent = b""
        self._written_at = 0.0
        self._nudged = 0
        self._frame = b""  # what of the present answer has not been asked for yet

    def write(self, data: bytes) -> None:
        """Send one frame."""
        if self._closed:
            raise PipeClosed
        if self._nudged:
            self._line.quiet(SETTLE_SECONDS)  # what answers the nudges is not for this request
        self._sent, self._nudged, self._frame = data, 0, b""
        self._line.write(data)
        self._written_at = time.monotonic()

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes of an answer that has arrived whole."""
        if self._closed:
            raise PipeClosed
        if len(self._frame) < length:
            self._frame = self._next_frame(deadline)
        taken, self._frame = self._frame[:length], self._frame[length:]
        return taken

    def close(self) -> str:
        """Leave the line to others; the agent stays where it is."""
        if not self._closed:
            self._closed = True
            self._line.lock.release()
        return ""

    def _next_frame(self, deadline: float) -> bytes:
        """Wait for an answer; what is no frame is given as it came."""
        first = self._first_bytes(deadline)
        try:
            header, rest = self._line.exactly(first, HEADER.size, _gap())
            length = payload_bytes(header)
            if length is None:
                return header
            wanted = length + CHECKSUM.size
            slowly = _gap() + 20 * wanted / self._line.speed
            body, _ = self._line.exactly(rest, wanted, slowly)
        except PipeTimeout:
            raise self._damaged("is not complete") from None
        if whole_payload(header + body) is None:
            raise self._damaged("has a wrong checksum")
        return header + body

    def _first_bytes(self, deadline: float) -> bytes:
        while time.monotonic() < deadline:
            heard = self._line.some()
            if heard:
                return heard
            if time.monotonic() - self._written_at > NUDGE_SECONDS * 3**self._nudged:
                self._nudge()
        self._line.image = ""  # whatever it does now: the next agent is flashed
        raise PipeTimeout

    def _nudge(self) -> None:
        """Bring an agent that lacks a part of the request to say so."""
        if self._nudged < 2:
            zeros = NUDGE_ZEROS + (self._line.largest_payload if self._nudged else 0)
            sequence = int.from_bytes(self._sent[4:8], "little")
            wrong = encode(0, sequence, b"")[: -CHECKSUM.size] + bytes(CHECKSUM.size)
            self._line.offer(bytes(zeros) + wrong)
        self._nudged += 1

    def _damaged(self, how: str) -> MachineError:
        self._line.image = ""
        return MachineError(
            f"an answer on the line {self._line.name} {how}",
            "Try a lower `speed` or a shorter cable. If it is always the same check, the code "
            "under test writes to the line, or crashes the board.",
        )


def _gap() -> float:
    return time.monotonic() + GAP_SECONDS

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

import atexit
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType

from assay.errors import MachineError
from assay.execute.command import LOOK_SECONDS, has_ended, kill_group, read_sink, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.line import SerialLine, payload_bytes, whole_payload
from assay.execute.pipe import PipeClosed, PipeTimeout
from assay.execute.protocol import CHECKSUM, HEADER, encode
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder
from assay.machine.threads import go_on
from assay.model import Target

FLASH_SECONDS = 180.0
DONE = {"flash": "flashed", "acquire": "acquired", "release": "released", "reset": "reset"}
KEPT_LINES = 20
EMPTY: Mapping[str, str] = MappingProxyType({})
FORMATS = {"{hex}": "ihex", "{image}": "binary"}  # as objcopy calls them


def flash(target: Target, agent: Path, jail: Jail) -> None:
    """Run the target's flash command; MachineError with what it printed if it fails.

    It is the user's and runs as such, outside of the jail: it needs the board.
    """
    with staged_folder("assay-flash-") as folder:
        elf = Path(shutil.copy(agent, folder / "agent.elf"))
        hand_over(folder)
        known = {"{elf}": str(elf)}
        for mark, form in FORMATS.items():
            if mark in target.flash:
                known[mark] = str(_converted(target, elf, form, jail))
        _command(target, "flash", target.flash, FLASH_SECONDS, known)


def by_hand(target: Target, agent: Path) -> None:
    """Make sure that the user has had this agent to flash; MachineError the first time.

    An agent is known by what it consists of.
    """
    folder = cache_folder() / "boards" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    elf = folder / "agent.elf"
    if elf.exists() and elf.read_bytes() == agent.read_bytes():
        return
    shutil.copyfile(agent, elf)
    raise MachineError(
        f"{target.name} has no `flash` command, and this agent has not been on it yet",
        f"Flash {elf} by hand and give the same command again.",
    )


def objcopy_of(compiler: str) -> str:
    """Name the objcopy that belongs to a gcc."""
    return re.sub(r"(gcc|clang)(-[\d.]+)?$", "objcopy", compiler)


def _converted(target: Target, elf: Path, form: str, jail: Jail) -> Path:
    """Convert the agent, in the jail: a stranger's code is in it."""
    to = elf.with_suffix(".hex" if form == "ihex" else ".bin")
    command = [objcopy_of(target.compiler), "-O", form, elf.name, to.name]
    ended = run_jailed(command, elf.parent, jail, COMPILE_LIMITS)
    if not ended.ok or to.is_symlink() or not to.is_file():
        raise MachineError(
            f"{command[0]} made no {form} of the agent: {ended.output.strip()[:2000]}",
            f"Is {command[0]} installed (`assay targets`)?",
        )
    return to


def _filled(word: str, known: dict[str, str]) -> str:
    for mark, value in known.items():
        word = word.replace(mark, value)
    return word


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a command's end, unless threads are to end."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if has_ended(process, min(left, LOOK_SECONDS)):
            return True
        go_on()
    return False


class Stopped(MachineError):
    """A command of a targets file took too long, and what it did by then is unknown."""


def _command(
    target: Target, name: str, text: str, seconds: float, known: Mapping[str, str] = EMPTY
) -> None:
    """Run a command of a targets file; MachineError with what it printed if it fails."""
    words = {"{line}": target.line, "{speed}": str(target.speed), **known}
    command = [_filled(word, words) for word in shlex.split(text)]
    cure = f"Try it by hand, and fix `{name}` of {target.name} in your targets file."
    if name == "acquire":
        cure = f"If somebody else has it, start again when it is free. {cure}"
    with tempfile.TemporaryFile() as sink:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(f"{target.name} cannot be {DONE[name]}: {error}", cure) from None
        try:
            if not _has_ended(process, seconds):
                kill_group(process)
        except BaseException:  # Ctrl-C: the command has a session of its own, and would go on
            kill_group(process)
            raise
        code = process.wait()
        said = "\n".join(read_sink(sink.fileno()).strip().splitlines()[-KEPT_LINES:])
    what, raised = f"`{shlex.join(command)}` exited with code {code}", MachineError
    if code < 0:
        what, raised = f"it was stopped (after {seconds:.0f} seconds at most)", Stopped
    if code:
        raise raised(f"{target.name} was not {DONE[name]}: {what}; it printed: {said}", cure)


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


@atexit.register
def close_lines() -> None:
    """Let go of every line, and give boards back; a warning says which cannot be given back."""
    with _lines_lock:
        for line in _lines.values():
            line.close()
            try:
                if line.release is not None:
                    line.release()
            except MachineError as error:
                sys.stderr.write(f"warning: {error}\n")
        _lines.clear()


def _line(target: Target) -> SerialLine:
    with _lines_lock:
        if target.line not in _lines:
            _lines[target.line] = SerialLine(target.line, target.speed)
        return _lines[target.line]


def _make_ready(line: SerialLine, target: Target, agent: Path, jail: Jail) -> None:
    if target.acquire and line.release is None:
        line.release = partial(_release, target)  # if it is interrupted, it may have it already
        try:
            _command(target, "acquire", target.acquire, target.acquire_seconds)
        except MachineError as error:
            line.release = None
            if isinstance(error, Stopped):  # it may have the board already
                with suppress(MachineError):
                    _release(target)
            raise
    if line.image == agent.name and line.greet(PRESENT_SECONDS):
        return
    hung_with, line.image, line.hung_with = line.hung_with, "", ""
    if hung_with and target.reset:
        line.close()
        _command(target, "reset", target.reset, target.reset_seconds)
        if hung_with == agent.name and line.greet(BOOT_SECONDS):
            line.image = agent.name
            return
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


def _release(target: Target) -> None:
    if target.release:
        _command(target, "release", target.release, target.release_seconds)


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
        # Whatever it does now: the board is reset, or the next agent is flashed.
        self._line.hung_with, self._line.image = self._line.image, ""
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
        self._line.hung_with, self._line.image = self._line.image, ""
        return MachineError(
            f"an answer on the line {self._line.name} {how}",
            "Try a lower `speed` or a shorter cable. If it is always the same check, the code "
            "under test writes to the line, or crashes the board.",
        )


def _gap() -> float:
    return time.monotonic() + GAP_SECONDS

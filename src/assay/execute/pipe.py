# SPDX-License-Identifier: MIT
"""Byte pipes to an agent, and what a process looks like to the code in it.

A target is whatever can open a pipe.
"""

import contextlib
import fcntl
import os
import select
import shutil
import subprocess
import tempfile
import time
from enum import StrEnum
from pathlib import Path
from typing import IO, Protocol

from assay.execute.calls import Calls
from assay.execute.command import has_ended, kill_group, read_sink
from assay.execute.jail import Jail, Limits
from assay.execute.process_time import innermost, page_faults, processor_seconds
from assay.machine.threads import readable


class Guise(StrEnum):
    """How an agent is started, as the last of its arguments tells it (`harness/agent/agent.c`).

    A SEALED one forgets its name and arguments, and cannot change itself, start threads or
    handle signals. An OPEN one can. A USERS program can, too, and has the name, the arguments,
    the environment, the folder and the host of a program that a user starts.
    """

    OPEN = "0"
    SEALED = "1"
    USERS = "2"


READ_BYTES = 1 << 20
PIPE_BYTES = 1 << 20  # what an ordinary user may ask for; long answers then take few turns
FAREWELL_SECONDS = 0.5
WRITE_SECONDS = 60.0  # for some of a request to be taken


class PipeClosed(Exception):
    """The agent has gone."""


class PipeTimeout(Exception):
    """The agent did not answer in time."""


class Pipe(Protocol):
    """Two-way bytes, and an account of how the other side ended."""

    def write(self, data: bytes) -> None:
        """Send all of `data`; PipeClosed if nobody listens, PipeTimeout if nothing is taken."""

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes by `deadline` (time.monotonic)."""

    def close(self) -> str:
        """End the agent; tell how it had ended before, and what it printed."""


class StreamPipe:
    """Two descriptors of a process, and a bounded account of what it printed."""

    def __init__(self, limits: Limits, farewell_seconds: float) -> None:
        """Make the pipes; `_start` starts the process, which then has the other ends."""
        self._limits = limits
        self._farewell_seconds = farewell_seconds
        self._closed = False  # descriptors are used again: ours must not be touched once closed
        self._hung_up = False  # the agent has gone, or closed its ends
        self._pending, self._at = b"", 0
        self._sink: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._agent_in, self._out = os.pipe()
        os.set_blocking(self._out, False)
        self._in, self._agent_out = os.pipe()
        _widen(self._in)

    def _start(
        self, command: list[str], *, standard_streams: bool, inherited: tuple[int, ...] = ()
    ) -> None:
        """Start the process, and leave its ends of the pipes to it alone."""
        ends = (self._agent_in, self._agent_out)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=self._agent_in if standard_streams else subprocess.DEVNULL,
                stdout=self._agent_out if standard_streams else self._sink,
                stderr=self._sink,
                pass_fds=(*inherited, *(() if standard_streams else ends)),
                start_new_session=True,
            )
        finally:
            for end in ends:
                os.close(end)

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        view = memoryview(data)
        if self._closed:
            raise PipeClosed
        try:
            while view:
                try:
                    view = view[os.write(self._out, view) :]
                except BlockingIOError:
                    if not select.select([], [self._out], [], WRITE_SECONDS)[1]:
                        raise PipeTimeout from None
        except BrokenPipeError as error:
            self._hung_up = True
            raise PipeClosed from error

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes by `deadline`."""
        end = self._at + length
        if end > len(self._pending):
            self._fill(length, deadline)
            end = length
        taken = self._pending[self._at : end]
        self._at = end
        return taken

    @property
    def arrived(self) -> tuple[bytes, int]:
        """Return bytes that were received, and from where on they have not been read."""
        return self._pending, self._at

    def read_up_to(self, end: int) -> None:
        """Count what has arrived as read, up to a place in it."""
        self._at = end

    def _fill(self, length: int, deadline: float) -> None:
        """Wait until `length` unread bytes are there; they then begin at 0."""
        parts = [self._pending[self._at :]]
        have = len(parts[0])
        while have < length:
            if self._closed:
                raise PipeClosed
            left = deadline - time.monotonic()
            if left <= 0 or not readable(self._in, left):
                raise PipeTimeout
            got = os.read(self._in, READ_BYTES)
            if not got:
                self._hung_up = True
                raise PipeClosed
            parts.append(got)
            have += len(got)
        self._pending, self._at = b"".join(parts), 0

    def close(self) -> str:
        """End the agent and say how it ended.

        One that has hung up ends a little later than its pipes, and how is worth waiting for.
        """
        self._closed = True
        os.close(self._out)
        os.close(self._in)
        patience = FAREWELL_SECONDS if self._hung_up else self._farewell_seconds
        alive = not has_ended(self._process, patience)
        kill_group(self._process)
        printed = read_sink(self._sink.fileno())
        size = os.fstat(self._sink.fileno()).st_size
        self._sink.close()
        return _account(self._process.returncode, alive, printed, size, self._limits)


def _widen(descriptor: int) -> None:
    """Let a pipe hold more, where the system allows it."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


class ProcessPipe(StreamPipe):
    """An agent that runs as a jailed process of this machine.

    The protocol has descriptors of its own: what the code under test prints goes
    to a bounded file and is never taken for an answer.
    """

    def __init__(
        self,
        argv: list[str],
        home: Path,
        jail: Jail,
        limits: Limits,
        *,
        stack_offset: int = 0,
        padding: int = 0,
        cpu: int | None = None,
        standard_streams: bool = False,
        inherited: tuple[int, ...] = (),
        lingers: bool = False,
        calls: Calls = Calls.AGENT,
        guise: Guise = Guise.SEALED,
    ) -> None:
        """Start `argv` with the protocol's descriptors as its arguments.

        With `standard_streams` it speaks on standard input and output instead, as
        emulated boards do; what it prints on standard error is kept either way. One that
        `lingers` is killed at the end without waiting. `calls` says what it may ask the
        system for: as an agent, which has a `guise`, or as a tool that executes one.
        """
        super().__init__(limits, 0.0 if lingers else FAREWELL_SECONDS)
        self._agent: int | None = None
        guise = guise if calls is Calls.AGENT else Guise.OPEN
        ends = [str(self._agent_in), str(self._agent_out), str(stack_offset), guise]
        words = argv if standard_streams else [*argv, *ends]
        can_pin = cpu is not None and shutil.which("taskset") is not None
        pinned = ["taskset", "-c", str(cpu)] if can_pin else []
        with jail.confined(
            words,
            home,
            limits,
            writable=False,
            padding=padding,
            calls=calls,
            as_users=guise is Guise.USERS,
        ) as confined:
            self._start(
                [*pinned, *confined.words],
                standard_streams=standard_streams,
                inherited=(*inherited, *confined.descriptors),
            )

    def processor_seconds(self) -> float | None:
        """Read how much processor time the agent has used; None if that cannot be seen."""
        pid = self._innermost()
        return None if pid is None else processor_seconds(pid)

    def page_faults(self) -> int | None:
        """Read how many page faults the agent has had; None if that cannot be seen."""
        pid = self._innermost()
        return None if pid is None else page_faults(pid)

    def _innermost(self) -> int | None:
        """Find the agent's process, once."""
        if self._agent is None:
            self._agent = innermost(self._process.pid)
        return self._agent


def _account(code: int, alive: bool, printed: str, size: int, limits: Limits) -> str:
    """Put into a sentence how an agent ended; empty if it ended well and was silent."""
    said = f"; it printed: {printed.strip()[:2000]}" if printed.strip() else ""
    if size >= limits.file_bytes:
        return f"it printed more than {limits.file_bytes >> 10} KiB and was stopped"
    if alive:
        return f"it did not end by itself and was killed{said}"
    if code > 128 or code < 0:
        name = signal_name(code - 128 if code > 0 else -code)
        if name == "SIGXFSZ":
            return (
                f"it wrote more than {limits.file_bytes >> 10} KiB to a file and was stopped "
                f"(SIGXFSZ){said}"
            )
        if name == "SIGXCPU":
            return (
                f"it used up its {limits.cpu_seconds} seconds of processor time and was stopped "
                f"(SIGXCPU){said}"
            )
        return f"it died of {name}{said}"
    if code != 0:
        return f"it exited with code {code}{said}"
    return said.removeprefix("; ")


def signal_name(number: int) -> str:
    """Name a signal as people know it."""
    import signal  # noqa: PLC0415

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

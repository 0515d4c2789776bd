# SPDX-License-Identifier: MIT
"""Running a jailed command to its end: output bounded, time bounded, killed as a group."""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from assay.execute.jail import Jail, Limits

KEPT_OUTPUT_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and how long it took by the clock."""

    exit_code: int
    timed_out: bool
    output: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ended well."""
        return self.exit_code == 0 and not self.timed_out


def run_jailed(argv: list[str], home: Path, jail: Jail, limits: Limits) -> Ended:
    """Run `argv` in the jail with `home` writable; standard output and error are kept."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as sink:
        with jail.confined(argv, home, limits, writable=True) as confined:
            process = subprocess.Popen(
                confined.words,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                pass_fds=confined.descriptors,
                start_new_session=True,
            )
        timed_out = _reap(process, limits.wall_seconds)
        output = read_sink(sink.fileno())
    return Ended(process.returncode, timed_out, output, time.monotonic() - started)


def _reap(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the process, kill its group at the limit; return whether that was needed."""
    try:
        ended = has_ended(process, seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the group must not outlive its leader
        process.wait()
    return not ended


def has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait until the process has ended or the time is over; it is not reaped yet.

    A process descriptor wakes us at once, where Popen.wait(timeout) would sleep.
    """
    watch = os.pidfd_open(process.pid)
    try:
        return bool(select.select([watch], [], [], seconds)[0])
    finally:
        os.close(watch)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and everything it started, and reap it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read_sink(descriptor: int) -> str:
    """Read what a command printed, at most the first 256 KiB, undecodable bytes replaced."""
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, KEPT_OUTPUT_BYTES, 0).decode("utf-8", "replace")
    if size > KEPT_OUTPUT_BYTES:
        text += f"\n[cut here: {size} bytes were printed]\n"
    return text

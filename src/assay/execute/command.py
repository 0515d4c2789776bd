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

from assay.execute.groups import end, group_of
from assay.execute.jail import Jail, Limits
from assay.execute.room import Looks

KEPT_OUTPUT_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and how long it took by the clock.

    `overfull` says what it wrote too much of; it was ended then.
    """

    exit_code: int
    timed_out: bool
    output: str
    seconds: float
    overfull: str = ""

    @property
    def ok(self) -> bool:
        """Return whether it ended well."""
        return self.exit_code == 0 and not self.timed_out and not self.overfull


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
        timed_out, too_much = _reap(process, home, limits)
        output = read_sink(sink.fileno())
    seconds = time.monotonic() - started
    return Ended(process.returncode, timed_out, output, seconds, too_much)


def _reap(process: subprocess.Popen[bytes], home: Path, limits: Limits) -> tuple[bool, str]:
    """Wait for the process, and kill its group at a limit; say which one that was."""
    deadline, looks = time.monotonic() + limits.wall_seconds, Looks(home, limits)
    too_much, ended = "", False
    try:
        while not (ended or too_much) and (left := deadline - time.monotonic()) > 0:
            ended = has_ended(process, min(left, looks.seconds))
            too_much = looks.look()
    finally:
        kill_group(process)  # it must not outlive its leader
    return not ended and not too_much, too_much


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
    group = group_of(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if group is not None:
        end(group)
    process.wait()


def read_sink(descriptor: int) -> str:
    """Read what a command printed, at most the first 256 KiB, undecodable bytes replaced."""
    size = os.fstat(descriptor).st_size
    text = os.pread(descriptor, KEPT_OUTPUT_BYTES, 0).decode("utf-8", "replace")
    if size > KEPT_OUTPUT_BYTES:
        text += f"\n[cut here: {size} bytes were printed]\n"
    return text

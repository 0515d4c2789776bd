# SPDX-License-Identifier: MIT
"""Running a jailed command to its end: output, files and time bounded, killed as a group."""

import contextlib
import os
import select
import signal
import stat
import subprocess
import tempfile
import time
from pathlib import Path

from msgspec import Struct

from assay.execute.groups import end, group_of
from assay.execute.jail import MIB, Jail, Limits
from assay.machine.threads import go_on

KEPT_OUTPUT_BYTES = 256 * 1024


class Ended(Struct, frozen=True):
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
            go_on()
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


LOOK_SECONDS = 0.2
LOOKS_SHARE = 20  # of the time at most one part in so many goes into looking


def overfull(folder: Path, limits: Limits) -> str:
    """Report a folder that holds more than it may; links are not followed."""
    files = size = 0
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # it was removed while we looked
                    found = entry.stat(follow_symlinks=False)
                    files += 1
                    size += found.st_blocks * 512
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append(entry.path)
                if files > limits.folder_files:
                    return f"made more than {limits.folder_files} files"
    if size > limits.folder_bytes:
        return f"wrote more than {limits.folder_bytes // MIB} MiB"
    return ""


class Looks:
    """When to look into a folder: not too often, however much there is to see."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        """Begin to wait."""
        self._folder, self._limits = folder, limits
        self.seconds = LOOK_SECONDS  # until the next look

    def look(self) -> str:
        """Look; say what is wrong, or nothing."""
        begun = time.monotonic()
        found = overfull(self._folder, self._limits)
        self.seconds = max(LOOK_SECONDS, LOOKS_SHARE * (time.monotonic() - begun))
        return found

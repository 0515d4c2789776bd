# SPDX-License-Identifier: MIT
"""Agents on another machine: a session each, in a folder there, under limits.

Nothing else confines them: they run as the user whom ssh lets in. How they are brought there,
started and limited depends on the system: remote_posix.py and remote_windows.py.
"""

import time
from pathlib import Path

from assay.errors import MachineError
from assay.execute.jail import AGENT_LIMITS, Limits
from assay.execute.limiting import bounded_output
from assay.execute.pipe import PipeClosed, PipeTimeout, StreamPipe
from assay.execute.remote import Connection, RemoteStart, System, connection
from assay.execute.remote_posix import Posix
from assay.execute.remote_windows import Windows
from assay.model import Runtime, Target

FAREWELL_SECONDS = 3.0
START_SECONDS = 20.0
LOCAL_OUTPUT_BYTES = 1 << 20
POSIX, WINDOWS = Posix(), Windows()


def open_remote(
    target: Target, agent: Path, stack_offset: int, padding: int, *, pinned: bool, sealed: bool
) -> "SshPipe":
    """Start an agent on the target's machine; MachineError if that cannot be reached."""
    system = WINDOWS if target.runtime is Runtime.WINDOWS else POSIX
    there = connection(target.line, system)
    name = there.place(agent)
    what = RemoteStart(there.folder, name, stack_offset, padding, pinned, sealed)
    return SshPipe(there, system, what, AGENT_LIMITS)


class SshPipe(StreamPipe):
    """An agent behind a session of ssh."""

    def __init__(
        self, there: Connection, system: System, what: RemoteStart, limits: Limits
    ) -> None:
        """Send the command there, and wait until it says that the agent starts."""
        super().__init__(limits, FAREWELL_SECONDS)
        self._there = there
        words = bounded_output(there.command(system.start(what)), LOCAL_OUTPUT_BYTES)
        self._start(words, standard_streams=True)
        try:
            self._skip_to(system.go, time.monotonic() + START_SECONDS)
        except (PipeClosed, PipeTimeout):
            account = self.close()
            raise MachineError(
                f"no agent starts on {there.line}: {account or 'it did not say why'}", system.needs
            ) from None

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes; MachineError if the connection is gone."""
        try:
            return super().read(length, deadline)
        except PipeClosed:
            if not self._closed and self._there.ended_soon():
                raise self._there.broken() from None
            raise

    def write(self, data: bytes) -> None:
        """Send all of `data`; MachineError if the connection is gone."""
        try:
            super().write(data)
        except PipeClosed:
            if not self._closed and self._there.ended_soon():
                raise self._there.broken() from None
            raise

    def _skip_to(self, go: bytes, deadline: float) -> None:
        """Skip what a login shell prints."""
        line = b""
        while not line.endswith(go):
            line += super().read(1, deadline)

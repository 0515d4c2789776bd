# SPDX-License-Identifier: MIT
"""A machine that OpenSSH's client reaches: one connection, and a folder there for agents.

The first session opens the connection that all others share, makes the folder and waits
for the end of its input. So the folder goes when this process does, however it ends.
Configuration, keys, agent and known hosts are the user's own; nothing is forwarded.
What the system there is told, in its shell's words, is in ssh.py.
"""

import atexit
import contextlib
import hashlib
import os
import re
import select
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from assay.errors import MachineError
from assay.execute.command import has_ended, kill_group, read_sink

CONNECT_SECONDS = 30.0
COPY_SECONDS = 120.0
FAREWELL_SECONDS = 5.0
LARGEST_GREETING_BYTES = 1 << 16
QUIETLY = (
    *("-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "EscapeChar=none"),
    *("-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ClearAllForwardings=yes"),
    *("-o", "PermitLocalCommand=no", "-o", "RemoteCommand=none", "-o", "LogLevel=ERROR"),
    *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "ControlPersist=no"),
)
CURES = (
    ("Permission denied", "Let `ssh {0} true` work without a question: ssh-copy-id, ssh-agent."),
    ("Host key verification", "Connect once by hand (`ssh {0}`) and look at the key."),
    ("REMOTE HOST IDENT", "The host's key has changed; find out why (`ssh {0}` says more)."),
    ("No space left", "Make room in the folder for temporary files there."),
)
CURE = "`ssh {0} true` must work without a question; `ssh -v {0}` says more."


class RemoteStart(Struct, frozen=True):
    """Which agent is started in which folder there, what shifts it, and how it is held."""

    folder: str
    name: str
    stack_offset: int
    padding: int
    pinned: bool
    sealed: bool


class System(Protocol):
    """What a machine is told, in the words of its system's shell."""

    greeting: re.Pattern[bytes]  # its group is the folder
    go: bytes  # what precedes an agent's first answer
    needs: str  # the cure where no agent starts

    def keeper(self) -> str:
        """Return the command that makes a folder, names it, waits for input's end, removes it."""

    def copy(self, there: "Connection", content: bytes, digest: str) -> str:
        """Bring an agent to the folder and compare it; return its name. MachineError if not."""

    def start(self, what: RemoteStart) -> str:
        """Return the command that says `go` and becomes an agent."""


class Connection:
    """A connection to one machine, shared by all sessions. Use `connection`."""

    def __init__(self, line: str, system: System) -> None:
        """Connect and make the folder there; MachineError if that takes too long or fails."""
        self.line = line
        self._system = system
        self._lock = threading.Lock()
        self._copied: dict[str, str] = {}
        self._local = tempfile.mkdtemp(prefix=f"assay-ssh-{os.getpid()}-")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._keeper = subprocess.Popen(
            self.command(system.keeper(), master=True),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,
        )
        try:
            self.folder = self._greeting()
        except BaseException:
            self.close()
            raise

    def command(self, told: str, *, master: bool = False) -> list[str]:
        """Return the line that gives the shell there a command, over this connection."""
        shared = ["-M"] if master else ["-o", "ControlMaster=no"]
        return ["ssh", "-T", *self._options(shared), *destination(self.line), told]

    def sftp(self, batch: str) -> list[str]:
        """Return the line that transfers what a file of sftp's commands says."""
        options = self._options(["-o", "ControlMaster=no"])
        where = sftp_destination(self.line)
        return ["sftp", "-q", "-b", batch, "-S", "ssh", *options, "--", where]

    def _options(self, shared: list[str]) -> list[str]:
        return [*QUIETLY, *shared, "-o", f"ControlPath={self._local}/s"]

    @property
    def alive(self) -> bool:
        """Return whether the connection still stands."""
        return self._keeper.poll() is None

    def broken(self) -> MachineError:
        """Make of what ssh said an error with a cure."""
        said = read_sink(self._said.fileno()).strip()[-2000:] or "it did not say why"
        return trouble(self.line, f"the connection to {self.line} is gone", said)

    def ended_soon(self) -> bool:
        """Return whether the connection is gone, or is just going."""
        return has_ended(self._keeper, 0.5) if self.alive else True

    def place(self, agent: Path) -> str:
        """Copy an agent there, unless it is there; give its name in the folder."""
        content = agent.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        with self._lock:
            if digest not in self._copied:
                self._copied[digest] = self._system.copy(self, content, digest)
            return self._copied[digest]

    def close(self) -> None:
        """End the connection; the other side removes the folder."""
        for stream in (self._keeper.stdin, self._keeper.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        if self._keeper.poll() is None:
            has_ended(self._keeper, FAREWELL_SECONDS)
        kill_group(self._keeper)
        self._said.close()
        shutil.rmtree(self._local, ignore_errors=True)

    def _greeting(self) -> str:
        """Wait for the folder's name behind whatever a login shell prints."""
        assert self._keeper.stdout is not None  # noqa: S101 - it was asked for
        stream, end, have = self._keeper.stdout.fileno(), time.monotonic() + CONNECT_SECONDS, b""
        while len(have) < LARGEST_GREETING_BYTES:
            found = self._system.greeting.search(have)
            if found:
                return found[1].decode()
            left = end - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise trouble(
                    self.line, f"the machine {self.line} cannot be used", "no answer in time"
                )
            got = os.read(stream, 4096)
            if not got:
                break
            have += got
        has_ended(self._keeper, 1.0)
        said = read_sink(self._said.fileno()).strip()[-2000:] or "it did not say why"
        raise trouble(self.line, f"the machine {self.line} cannot be used", said)


def destination(line: str) -> list[str]:
    """Return ssh's words for a machine: `host`, `user@host`, either with `:port`, or a URL."""
    port = re.fullmatch(r"([^:/]+):(\d+)", line)
    return ["-p", port[2], "--", port[1]] if port else ["--", line]


def sftp_destination(line: str) -> str:
    """Return the same machine for sftp, which takes what follows a colon for a path."""
    if line.startswith("ssh://"):
        return f"sftp://{line.removeprefix('ssh://')}"
    if re.fullmatch(r"[^:/]+:\d+", line):
        return f"sftp://{line}"
    user, at, host = line.rpartition("@")
    return f"{user}{at}[{host}]" if ":" in host else line


def trouble(line: str, what: str, said: str) -> MachineError:
    """Make an error of what ssh or the other side said."""
    fitting = (cure for sign, cure in CURES if sign in said)
    return MachineError(f"{what}: {said}", next(fitting, CURE).format(line))


_connections: dict[str, Connection] = {}
_lock = threading.Lock()


def connection(line: str, system: System) -> Connection:
    """Return the connection to a machine, making it (anew) if there is none."""
    with _lock:
        known = _connections.get(line)
        if known is not None and not known.alive:
            _connections.pop(line).close()
            known = None
        if known is None:
            known = _connections[line] = Connection(line, system)
        return known


@atexit.register
def close_connections() -> None:
    """End every connection, so that nothing is left on other machines."""
    with _lock:
        for one in _connections.values():
            one.close()
        _connections.clear()

# SPDX-License-Identifier: MIT
"""A machine that OpenSSH's client reaches: one connection, and a folder there for agents.

The first session opens the connection that all others share, makes the folder and waits
for the end of its input. So the folder goes when this process does, however it ends.
Configuration, keys, agent and known hosts are the user's own; nothing is forwarded.
"""

import atexit
import contextlib
import hashlib
import os
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from assay.errors import MachineError
from assay.execute.command import has_ended, kill_group, read_sink

CONNECT_SECONDS = 30.0
COPY_SECONDS = 120.0
FAREWELL_SECONDS = 5.0
LARGEST_GREETING_BYTES = 1 << 16
QUIETLY = (
    *("-T", "-a", "-x", "-e", "none"),
    *("-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ClearAllForwardings=yes"),
    *("-o", "PermitLocalCommand=no", "-o", "RemoteCommand=none", "-o", "LogLevel=ERROR"),
    *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "ControlPersist=no"),
)
# Double quotes only: every login shell passes on what stands between single ones.
KEEPER = (
    'umask 077; d=$(mktemp -d "${TMPDIR:-/tmp}/assay-XXXXXXXX") || exit 1; '
    'trap "exit 1" HUP INT TERM; end() { cd /; rm -rf "$d"; }; trap end EXIT; '
    'cd "$d" || exit 1; echo "assay $(pwd)"; cat >/dev/null'
)
DIGEST = "{ sha256sum || shasum -a 256; } 2>/dev/null"
CURES = (
    ("Permission denied", "Let `ssh {0} true` work without a question: ssh-copy-id, ssh-agent."),
    ("Host key verification", "Connect once by hand (`ssh {0}`) and look at the key."),
    ("REMOTE HOST IDENT", "The host's key has changed; find out why (`ssh {0}` says more)."),
    ("No space left", "Make room in the folder for temporary files there."),
)
CURE = "`ssh {0} true` must work without a question; `ssh -v {0}` says more."


class Connection:
    """A connection to one machine, shared by all sessions. Use `connection`."""

    def __init__(self, line: str) -> None:
        """Connect and make the folder there; MachineError if that takes too long or fails."""
        self.line = line
        self._lock = threading.Lock()
        self._copied: dict[str, str] = {}
        self._local = tempfile.mkdtemp(prefix=f"assay-ssh-{os.getpid()}-")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._keeper = subprocess.Popen(
            self.command(KEEPER, master=True),
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

    def command(self, script: str, *, master: bool = False) -> list[str]:
        """Return the line that runs a shell script there, over this connection."""
        shared = ["-M"] if master else ["-o", "ControlMaster=no"]
        words = ["ssh", *QUIETLY, *shared, "-S", f"{self._local}/s", *destination(self.line)]
        return [*words, f"exec sh -c {shlex.quote(script)}"]

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
                self._copied[digest] = self._copy(content, digest)
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
            found = re.search(rb"^assay (/\S+)\r?\n", have, re.MULTILINE)
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

    def _copy(self, content: bytes, digest: str) -> str:
        name = digest[:16]
        script = f"cd {self.folder} && cat >{name} && chmod 500 {name} && {DIGEST} <{name}"
        try:
            done = subprocess.run(
                self.command(script),
                input=content,
                capture_output=True,
                timeout=COPY_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise trouble(
                self.line, f"the machine {self.line} takes no agent", "no end in time"
            ) from None
        said = done.stderr.decode("utf-8", "replace").strip()[-2000:]
        if done.returncode or digest.encode() not in done.stdout:
            said = said or f"what arrived there differs ({done.stdout[:100]!r})"
            raise trouble(self.line, f"the agent cannot be copied to {self.line}", said)
        return name


def destination(line: str) -> list[str]:
    """Return ssh's words for a machine: `host`, `user@host`, either with `:port`, or a URL."""
    port = re.fullmatch(r"([^:/]+):(\d+)", line)
    return ["-p", port[2], "--", port[1]] if port else ["--", line]


def trouble(line: str, what: str, said: str) -> MachineError:
    """Make an error of what ssh or the other side said."""
    fitting = (cure for sign, cure in CURES if sign in said)
    return MachineError(f"{what}: {said}", next(fitting, CURE).format(line))


_connections: dict[str, Connection] = {}
_lock = threading.Lock()


def connection(line: str) -> Connection:
    """Return the connection to a machine, making it (anew) if there is none."""
    with _lock:
        known = _connections.get(line)
        if known is not None and not known.alive:
            _connections.pop(line).close()
            known = None
        if known is None:
            known = _connections[line] = Connection(line)
        return known


@atexit.register
def close_connections() -> None:
    """End every connection, so that nothing is left on other machines."""
    with _lock:
        for one in _connections.values():
            one.close()
        _connections.clear()

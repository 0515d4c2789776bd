# SPDX-License-Identifier: MIT
"""What attacks are after: secrets, listeners and places outside of the jail, and who watches them.

Everything is made for the tests and holds a token that nobody can guess: where it turns up,
an attack has succeeded.
"""

import contextlib
import ctypes
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from assay.execute.jail import FRESH_USERS

IPC_CREAT, IPC_RMID = 0o1000, 0
SHARED_BYTES = 4096
CLOCK_STEP_SECONDS = 5.0
PHRASE = "is the secret of the house"  # what attacks know of the text that they look for


@dataclass
class Outside:
    """The world around the jail. `words` are what attacks are told of it."""

    folder: Path
    token: str
    victim: subprocess.Popen[bytes]
    listeners: dict[str, socket.socket]
    segment: int
    cache: Path
    skew: float = field(default_factory=lambda: time.time() - time.monotonic())

    @property
    def mark(self) -> Path:
        """A file that must never exist, in a folder that everybody may write to."""
        return self.folder / "open" / "mark"

    @property
    def words(self) -> dict[str, str]:
        """Give the replacements for @WORDS@ in attacks."""
        return {
            "PHRASE": PHRASE,
            "SECRET": str(self.folder / "secret"),
            "FOLDER": str(self.folder),
            "NEIGHBOUR": str(self.folder / "neighbour.c"),
            "MARK": str(self.mark),
            "SOCKET": str(self.folder / "open" / "socket"),
            "ABSTRACT": f"assay-{key_of(self.token)}",
            "PORT": str(self.listeners["tcp"].getsockname()[1]),
            "UDP": str(self.listeners["udp"].getsockname()[1]),
            "PID": str(self.victim.pid),
            "BENCH": str(os.getpid()),
            "SHM": str(key_of(self.token)),
            "SHMFILE": f"/dev/shm/assay-{key_of(self.token)}",  # noqa: S108
            "CACHE": str(self.cache),
        }

    def filled(self, text: str) -> str:
        """Replace the words in a text."""
        for word, value in self.words.items():
            text = text.replace(f"@{word}@", value)
        return text

    def harmed(self) -> list[str]:
        """Tell what has changed outside; nothing is what is wanted."""
        found = [f"{name} was contacted" for name in self._contacted()]
        if self.victim.poll() is not None:
            found.append("a process of the host was ended")
        if abs(time.time() - time.monotonic() - self.skew) > CLOCK_STEP_SECONDS:
            found.append("the clock was set")
        marks = [path for path in (self.mark, *self.cache.rglob("mark")) if path.exists()]
        found += [f"{path} was made" for path in marks]
        found += [f"{one.pid} ({one.name()}) lives on" for one in _leftovers()]
        return found

    def _contacted(self) -> Iterator[str]:
        for name, one in self.listeners.items():
            with contextlib.suppress(BlockingIOError):
                one.recv(9) if name == "udp" else one.accept()[0].close()
                yield name

    def restore(self) -> None:
        """Remove what an attack left in the weaker mode."""
        self.mark.unlink(missing_ok=True)
        list(self._contacted())
        for one in _leftovers():
            with contextlib.suppress(psutil.Error):
                one.kill()


def _leftovers(seconds: float = 2.0) -> list[psutil.Process]:
    """Give processes of jailed users that do not end soon after their jail did."""
    deadline = time.monotonic() + seconds
    while (found := list(_jailed())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _jailed() -> Iterator[psutil.Process]:
    """Give what runs of agents and compilers that these tests started."""
    mine = {one.pid for one in psutil.Process().children(recursive=True)}
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            jailed = one.uids().real in FRESH_USERS and _ours(one)
            wrapper = one.pid in mine and one.name() == "bwrap"
            if wrapper or (jailed and one.status() != psutil.STATUS_ZOMBIE):
                yield one


def _ours(process: psutil.Process) -> bool:
    """Whether a process was started in a folder that these tests made."""
    return f"-{os.getpid()}-" in " ".join(process.cmdline())


def key_of(token: str) -> int:
    """Give the key of the shared memory."""
    return int(token[1:8], 16)


@contextlib.contextmanager
def outside(cache: Path) -> Iterator[Outside]:
    """Plant everything, and take it away."""
    token = f"k{secrets.token_hex(16)}"  # begins as a word does, so that assemblers repeat it
    folder = Path(tempfile.mkdtemp(prefix=f"assay-hostile-{os.getpid()}-"))
    folder.chmod(0o755)
    (folder / "open").mkdir()
    (folder / "open").chmod(0o1777)
    for name in ("secret", "neighbour.c"):
        (folder / name).write_text(f"{token} {PHRASE};\n")
        (folder / name).chmod(0o644)
    shared = Path(f"/dev/shm/assay-{key_of(token)}")  # noqa: S108
    shared.write_text(f"{token} {PHRASE}")
    shared.chmod(0o644)
    os.environ["ASSAY_HOSTILE_PASSWORD"] = f"{token} {PHRASE}"
    library = ctypes.CDLL(None, use_errno=True)
    segment = library.shmget(key_of(token), SHARED_BYTES, IPC_CREAT | 0o666)
    _write_segment(library, segment, f"{token} {PHRASE}")
    victim = subprocess.Popen(["/usr/bin/sleep", "3600"])
    listeners = _listeners(folder, token)
    try:
        yield Outside(folder, token, victim, listeners, segment, cache)
    finally:
        del os.environ["ASSAY_HOSTILE_PASSWORD"]
        library.shmctl(segment, IPC_RMID, None)
        victim.kill()
        victim.wait()
        for one in listeners.values():
            one.close()
        shared.unlink()
        shutil.rmtree(folder)


def _write_segment(library: ctypes.CDLL, segment: int, text: str) -> None:
    """Put a text into shared memory."""
    library.shmat.restype = ctypes.c_void_p
    library.shmdt.argtypes = [ctypes.c_void_p]
    place = library.shmat(segment, None, 0)
    ctypes.memmove(place, text.encode() + b"\0", len(text) + 1)
    library.shmdt(place)


def _listeners(folder: Path, token: str) -> dict[str, socket.socket]:
    made = {
        "tcp": socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "abstract": socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        "file": socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    }
    made["tcp"].bind(("127.0.0.1", 0))
    made["udp"].bind(("127.0.0.1", 0))
    made["abstract"].bind(f"\0assay-{key_of(token)}")
    made["file"].bind(str(folder / "open" / "socket"))
    (folder / "open" / "socket").chmod(0o777)
    for name, one in made.items():
        one.setblocking(False)
        if name != "udp":
            one.listen()
    return made

# SPDX-License-Identifier: MIT
"""Tickets of those who use the machine or wait for it: files, each locked by its owner.

A ticket's name has its number; the kernel's lock on the file says that its owner lives, so
a ticket whose owner was killed counts no more. The files lie in the system's temporary
folder, where others may have put anything: links, pipes and files that nobody locks are no
tickets, and what a ticket says of its owner is shown and never believed.
"""

import contextlib
import errno
import fcntl
import json
import os
import re
import shlex
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import MachineError

MODE = 0o644  # others must be able to see whether a ticket is held
NAME = re.compile(r"assay-ticket-(\d{1,15})-([mc])-\w{1,40}")
UNNAMED = ".assay-ticket-"  # while it is drawn
MOST_BYTES = 4096  # of what a ticket says
MOST_WORDS = 60  # characters of a command line that are kept


@dataclass(frozen=True, slots=True)
class Owner:
    """What a ticket says of its owner: its process, its command, and since when it has its turn.

    `since` is in seconds since 1970. What is unknown is None, or empty.
    """

    process: int | None = None
    command: str = ""
    since: float | None = None


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in the queue; an `exclusive` one wants the machine alone."""

    number: int
    exclusive: bool
    path: Path


def folder() -> Path:
    """Return the folder that all commands of this machine share."""
    return Path(tempfile.gettempdir())


def having_turn(queue: Sequence[Ticket]) -> int:
    """Return how many at the head of the queue have their turn.

    That is the first alone if it wants the machine alone, or else all before the first that does.
    """
    for at, one in enumerate(queue):
        if one.exclusive:
            return max(at, 1)
    return len(queue)


def waited_for(mine: Ticket, queue: Iterable[Ticket]) -> list[Ticket]:
    """Return those before `mine` that must have gone before it has its turn."""
    before = [one for one in queue if one.number < mine.number]
    return [one for one in before if mine.exclusive or one.exclusive]


def live() -> list[Ticket]:
    """Return the tickets that are held, in their order."""
    found = []
    for path, number, exclusive in _named():
        descriptor = opened(path)
        if descriptor is not None:
            with _closing(descriptor):
                if not _free(descriptor):
                    found.append(Ticket(number, exclusive, path))
    return sorted(found, key=lambda one: (one.number, str(one.path)))


def owner_of(ticket: Ticket) -> Owner:
    """Read what a ticket says of its owner; of one that says nothing, nothing is known."""
    descriptor = opened(ticket.path)
    if descriptor is None:
        return Owner()
    with _closing(descriptor):
        try:
            said = json.loads(os.pread(descriptor, MOST_BYTES, 0))
            since = said["since"]
            return Owner(
                int(said["process"]),
                str(said["command"])[:MOST_WORDS],
                None if since is None else min(max(float(since), 0.0), time.time()),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError, OSError):
            return Owner()


class Held:
    """A ticket of this process, held until it is given back."""

    def __init__(self, ticket: Ticket, descriptor: int, owner: Owner) -> None:
        """Keep the descriptor, on which the lock depends."""
        self.ticket, self._descriptor, self._owner = ticket, descriptor, owner

    def has_turn(self) -> None:
        """Write down that the turn has come, for those who wait."""
        self._owner = replace(self._owner, since=time.time())
        _describe(self._descriptor, self._owner)

    def give_back(self) -> None:
        """Leave the queue."""
        with contextlib.suppress(OSError):
            self.ticket.path.unlink()
        os.close(self._descriptor)


def draw(*, exclusive: bool) -> tuple[Held, list[Ticket]]:
    """Draw the next ticket; also return the queue before it. Only one may draw at a time.

    The file is locked before it has its name: so whatever has such a name, and is not locked,
    was left behind, and is removed here if that is allowed.
    """
    queue = live()
    _sweep(queue)
    number = max((one.number for one in queue), default=0) + 1
    descriptor, made = tempfile.mkstemp(prefix=UNNAMED, dir=folder())
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.fchmod(descriptor, MODE)
        owner = Owner(os.getpid(), _command())
        _describe(descriptor, owner)
        mark = made.rpartition("-")[2]
        name = f"assay-ticket-{number:06d}-{'m' if exclusive else 'c'}-{os.getpid()}_{mark}"
        path = folder() / name
        Path(made).rename(path)
    except BaseException:
        os.close(descriptor)
        Path(made).unlink(missing_ok=True)
        raise
    return Held(Ticket(number, exclusive, path), descriptor, owner), queue


def opened(path: Path) -> int | None:
    """Open a file to look at its lock; None if it is gone, or no file that others may read.

    Links are not followed, and a pipe is not waited for.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def shared_file(name: str) -> int:
    """Open a lock's file in the shared folder, whoever made it; MachineError if that cannot be.

    The kernel refuses O_CREAT on another user's file in a folder like /tmp.
    """
    path = folder() / name
    with contextlib.suppress(FileExistsError):
        made = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
        os.fchmod(made, MODE)
        return made
    descriptor = opened(path)
    if descriptor is None:
        raise MachineError(
            f"{path} is no file that can be read, so the machine cannot be locked",
            "Remove it, or name another folder for all commands of Assay in TMPDIR.",
        )
    return descriptor


def _named() -> Iterator[tuple[Path, int, bool]]:
    """Yield what is called like a ticket."""
    with os.scandir(folder()) as entries:
        for entry in entries:
            if found := NAME.fullmatch(entry.name):
                yield Path(entry.path), int(found[1]), found[2] == "m"


def _sweep(queue: Sequence[Ticket]) -> None:
    """Remove tickets that nobody holds; those of other users stay where that is not allowed."""
    held = {one.path for one in queue}
    left = [path for path, _, _ in _named() if path not in held]
    for path in [*left, *folder().glob(f"{UNNAMED}*")]:
        with contextlib.suppress(OSError):
            path.unlink()


def _free(descriptor: int) -> bool:
    """Return whether nobody holds the lock of a file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno != errno.EWOULDBLOCK:
            raise
        return False
    return True


def _describe(descriptor: int, owner: Owner) -> None:
    """Write down who holds a ticket; on a full disk nobody knows."""
    said = {"process": owner.process, "command": owner.command, "since": owner.since}
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(said).encode(), 0)


def _command() -> str:
    return shlex.join(["assay", *sys.argv[1:]])[:MOST_WORDS]


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)

# SPDX-License-Identifier: MIT
"""One measurement at a time on a machine, and no compiling beside it.

Two files in the system's temporary folder are locked by `flock`, exclusively by whoever
measures and shared by whoever compiles and checks: the *machine*, and before it the *gate*,
which is held only while the machine is waited for. So nobody overtakes whoever waits, and
a gate that is not free says that somebody does. The locks are the kernel's: they die with
their holder, whatever kills it, and the kernel says who holds them.

Long use comes in slices. A campaign leaves the machine to others after some seconds of
launches; threads that check stand aside between two checks as soon as somebody wants to measure.
"""

import fcntl
import os
import shlex
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from assay.errors import MachineError
from assay.machine.threads import Threads

MACHINE, GATE = "assay-machine.lock", "assay-gate.lock"
MODE = 0o644  # to lock a file, others need no more than reading it
PATIENT_SECONDS = 2.0  # a wait that is shorter is not worth a line
MEASURING_SECONDS = 4.0  # how long the machine is kept to measure while others wait
CHECKING_SECONDS = 3.0  # and how long it is left to them then, if they use it for as long
LOOKING_SECONDS = 0.05  # between two looks at whether they still do
MOST_CHARACTERS = 60  # of a command line that are shown

ItemT = TypeVar("ItemT")
DoneT = TypeVar("DoneT")


class Holder(Struct, frozen=True):
    """Who has the machine, as the kernel says; of another container it says no process."""

    measuring: bool
    process: int | None = None
    command: str = ""


Heard = Callable[[Holder | float | None], object]
_listeners: list[Heard] = []
_telling = threading.Lock()  # of several threads that wait, one tells


def listen(heard: Heard) -> None:
    """Have `heard` called with who is waited for when a wait is long, and then with its seconds.

    Whoever listened before does so no longer.
    """
    _listeners[:] = [heard]


def holders() -> list[Holder]:
    """Return who has the machine."""
    with suppress(OSError):
        inode = str((folder() / MACHINE).stat().st_ino)
        lines = Path("/proc/locks").read_text("ascii").splitlines()
        found = [words for line in lines if (words := line.split())[1] == "FLOCK"]
        # devices are left out: where file systems lie on others, stat(2) names another one
        return [_holder(each) for each in found if each[5].rpartition(":")[2] == inode]
    return []


class Hold:
    """The machine, held from when it is taken until it is given back."""

    def __init__(self, *, exclusive: bool) -> None:
        """Hold nothing yet."""
        self._how = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        self._files = ExitStack()
        self._gate: int | None = None

    def take(self) -> None:
        """Wait for the machine."""
        self._take(_patiently)

    def taken_at_once(self) -> bool:
        """Take the machine if that needs no waiting."""
        with suppress(BlockingIOError):
            self._take(_at_once)
        return self.holds

    @property
    def holds(self) -> bool:
        """Return whether the machine is held."""
        return self._gate is not None

    @property
    def is_wanted(self) -> bool:
        """Return whether somebody waits for it to be given back."""
        try:
            if self._gate is not None:
                _at_once(self._gate, self._how)
                fcntl.flock(self._gate, fcntl.LOCK_UN)
        except BlockingIOError:
            return True
        return False

    def give_back(self) -> None:
        """Leave the machine to others."""
        self._gate = None
        self._files.close()

    def _take(self, lock: Callable[[int, int], None]) -> None:
        with ExitStack() as files:
            gate, machine = _opened(GATE, files), _opened(MACHINE, files)
            lock(gate, self._how)
            lock(machine, self._how)
            fcntl.flock(gate, fcntl.LOCK_UN)
            self._files, self._gate = files.pop_all(), gate


@contextmanager
def machine_lock(*, exclusive: bool) -> Iterator[None]:
    """Hold the machine: exclusively to measure, shared to compile and check."""
    hold = Hold(exclusive=exclusive)
    hold.take()
    try:
        yield
    finally:
        hold.give_back()


class Alone:
    """The machine for oneself, one use after another; in between others may have their turn."""

    def __init__(
        self, seconds: float = MEASURING_SECONDS, others_seconds: float = CHECKING_SECONDS
    ) -> None:
        """Hold nothing until the first use."""
        self._hold = Hold(exclusive=True)
        self._seconds, self._others = seconds, others_seconds
        self._until = time.monotonic()

    @contextmanager
    def use(self) -> Iterator[None]:
        """Have the machine alone meanwhile."""
        if not self._hold.holds:
            self._take()
        yield
        if time.monotonic() >= self._until and self._hold.is_wanted:
            self._hold.give_back()
            self._until = time.monotonic() + self._others

    def _take(self) -> None:
        """Take the machine when others leave it, or when they have had it for long enough."""
        while time.monotonic() < self._until and not self._hold.taken_at_once():
            time.sleep(LOOKING_SECONDS)
        if not self._hold.holds:
            self._hold.take()
        self._until = time.monotonic() + self._seconds

    def __enter__(self) -> "Alone":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the machine to others."""
        self._hold.give_back()


_share: ContextVar[Hold | None] = ContextVar("share", default=None)


def sharing(work: Callable[[ItemT], DoneT]) -> Callable[[ItemT], DoneT]:
    """Return work for a thread that shares the machine with others meanwhile."""

    def shared(item: ItemT) -> DoneT:
        hold = Hold(exclusive=False)
        hold.take()
        token = _share.set(hold)
        try:
            return work(item)
        finally:
            _share.reset(token)
            hold.give_back()

    return shared


def sharing_too(work: Callable[[ItemT], DoneT]) -> Callable[[ItemT], DoneT]:
    """Return work for another thread, which shares the machine if this one does."""
    return sharing(work) if _share.get() else work


def stand_aside() -> None:
    """Let others measure if they wait for it; called between two pieces of work."""
    hold = _share.get()
    if hold is not None and hold.is_wanted:
        with waiting():
            pass


@contextmanager
def waiting() -> Iterator[None]:
    """Wait for what another thread does, without keeping the machine from others."""
    hold = _share.get()
    if hold is None:
        yield
        return
    hold.give_back()
    try:
        yield
    finally:
        hold.take()


def folder() -> Path:
    """Return the folder that all commands of this machine share."""
    return Path(tempfile.gettempdir())


def _opened(name: str, files: ExitStack) -> int:
    """Open a lock's file, whoever made it; MachineError if that cannot be.

    Others may have put anything into the folder: links are not followed, a pipe is not waited
    for. The kernel refuses O_CREAT on another user's file in a folder like /tmp.
    """
    path = folder() / name
    with suppress(FileExistsError):
        made = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
        files.callback(os.close, made)
        os.fchmod(made, MODE)
        return made
    with suppress(OSError):
        found = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        files.callback(os.close, found)
        if stat.S_ISREG(os.fstat(found).st_mode):
            return found
    raise MachineError(
        f"{path} is no file that can be read, so the machine cannot be locked",
        "Remove it, or name another folder for all commands of Assay in TMPDIR.",
    )


def _at_once(descriptor: int, how: int) -> None:
    """Lock a file; BlockingIOError if others have it."""
    fcntl.flock(descriptor, how | fcntl.LOCK_NB)


def _patiently(descriptor: int, how: int) -> None:
    """Lock a file when others are done; whoever listens hears of a long wait."""
    with suppress(BlockingIOError):
        _at_once(descriptor, how)
        return
    with _telling_of_long_waits():
        fcntl.flock(descriptor, how)


@contextmanager
def _telling_of_long_waits() -> Iterator[None]:
    began, over = time.monotonic(), threading.Event()
    told: list[float] = []

    def tell() -> None:
        if not over.wait(PATIENT_SECONDS) and _telling.acquire(blocking=False):
            told.append(began)
            _tell(next(iter(holders()), None))

    try:
        with Threads(1) as watch:
            watch.submit(tell)
            try:
                yield
            finally:
                over.set()
    finally:
        for each in told:
            _tell(time.monotonic() - each)
            _telling.release()


def _tell(what: Holder | float | None) -> None:
    for heard in _listeners:
        heard(what)


def _holder(words: list[str]) -> Holder:
    """Read a line of proc_locks(5), and what the process says of itself."""
    process, measuring = int(words[4]), words[3] == "WRITE"
    with suppress(OSError):
        line = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        said = line.rstrip("\0").split("\0")
        names = [Path(each).name for each in said]
        at = names.index("assay") if "assay" in names else 0
        command = shlex.join([names[at], *said[at + 1 :]])
        return Holder(measuring, process, command[:MOST_CHARACTERS])
    return Holder(measuring, process or None)

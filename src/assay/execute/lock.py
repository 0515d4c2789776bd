# SPDX-License-Identifier: MIT
"""One measurement at a time on a machine, and no compiling beside it: first come, first served.

Everybody draws a ticket (`tickets.py`), and waits for those before it: who wants to measure
for all, and who compiles and checks for those who measure. So neither a row of checks nor a
row of measurements keeps anybody out. The machine's own lock is taken besides, so that two
never measure at once, whatever happens to the tickets. All locks are the kernel's: they die
with their holder, whatever kills it.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from assay.execute.tickets import (
    Held,
    Owner,
    Ticket,
    draw,
    having_turn,
    live,
    opened,
    owner_of,
    shared_file,
    waited_for,
)
from assay.machine.threads import Threads

PATIENT_SECONDS = 2.0  # a wait that is shorter is not worth a line
MACHINE = "assay-machine.lock"
TURNSTILE = "assay-turnstile.lock"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What this process waits for: whoever has the machine, and how many are before it in all.

    `measuring` is whether that one has the machine alone.
    """

    owner: Owner
    measuring: bool
    before: int


Heard = Callable[[Waiting | float], object]
_listeners: list[Heard] = []


def listen(heard: Heard) -> None:
    """Have `heard` called when a wait becomes long, and with its seconds when it is over.

    Whoever listened before does so no longer.
    """
    _listeners[:] = [heard]


@contextmanager
def machine_lock(*, exclusive: bool) -> Iterator[None]:
    """Hold the machine's lock: exclusively to measure, shared to compile and check."""
    with ExitStack() as held:
        with _Wait() as wait:
            mine, before = _ticket(wait, exclusive=exclusive)
            held.callback(mine.give_back)
            for one in before:
                _until_gone(wait, one)
            machine = shared_file(MACHINE)
            held.callback(os.close, machine)
            wait.locked(machine, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        mine.has_turn()
        yield


def awaited() -> bool:
    """Return whether somebody waits for the machine."""
    queue = live()
    return having_turn(queue) < len(queue)


class _Wait:
    """A wait for locks; whoever listens hears of it when it is long, and when it is over."""

    def __init__(self) -> None:
        """Begin the wait: nobody is known to be ahead yet."""
        self.mine: Ticket | None = None
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread: Threads | None = None
        self._told = False

    def __enter__(self) -> "_Wait":
        """Enter the wait."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the wait."""
        self._over.set()
        if self._thread is not None:
            self._thread.shutdown()
        if self._told:
            _tell(time.monotonic() - self._began)

    def locked(self, descriptor: int, how: int) -> None:
        """Lock a file; only a wait that is one takes a thread that looks at the time."""
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if self._thread is None:
                self._thread = Threads(1)
                self._thread.submit(self._watch)
            fcntl.flock(descriptor, how)

    def _watch(self) -> None:
        """Report what is waited for, unless the wait is over before."""
        if not self._over.wait(PATIENT_SECONDS):
            self._told = True
            _tell(self._waiting())

    def _waiting(self) -> Waiting:
        """Look who has the machine, and how many are ahead."""
        mine = self.mine
        queue = [one for one in live() if mine is None or one.number < mine.number]
        first = queue[0] if queue else None
        owner = owner_of(first) if first else Owner()
        return Waiting(owner, first is not None and first.exclusive, len(queue))


def _tell(what: Waiting | float) -> None:
    for heard in _listeners:
        heard(what)


def _ticket(wait: _Wait, *, exclusive: bool) -> tuple[Held, list[Ticket]]:
    """Draw a ticket when nobody else does; give it, and those that must have gone before."""
    turnstile = shared_file(TURNSTILE)
    try:
        wait.locked(turnstile, fcntl.LOCK_EX)
        held, queue = draw(exclusive=exclusive)
    finally:
        os.close(turnstile)
    wait.mine = held.ticket
    return held, waited_for(held.ticket, queue)


def _until_gone(wait: _Wait, one: Ticket) -> None:
    """Wait until nobody holds a ticket any more."""
    descriptor = opened(one.path)
    if descriptor is not None:
        try:
            wait.locked(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

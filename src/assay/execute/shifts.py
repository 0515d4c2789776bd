# SPDX-License-Identifier: MIT
"""Long use of the machine in slices: what others wait for is given back now and then.

A campaign measures with the machine for itself, launch after launch; commands that check share
it among themselves, and stop between two checks. So each makes progress, and waits for seconds.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

from assay.execute.lock import awaited, machine_lock

MEASURING_SECONDS = 4.0  # how long the machine is kept to measure while others wait
CHECKING_SECONDS = 3.0  # and to compile and check, at least: what was begun is ended
LOOKING_SECONDS = 0.2  # between two looks at who waits

ItemT = TypeVar("ItemT")
DoneT = TypeVar("DoneT")


class _Slice:
    """The machine's lock, held until it is given back."""

    def __init__(self, *, exclusive: bool, seconds: float) -> None:
        """Hold nothing yet."""
        self._exclusive, self._seconds = exclusive, seconds
        self._held = ExitStack()
        self._until = 0.0
        self.holds = False

    def take(self) -> None:
        """Wait for the machine."""
        self._held.enter_context(machine_lock(exclusive=self._exclusive))
        self.holds, self._until = True, time.monotonic() + self._seconds

    def give_back(self) -> None:
        """Leave the machine to others."""
        self.holds = False
        self._held.close()

    @property
    def is_over(self) -> bool:
        """Return whether it was held for long enough, and somebody waits for it.

        Whether somebody waits is looked up in a folder, so it is done now and then.
        """
        now = time.monotonic()
        if now < self._until:
            return False
        self._until = now + LOOKING_SECONDS
        return awaited()


class Alone:
    """The machine for oneself, one use after another; in between others may have their turn."""

    def __init__(self, seconds: float = MEASURING_SECONDS) -> None:
        """Hold nothing until the first use."""
        self._slice = _Slice(exclusive=True, seconds=seconds)

    @contextmanager
    def use(self) -> Iterator[None]:
        """Have the machine alone meanwhile."""
        if not self._slice.holds:
            self._slice.take()
        yield
        if self._slice.is_over:
            self._slice.give_back()

    def __enter__(self) -> "Alone":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the machine to others."""
        self._slice.give_back()


class Shift:
    """Threads that compile and check, and stand aside together when their slice is over.

    The machine is shared with others that do the same, and nobody measures meanwhile. When all
    threads stand aside, the last one gives the machine back and waits for it anew.
    """

    def __init__(self, seconds: float = CHECKING_SECONDS) -> None:
        """Nobody works yet."""
        self._slice = _Slice(exclusive=False, seconds=seconds)
        self._changed = threading.Condition()
        self._working = self._aside = self._number = 0
        self._ended = False

    def __enter__(self) -> "Shift":
        """Wait for the machine."""
        self._slice.take()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the machine to others; whoever still works stands aside no more."""
        with self._changed:
            self._ended = True
            self._begin_again()
            self._slice.give_back()

    def run(self, work: Callable[[ItemT], DoneT], item: ItemT) -> DoneT:
        """Call `work` in a thread of the shift."""
        with self._changed:
            self._working += 1
        token = _shift.set(self)
        try:
            self.stand_aside()
            return work(item)
        finally:
            _shift.reset(token)
            with self._changed:
                self._working -= 1
                self._renew_if_nobody_works()

    def stand_aside(self) -> None:
        """Wait until others had the machine, if they want it and this is long enough."""
        with self._changed:
            if self._ended or not (self._aside or self._slice.is_over):
                return
            number = self._number
            self._aside += 1
            self._renew_if_nobody_works()
            self._changed.wait_for(lambda: self._number != number)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for another thread of the shift: that is no work."""
        with self._changed:
            self._working -= 1
            self._renew_if_nobody_works()
        try:
            yield
        finally:
            with self._changed:
                self._working += 1

    def _renew_if_nobody_works(self) -> None:
        """Leave the machine to others and wait for it; who would begin meanwhile waits, too."""
        if not self._aside or self._aside < self._working or self._ended:
            return
        try:
            self._slice.give_back()
            self._slice.take()
        finally:
            self._begin_again()

    def _begin_again(self) -> None:
        self._aside = 0
        self._number += 1
        self._changed.notify_all()


_shift: ContextVar[Shift | None] = ContextVar("shift", default=None)


def stand_aside() -> None:
    """Let others have the machine if it is their turn; called between two pieces of work."""
    shift = _shift.get()
    if shift is not None:
        shift.stand_aside()


@contextmanager
def waiting() -> Iterator[None]:
    """Wait for what another thread does, without keeping the machine from others."""
    shift = _shift.get()
    if shift is None:
        yield
        return
    with shift.waiting():
        yield


def in_this_shift(work: Callable[[ItemT], DoneT]) -> Callable[[ItemT], DoneT]:
    """Return the work for another thread, which then belongs to the shift of this one."""
    shift = _shift.get()
    return work if shift is None else partial(shift.run, work)

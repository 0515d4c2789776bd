# SPDX-License-Identifier: MIT
"""Threads begin only where there is memory for them, and hear of it when nobody waits any more.

One that gets no memory as it starts dies before it says that it has started, and Python waits
for that word without an end (CPython issue 140746). An interrupt reaches the main thread alone,
and agents run in sessions of their own: threads that wait for those must be told.
"""

import mmap
import os
import select
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

ROOM_BYTES = 32 * 1024 * 1024  # a stack, and what the C library sets aside for a thread
DoneT = TypeVar("DoneT")


class Threads(ThreadPoolExecutor):
    """A pool of threads; MemoryError where there is no room for another."""

    def submit(self, fn: Callable[..., DoneT], /, *args: Any, **kwargs: Any) -> Future[DoneT]:
        """Have a function called, by a thread that may have to begin for it."""
        _make_sure()
        return super().submit(fn, *args, **kwargs)


def _make_sure() -> None:
    """Map as much as a thread needs, and give it back."""
    try:
        mmap.mmap(-1, ROOM_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError("there is no memory for another thread") from error


@cache
def _event() -> int:
    return os.eventfd(0)


@contextmanager
def ending_threads() -> Iterator[None]:
    """Interrupt what other threads wait for with `readable`, as long as the block takes."""
    os.eventfd_write(_event(), 1)
    try:
        yield
    finally:
        os.eventfd_read(_event())


def readable(descriptor: int, seconds: float | None) -> bool:
    """Wait until there is something to read; KeyboardInterrupt where threads are to end."""
    found, _, _ = select.select([descriptor, _event()], [], [], seconds)
    if _event() in found:
        raise KeyboardInterrupt
    return bool(found)


def go_on() -> None:
    """Raise KeyboardInterrupt where threads are to end."""
    if select.select([_event()], [], [], 0)[0]:
        raise KeyboardInterrupt

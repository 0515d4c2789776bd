# SPDX-License-Identifier: MIT
"""How threads that wait for an agent, a compiler or the machine learn that nobody waits for them.

An interrupt reaches the main thread alone, and agents run in sessions of their own.
"""

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


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

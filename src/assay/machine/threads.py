# SPDX-License-Identifier: MIT
"""Threads that begin only where there is memory for them.

One that gets none as it starts dies before it says that it has started, and Python waits
for that word without an end (CPython issue 140746).
"""

import mmap
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
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

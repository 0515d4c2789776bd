# SPDX-License-Identifier: MIT
"""How many cells are worked on at once, so that no processor idles.

A thread waits
now and then, for a process to start or an agent to answer, so there are more threads than
processors. While one of them computes, the others get their answers soon.
"""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from itertools import chain
from typing import TypeVar

from assay.compile.recipe import Recipe
from assay.execute.lock import machine_lock, sharing
from assay.machine.threads import Threads
from assay.model import OperationDetails, Package

ItemT = TypeVar("ItemT")
DoneT = TypeVar("DoneT")

# Their functions take a thousand times as long as those of others, for no more code.
SLOW = ("crypto_sign", "crypto_kem", "crypto_encrypt", "crypto_dh", "crypto_scalarmult")
SWITCH_SECONDS = 0.002  # Python's own is 5 ms; a waiting thread wakes as often, which costs, too


def expected(recipe: Recipe) -> tuple[bool, int]:
    """Return what a cell is expected to take, in no unit: more is longer."""
    package = recipe.package
    return is_slow(package), sum(_bytes(package, source) for source in package.sources)


def is_slow(package: Package) -> bool:
    """Return whether it is of an operation that is slow whoever implements it."""
    details = package.details
    return isinstance(details, OperationDetails) and details.operation in SLOW


def _bytes(package: Package, source: str) -> int:
    """Return the size of a source; what cannot be read takes no time."""
    with suppress(OSError):
        return (package.root / source).stat().st_size
    return 0


def threads(workers: int) -> int:
    """Return how many threads keep so many processors busy: one works on its own as before."""
    return workers + workers // 2


@contextmanager
def quick_switches() -> Iterator[None]:
    """Let threads take turns more often, for a while."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_parallel(
    work: Callable[[ItemT], DoneT], items: Iterable[ItemT], workers: int
) -> Generator[tuple[ItemT, DoneT]]:
    """Work on all items, giving each as it is done; an interrupt cancels the rest.

    An item is asked for when it can begin.

    Nobody measures while an item is worked on: `work` must not want the machine for itself.
    Whoever may leave before the last item closes the generator, which ends the threads.
    """
    waiting = iter(items)
    pool = Threads(threads(workers))
    try:
        item = next(waiting, None)
        if item is not None:
            with machine_lock(exclusive=False):  # the first wait, which an interrupt ends at once
                pass
            with quick_switches():
                yield from _each(pool, sharing(work), chain([item], waiting), threads(workers))
    finally:
        pool.shutdown(cancel_futures=True)


def _each(
    pool: Threads, work: Callable[[ItemT], DoneT], waiting: Iterator[ItemT], most: int
) -> Generator[tuple[ItemT, DoneT]]:
    running: dict[Future[DoneT], ItemT] = {}
    item = next(waiting, None)
    while item is not None or running:
        while item is not None and len(running) <= most:
            running[pool.submit(work, item)] = item
            item = next(waiting, None)
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.result()

# SPDX-License-Identifier: MIT
"""Which processor is measured on, and keeping the bench itself away from it."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psutil


def measuring_cpu() -> int | None:
    """Name the last processor we may use; the first ones serve interrupts. None: no choice."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    return max(os.sched_getaffinity(0))


def processor_beside(cpu: int | None) -> int | None:
    """Name another processor that we may use; the same one if there is none."""
    if cpu is None:
        return None
    return min(os.sched_getaffinity(0) - {cpu} or {cpu})


@contextmanager
def away_from(cpu: int | None) -> Iterator[None]:
    """Run everything of the bench on the other processors for a while, if there are any."""
    if cpu is None:
        yield
        return
    before = os.sched_getaffinity(0)
    _move(before - {cpu} or before)
    try:
        yield
    finally:
        _move(before)


def _move(processors: set[int]) -> None:
    """Move every thread, the one that draws progress, too."""
    for thread in psutil.Process().threads():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(thread.id, processors)

# SPDX-License-Identifier: MIT
"""Keeping the bench away from the processor that is measured on."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from assay.machine.processors import usable_processors


def processor_beside(cpu: int | None) -> int | None:
    """Name another processor that we may use; the same one if there is none."""
    if cpu is None:
        return None
    return min(usable_processors() - {cpu} or {cpu})


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
    import psutil  # noqa: PLC0415 - who checks alone does without

    for thread in psutil.Process().threads():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(thread.id, processors)

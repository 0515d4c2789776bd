# SPDX-License-Identifier: MIT
"""Which processor is measured on, which of them we may use, and keeping the bench away from it.

Systems other than Linux and FreeBSD do not say, and let nobody choose: there we may use all.
"""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from assay.machine.neighbours import cpu_list
from assay.machine.sources import LINUX, Sources

CHOOSES = hasattr(os, "sched_getaffinity") and hasattr(os, "sched_setaffinity")


def usable_processors() -> set[int]:
    """Return the numbers of the processors that this process may use."""
    return os.sched_getaffinity(0) if CHOOSES else set(range(os.cpu_count() or 1))


def measuring_cpu(sources: Sources = LINUX) -> int | None:
    """Name an isolated processor, or the last one we may use. None: there is no choice.

    The kernel gives nobody an isolated processor (`isolcpus`) who does not ask for it, so it is
    not among those that processes inherit. Of the others the first ones serve interrupts.
    """
    if not CHOOSES:
        return None
    isolated = cpu_list(sources.cpu("isolated") or "")
    reachable = (one for one in sorted(isolated, reverse=True) if _may_run_on(one))
    return next(reachable, max(os.sched_getaffinity(0)))


def _may_run_on(cpu: int) -> bool:
    """Try it with this thread: a container may have fewer processors than the machine."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError:
        return False
    os.sched_setaffinity(0, before)
    return True


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

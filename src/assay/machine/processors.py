# SPDX-License-Identifier: MIT
"""Which processor is measured on."""

import os

from assay.machine.neighbours import cpu_list
from assay.machine.sources import LINUX, Sources


def measuring_cpu(sources: Sources = LINUX) -> int | None:
    """Name an isolated processor, or the last one we may use. None: there is no choice.

    The kernel gives nobody an isolated processor (`isolcpus`) who does not ask for it, so it is
    not among those that processes inherit. Of the others the first ones serve interrupts.
    """
    if not hasattr(os, "sched_getaffinity"):
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

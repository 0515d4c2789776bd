# SPDX-License-Identifier: MIT
"""The processor that is measured on: which one, kept free of the bench, and what others take.

Systems other than Linux and FreeBSD let nobody choose: there we may use all processors. Linux
tells what others take in /proc/stat (proc(5)) and /proc/pressure/cpu
(Documentation/accounting/psi.rst).
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from msgspec import Struct

from assay.machine.sources import LINUX, Sources

CHOOSES = hasattr(os, "sched_getaffinity") and hasattr(os, "sched_setaffinity")
_IDLE, _IOWAIT, _STEAL = 3, 4, 7  # places in a line of /proc/stat
_TIMES = 8  # the guest's times behind them are in the user's already
_MICROSECONDS = 1e6
_MOST_CPUS = 1 << 13  # the most that Linux can be configured for
_PART = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
_CPU = re.compile(r"cpu[0-9]{1,6}")
_WHOLE = re.compile(r"[0-9]{1,20}")
_SOME = re.compile(r"some\b.*\btotal=([0-9]{1,20})")


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


class Usage(Struct, frozen=True):
    """What was used up to a moment, or between two: seconds; None is not told.

    `busy_seconds` is what the measured processor did, for whomever.
    """

    at: float
    steal_seconds: float | None
    pressure_seconds: float | None
    beside_seconds: float | None
    busy_seconds: float | None = None

    def since(self, first: "Usage") -> "Usage":
        """Return what was used from `first` on."""
        return Usage(
            self.at - first.at,
            _difference(self.steal_seconds, first.steal_seconds),
            _difference(self.pressure_seconds, first.pressure_seconds),
            _difference(self.beside_seconds, first.beside_seconds),
            _difference(self.busy_seconds, first.busy_seconds),
        )


def usage(cpu: int | None, sources: Sources = LINUX) -> Usage:
    """Read what was used so far; `cpu` is the measured processor (None: there is none).

    What this process used itself is taken off the neighbours' time.
    """
    times = _times(sources)
    own = time.process_time()
    beside = None
    if cpu is not None and times:
        near = neighbours(cpu, sources) & times.keys()
        beside = sum(_busy(times[one]) for one in near) - (own if near else 0.0)
    steal = times[cpu][_STEAL] if cpu in times else None
    busy = _busy(times[cpu]) if cpu in times else None
    return Usage(time.monotonic(), steal, _pressure(sources), beside, busy)


def neighbours(cpu: int, sources: Sources = LINUX) -> frozenset[int]:
    """Name the processors that share a core with this one.

    A virtual machine is seldom told which of its processors do: there all others count.
    """
    told = _siblings(cpu, sources)
    if _virtual(sources):
        told = frozenset(_times(sources))
    return told - {cpu}


def _siblings(cpu: int, sources: Sources) -> frozenset[int]:
    """Read the processors of a core, as in `0,4` or `0-1`."""
    return cpu_list(sources.cpu(f"cpu{cpu}/topology/thread_siblings_list") or "")


def cpu_list(text: str) -> frozenset[int]:
    """Read a list of processors as the kernel writes it, `0-3,8`; other parts tell nothing."""
    found: set[int] = set()
    for part in text.strip().split(","):
        if match := _PART.fullmatch(part):
            first, last = int(match[1]), int(match[2] or match[1])
            found |= set(range(first, min(last, first + _MOST_CPUS) + 1))
    return frozenset(found)


@cache
def _virtual(sources: Sources) -> bool:
    return " hypervisor" in sources.cpuinfo()


def _times(sources: Sources) -> dict[int, list[float]]:
    """Read the times of every processor, in seconds."""
    found = {}
    ticks = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
    for line in (sources.text(sources.proc / "stat") or "").splitlines():
        name, *values = line.split() or [""]
        if _CPU.fullmatch(name) and len(values) >= _TIMES and all(map(_WHOLE.fullmatch, values)):
            found[int(name[3:])] = [int(one) / ticks for one in values]
    return found


def _busy(times: list[float]) -> float:
    """Add up the times in which a program or the kernel ran."""
    quiet = (_IDLE, _IOWAIT, _STEAL)
    return sum(one for place, one in enumerate(times[:_TIMES]) if place not in quiet)


def _pressure(sources: Sources) -> float | None:
    """Read how long some process has waited for a processor."""
    for line in (sources.text(sources.proc / "pressure/cpu") or "").splitlines():
        if match := _SOME.match(line):
            return int(match[1]) / _MICROSECONDS
    return None


def _difference(last: float | None, first: float | None) -> float | None:
    return None if last is None or first is None else max(0.0, last - first)

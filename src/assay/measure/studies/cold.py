# SPDX-License-Identifier: MIT
"""What the first call of an operation takes once other work has filled the caches.

Figures are of calls one after another, whose code and tables are in the caches; a program that
encrypts now and then pays more. Before each request the bench reads more memory than the last
cache holds, on the processor that the agent is pinned to, and the first call after that counts.
Its inputs were written right before it, so they alone are warm. Outputs are proved as everywhere.
"""

import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from assay.check.engine.workshop import Workshop
from assay.check.operation.routines import TimedCall, group
from assay.check.operation.session import OperationSession
from assay.compile.recipe import Recipe
from assay.execute.lock import machine_lock
from assay.measure.operation.request_size import Beds, RequestSize
from assay.measure.operation.rounds import require_right
from assay.measure.operation.timing import OperationEffort, put, time_task
from assay.measure.studies.ready import Ready, ready, require_operation
from assay.model.progress import Progress
from assay.stats.quartiles import quartiles
from assay.timing.agent import TimedAgent
from assay.timing.clock import select

if TYPE_CHECKING:
    from assay.model import OperationSubject

LENGTH = 64  # bytes of message and data
SAMPLES = 5  # warm calls behind the cold one
LINE_BYTES = 64
LEAST_BYTES, TIMES = 32 << 20, 2  # what is read, and how many times the last cache at least
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


class ColdRow(Struct, frozen=True):
    """Nanoseconds of a function's first call, and of the calls behind it, one value a launch."""

    package: str
    function: str
    cold: tuple[float, ...]
    warm: tuple[float, ...]

    @property
    def times(self) -> tuple[float, float, float]:
        """Quartiles and median of how many times as long the cold call takes."""
        base = statistics.median(self.warm)
        low, middle, high = quartiles([one / base for one in self.cold])
        return low, middle, high


def last_cache_bytes(caches: Path = CACHES) -> int:
    """Return the size of the largest cache that Linux names; 0 if it names none."""
    found = [one.read_text().strip() for one in caches.glob("index*/size")]
    return max((int(one.rstrip("K")) << 10 for one in found if one.endswith("K")), default=0)


class Evictor:
    """Reads memory on a processor, until nothing else is in its caches."""

    def __init__(self, cpu: int | None) -> None:
        """Take as much memory as it needs."""
        self._cpu = cpu
        self._memory = bytearray(os.urandom(4096)) * (
            max(LEAST_BYTES, TIMES * last_cache_bytes()) // 4096
        )

    def evict(self) -> None:
        """Read a byte of each line, in the agent's place."""
        if self._cpu is None:
            sum(self._memory[::LINE_BYTES])
            return
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self._cpu})
        try:
            sum(self._memory[::LINE_BYTES])
        finally:
            os.sched_setaffinity(0, before)


def cold_of(
    workshop: Workshop, recipe: Recipe, progress: Progress, launches: int
) -> Iterator[ColdRow]:
    """Yield the rows of an operation; AssayError for one that does not build or fails."""
    require_operation(recipe)
    made, evictor = ready(workshop, recipe), Evictor(workshop.stage.cpu)
    found: dict[str, tuple[list[float], list[float]]] = {}
    progress.begin("launching", launches)
    for _ in range(launches):
        stage, file = made.stage, made.code.agent
        with (
            machine_lock(exclusive=True),
            stage.connect_as(TimedAgent, file, pinned=True) as agent,
            stage.beside().connect_as(TimedAgent, file, pinned=True) as second,
        ):
            for function, cold, warm in _calls(agent, second, made, evictor):
                both = found.setdefault(function, ([], []))
                both[0].append(cold)
                both[1].append(warm)
        progress.advance(recipe.package.selector)
    for function, (firsts, others) in found.items():
        yield ColdRow(recipe.package.selector, function, tuple(firsts), tuple(others))


def _calls(
    agent: TimedAgent,
    second: TimedAgent,
    made: Ready,
    evictor: Evictor,
) -> Iterator[tuple[str, float, float]]:
    """Yield each function with the nanoseconds of a cold call, and of warm ones."""
    subject, counter = cast("OperationSubject", made.subject), made.counter
    select(agent, counter)
    effort = OperationEffort(SAMPLES, counter.step_ticks, counter.ticks_per_second)
    session, proof = (OperationSession(one, subject) for one in (agent, second))
    timed = group(subject, LENGTH, LENGTH)
    beds = Beds.of(session, proof, timed, RequestSize(1, SAMPLES, SAMPLES))
    scale = 1e9 / counter.ticks_per_second
    for task in timed.timed:
        cold, warm = _once(beds, task, effort, SystemRandom(), evictor)
        yield f"{subject.operation}{task.suffix}", cold * scale, warm * scale


def _once(
    beds: Beds, task: TimedCall, effort: OperationEffort, random: Random, evictor: Evictor
) -> tuple[float, float]:
    """Time a task after an eviction; return the ticks of its first call, and of those behind."""
    challenge = beds.challenger.make(task, random)
    put(beds.timed, challenge)
    evictor.evict()
    timing = time_task(beds.timed, challenge, effort)
    require_right(beds.timed, challenge, timing.lengths)
    return timing.warm_up, statistics.median(timing.ticks)

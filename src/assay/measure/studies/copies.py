# SPDX-License-Identifier: MIT
"""How fast a package is while copies of it work on other processors at the same time.

Processors share caches, memory and often execution units, and slow down together when they need
more power; so that a machine makes N times as much with N processors is no matter of course.
Launches with one copy and with all copies come in random order. A copy that is done begins
again until all have measured once, so each is timed beside the others from beginning to end.
"""

import statistics
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from random import SystemRandom

from msgspec import Struct
from msgspec.structs import replace

from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.execute.lock import machine_lock
from assay.machine.threads import Threads
from assay.measure.studies.ready import Ready, ready, speeds
from assay.model import Launch
from assay.model.progress import Progress
from assay.stats.quartiles import quartiles


class CopiesRow(Struct, frozen=True):
    """A measure: bytes or calls per second and processor, one value a launch.

    `alone` are of one copy, `together` the means of all copies at once. `unit` is what they
    count: `byte`, `hash`, `setup` or `call`.
    """

    package: str
    measure: str
    sizes: str
    unit: str
    copies: int
    alone: tuple[float, ...]
    together: tuple[float, ...]

    @property
    def times(self) -> tuple[float, float, float]:
        """Quartiles and median of how much all make, in what one makes alone: N at best."""
        base = statistics.median(self.alone)
        low, middle, high = quartiles([one / base for one in self.together])
        return self.copies * low, self.copies * middle, self.copies * high


def copies_of(
    workshop: Workshop,
    recipe: Recipe,
    progress: Progress,
    processors: Sequence[int],
    launches: int,
) -> Iterator[CopiesRow]:
    """Yield the rows of a package; AssayError for one that does not build or fails its checks."""
    made = ready(workshop, recipe)
    turns = [one for one in (1, len(processors)) for _ in range(launches)]
    SystemRandom().shuffle(turns)
    found: dict[int, list[list[Launch]]] = {1: [], len(processors): []}
    progress.begin("launching", len(turns))
    for turn in turns:
        with machine_lock(exclusive=True):
            found[turn].append(at_once(processors[:turn], partial(_launch, made)))
        progress.advance(recipe.package.selector)
    yield from _rows(recipe, found[1], found[len(processors)])


def _launch(made: Ready, cpu: int) -> Launch:
    return made.launched(made.task.taking(made.counter, {}), replace(made.stage, cpu=cpu))


def at_once(processors: Sequence[int], launch: Callable[[int], Launch]) -> list[Launch]:
    """Launch on all processors; return the first launch of each.

    All end if one of them fails, or the command is interrupted.
    """
    left, over, lock = len(processors), threading.Event(), threading.Lock()

    def work(cpu: int) -> Launch:
        nonlocal left
        try:
            first = launch(cpu)
            with lock:
                left -= 1
            while left and not over.is_set():
                launch(cpu)
        except BaseException:
            over.set()
            raise
        return first

    with Threads(len(processors)) as pool:
        waiting = [pool.submit(work, one) for one in processors]
        try:
            return [one.result() for one in waiting]
        finally:
            over.set()


def _rows(
    recipe: Recipe, alone: Iterable[list[Launch]], together: Iterable[list[Launch]]
) -> Iterator[CopiesRow]:
    one, many = list(map(speeds, alone)), list(map(speeds, together))
    copies = len(many[0][next(iter(many[0]))])
    for key in one[0]:
        measure, sizes, unit = key
        means = [tuple(statistics.fmean(launch[key]) for launch in part) for part in (one, many)]
        yield CopiesRow(recipe.package.selector, measure, sizes, unit, copies, *means)

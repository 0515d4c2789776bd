# SPDX-License-Identifier: MIT
"""One measuring launch: a fresh process, randomly placed, watched by canaries."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import Workshop
from assay.execute.agent import Agent
from assay.execute.protocol import LATENCY, THROUGHPUT
from assay.execute.stage import Stage
from assay.machine.processors import Usage, neighbours
from assay.machine.threads import Threads
from assay.measure import disturbance as quiet
from assay.measure.task import Taken
from assay.model import Canaries, Cell, Conditions, Counter, Launch
from assay.timing.agent import TimedAgent
from assay.timing.clock import (
    CounterOption,
    Instant,
    LoopReading,
    calibration_error,
    cycles_per_tick,
    rate_between,
    read_clock,
    read_loops,
    select,
)
from assay.timing.watch import PATIENT, RetryBudget, RetryLimit, Watch
from assay.timing.witness import AgentNonsense, making_sense

MOST_TICKS = 1 << 62  # a century of nanoseconds; the store has 63 bits


TakenT = TypeVar("TakenT", bound=Taken)


class LinkedCode(Struct, frozen=True):
    """What is launched: a cell's machine code, linked once or in several `layouts`.

    A layout is the same code at other addresses; `agent` is the first.
    """

    cell: Cell
    object_hash: str
    agent: Path
    layouts: tuple[Path, ...] = ()

    def placed(self, seed: int, counted: Sequence[int] = ()) -> tuple[int, Path]:
        """Choose the layout of a launch: its number, and the agent.

        Of `counted` are the layouts of launches that count; one of the rarest among them comes
        next. Short setups may depend on little else, and few launches chosen at random would
        favour a layout.
        """
        linked = (self.agent, *self.layouts)
        fewest = min(counted.count(number) for number in range(len(linked)))
        rare = [number for number in range(len(linked)) if counted.count(number) == fewest]
        number = Random(seed).choice(rare)
        return number, linked[number]


class Readings(Struct, frozen=True):
    """What was read of a launch: clocks and loops at both ends, canaries between them."""

    instants: tuple[Instant, Instant]
    loops: tuple[LoopReading, LoopReading]
    canaries: tuple[Canaries, ...]
    absent_share: float | None
    used: Usage
    layout: int
    watch: Watch


@making_sense()  # every figure comes from where submitted code runs
def measure_once(
    stage: Stage,
    target: LinkedCode,
    counter: CounterOption,
    take: Callable[[TimedAgent, Agent, Random], TakenT],
    seed: int,
    counted: Sequence[int] = (),
    limit: RetryLimit = PATIENT,
) -> tuple[Launch, TakenT]:
    """Launch two agents, let `take` measure the first, and judge whether it was disturbed.

    The second is never timed: it proves what the first put out. `limit` is of timing groups
    again. AgentError if one fails.
    """
    begun, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds")
    random = Random(seed)
    layout, file = target.placed(seed, counted)
    beside = partial(stage.beside().connect_as, TimedAgent, file, seed, pinned=True)
    with (
        meanwhile(beside) as started_beside,
        stage.connect_as(TimedAgent, file, seed, pinned=True) as agent,
    ):
        second = started_beside()
        select(agent, counter)
        first = read_clock(agent, counter)
        watch = Watch(agent, stage.cpu, near(stage, second), RetryBudget(limit))
        before = watch.steadily(partial(read_loops, agent))
        taken = take(agent, second, random)
        after = watch.steadily(partial(read_loops, agent))
        watched, last = watch.stop(), read_clock(agent, counter)
        agent.close()
        taken.prove(second, beside)
    readings = Readings((first, last), (before, after), *watched, layout, watch)
    launch = _launch(target, counter, taken, readings)
    possible(launch)
    seconds, jail = time.monotonic() - begun, stage.confinement
    launch = replace(launch, seed=seed, started_at=started, total_seconds=seconds, jail=jail)
    return launch, taken


def near(stage: Stage, second: Agent) -> Agent | None:
    """Return the second agent if it runs where other programs would be a disturbance.

    Elsewhere it is no part of what the neighbouring processors did.
    """
    cpu = stage.cpu
    return second if cpu is not None and stage.beside().cpu in neighbours(cpu) else None


def possible(launch: Launch) -> None:
    """Raise AgentNonsense unless all that a launch reports can be stored and computed with."""
    ticks = [one for sample in launch.samples for one in sample.ticks]
    parts = [one for sample in launch.samples for one in (sample.keys, sample.tests)]
    conditions = launch.conditions
    switches = conditions.switches if conditions else 0
    if not all(0 <= one < MOST_TICKS for one in ticks) or not 0 <= switches < MOST_TICKS:
        raise AgentNonsense("it reports more than can be counted")
    if not all(0 < one < MOST_TICKS for one in parts) or not all(
        one.ticks for one in launch.samples
    ):
        raise AgentNonsense("it reports samples of nothing")
    reals = (launch.timed_seconds, *launch.latency_canary, *launch.throughput_canary)
    if not all(math.isfinite(one) for one in reals):
        raise AgentNonsense("it reports more than can be counted")


@contextmanager
def meanwhile(start: Callable[[], Agent]) -> Iterator[Callable[[], Agent]]:
    """Start an agent while the caller starts another; give what waits for it. It ends in the end.

    Whoever times something waits first, so that nothing starts beside it.
    """
    with ExitStack() as stack, Threads(1) as pool:
        yield pool.submit(lambda: stack.enter_context(start())).result


def _launch(code: LinkedCode, counter: CounterOption, taken: Taken, readings: Readings) -> Launch:
    """Make of the readings what can be made of them; how it was launched is added later."""
    first, last = readings.instants
    rate = rate_between(first, last, counter)
    timer = _counter(counter, rate, readings.loops)
    conditions = _conditions(timer, readings)
    return Launch(
        cell=code.cell,
        object_hash=code.object_hash,
        seed=0,
        started_at="",
        counter=timer,
        latency_canary=_canary(readings.loops, LATENCY),
        throughput_canary=_canary(readings.loops, THROUGHPUT),
        timed_seconds=taken.timed_ticks / rate,
        total_seconds=0.0,
        jail="",
        samples=taken.samples,
        disturbed=quiet.within(timer, conditions, taken.samples),
        conditions=conditions,
    )


def _conditions(counter: Counter, readings: Readings) -> Conditions:
    """Describe what went on around the launch."""
    first, last = readings.instants
    return Conditions(
        calibration_error=calibration_error(readings.loops, counter.cycles_per_tick),
        canaries=readings.canaries,
        seconds=readings.used.at,
        absent_share=readings.absent_share,
        switches=last.involuntary_switches - first.involuntary_switches,
        steal_seconds=readings.used.steal_seconds,
        pressure_seconds=readings.used.pressure_seconds,
        beside_seconds=readings.used.beside_seconds,
        layout=readings.layout,
        repeated_groups=readings.watch.repeated,
        left_out=readings.watch.left_out,
    )


def _counter(
    option: CounterOption, rate: float, readings: tuple[LoopReading, LoopReading]
) -> Counter:
    if option.core_cycles:
        return Counter(option.name, option.step_ticks, rate, 1.0, 0.0)
    ratio, spread = cycles_per_tick(readings)
    return Counter(option.name, option.step_ticks, rate, ratio, spread)


def _canary(readings: tuple[LoopReading, LoopReading], loop: int) -> tuple[float, float]:
    before, after = (reading.ticks_per_operation[loop] for reading in readings)
    return before, after


FURTHER_LAYOUTS = 3


def launched(workshop: Workshop, made: BuiltCell, further: int = FURTHER_LAYOUTS) -> LinkedCode:
    """Return a built code with `further` layouts of it, linked now if they are not there.

    Whoever calls holds the machine's lock, so that nothing is linked beside measuring.
    """
    build = made.build
    if build.object_hash is None:
        raise ValueError("only built cells can be launched")
    placed = workshop.layouts(made.recipe, build, further)
    return LinkedCode(build.cell, build.object_hash, workshop.admit(build), placed)

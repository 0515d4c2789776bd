# SPDX-License-Identifier: MIT
"""Counters and loops of known cost, through an agent.

The counter is chosen by trying: core cycles if they can be counted, otherwise
the finest that advances. What a tick is worth in core cycles is found in every
launch with two loops whose latency is known; they must agree.
"""

import statistics
from dataclasses import dataclass

from assay.errors import MachineError
from assay.execute.agent import Agent, Answer
from assay.execute.protocol import Reader, Request

LOOPS = (0, 1, 2)  # two of known latency, then throughput; harness/meter/loops.c
THROUGHPUT = 2
LOOP_THOUSANDS = 60
LOOP_REPEATS = 5
AGREEMENT = 0.02  # relative; beyond it the ratio counts as not established


@dataclass(frozen=True, slots=True)
class CounterOption:
    """A counter as the agent found it. `number` selects it."""

    number: int
    name: str
    usable: bool
    core_cycles: bool
    step_ticks: int
    ticks_per_second: float

    @property
    def step_seconds(self) -> float:
        """How fine it is."""
        return self.step_ticks / self.ticks_per_second


@dataclass(frozen=True, slots=True)
class LoopReading:
    """Fastest of a few runs of each loop: ticks per operation; cycles per tick where known."""

    ticks_per_operation: tuple[float, ...]
    cycles_per_tick: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Instant:
    """The chosen counter and the system's clock, read together."""

    ticks: int
    ns: int
    involuntary_switches: int


def find_counters(agent: Agent) -> tuple[CounterOption, ...]:
    """Let the agent try every counter."""
    reader = agent.ask(Request.COUNTERS, b"", "trying counters")
    options: list[CounterOption] = []
    while not reader.done:
        name = reader.text() or ""
        usable, core = bool(reader.number(1)), bool(reader.number(1))
        step, ticks, ns = (reader.number(8) for _ in range(3))
        rate = ticks * 1e9 / ns if ns else 0.0
        options.append(CounterOption(len(options), name, usable, core, step, rate))
    return tuple(options)


def choose_counter(options: tuple[CounterOption, ...]) -> CounterOption:
    """Take core cycles where they can be counted, else the finest counter that advances."""
    usable = [option for option in options if option.usable]
    if not usable:
        names = ", ".join(option.name for option in options)
        raise MachineError(f"no counter advances on this machine (tried {names})", "")
    return min(usable, key=lambda option: (not option.core_cycles, option.step_seconds))


def select(agent: Agent, option: CounterOption) -> None:
    """Make the agent time with this counter."""
    agent.later(Request.SELECT, bytes([option.number]), lambda: f"selecting {option.name}")


def read_clock(agent: Agent) -> Instant:
    """Read counter and clock."""
    reader = agent.ask(Request.CLOCK, b"", "reading the clock")
    return Instant(reader.number(8), reader.number(8), reader.number(8))


def read_loops(agent: Agent) -> LoopReading:
    """Run every loop a few times; the fastest run is the undisturbed one."""
    payload = LOOP_THOUSANDS.to_bytes(4, "little")
    asked: list[list[Answer]] = []
    for loop in LOOPS:
        answers = [Answer(agent) for _ in range(LOOP_REPEATS)]
        for answer in answers:
            agent.later(Request.LOOP, bytes([loop]) + payload, lambda: "a loop", answer)
        asked.append(answers)
    operations = LOOP_THOUSANDS * 1000
    ticks, ratios = [], []
    for loop, answers in zip(LOOPS, asked, strict=True):
        readers = [Reader(answer.data) for answer in answers]
        fastest = min(reader.number(8) for reader in readers)
        cycles = readers[0].number(4)
        ticks.append(fastest / operations)
        if loop != THROUGHPUT and fastest:
            ratios.append(cycles * operations / fastest)
    return LoopReading(tuple(ticks), tuple(ratios))


def cycles_per_tick(readings: tuple[LoopReading, ...]) -> tuple[float | None, float]:
    """Give the ratio (None if the loops do not agree) and its relative half-range."""
    ratios = [ratio for reading in readings for ratio in reading.cycles_per_tick]
    middle = statistics.median(ratios)
    spread = (max(ratios) - min(ratios)) / 2 / middle
    return (middle if spread <= AGREEMENT else None), spread

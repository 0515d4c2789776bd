# SPDX-License-Identifier: MIT
"""Counters and loops of known cost, through an agent.

The counter is chosen by trying: core cycles if they can be counted, otherwise
the finest that advances. What a tick is worth in core cycles is found in every
launch with two loops whose latency is known; they must agree. A third one, of other
instructions, says how far off that is.
"""

import statistics
import time
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import MachineError
from assay.execute.agent import Agent, PendingAnswer
from assay.execute.protocol import (
    LATENCY,
    MIXED,
    SECOND,
    THROUGHPUT,
    FrameError,
    PayloadReader,
    Request,
)
from assay.timing.witness import AgentLied, AgentNonsense, accuse

KNOWN = (LATENCY, SECOND)  # the factor comes from these
LOOPS = (LATENCY, SECOND, THROUGHPUT, MIXED)
LOOP_THOUSANDS = 60
LOOP_REPEATS = 5
MOST_COUNTERS = 16
TRIALS = 5  # of every counter
CLOCK_READS = 3
RATE_BOUND = 0.02  # relative, between a launch and what the agent without a package told
AGREEMENT = 0.02  # relative; beyond it the ratio counts as not established


class CounterOption(Struct, frozen=True):
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


class LoopReading(Struct, frozen=True):
    """Fastest of a few runs of each loop: ticks per operation; cycles per tick where known.

    `check` is the ratio that the loop gives which the factor is not taken from.
    """

    ticks_per_operation: tuple[float, ...]
    cycles_per_tick: tuple[float, ...]
    check: float | None = None


class Instant(Struct, frozen=True):
    """The chosen counter and the system's clock, read together, and what was used so far.

    `processor_ns` is None where the system does not account for it.
    """

    ticks: int
    ns: int
    involuntary_switches: int
    processor_ns: int | None


def find_counters(agent: Agent) -> tuple[CounterOption, ...]:
    """Let the agent try every counter."""
    reader = agent.ask(Request.COUNTERS, b"", "trying counters")
    options: list[CounterOption] = []
    while not reader.done:
        if len(options) == MOST_COUNTERS:
            raise FrameError(f"the agent names more than {MOST_COUNTERS} counters")
        name = reader.text() or ""
        usable, core = bool(reader.number(1)), bool(reader.number(1))
        step, ticks, ns = (reader.number(8) for _ in range(3))
        usable = usable and min(step, ticks, ns) > 0
        rate = ticks * 1e9 / ns if ns else 0.0
        options.append(CounterOption(len(options), name, usable, core, step, rate))
    return tuple(options)


def steady_counters(agent: Agent) -> tuple[CounterOption, ...]:
    """Let the agent try every counter a few times: in any trial it may lose the processor."""
    trials = [find_counters(agent) for _ in range(TRIALS)]
    return tuple(_middle(tried) for tried in zip(*trials, strict=True))


def _middle(tried: tuple[CounterOption, ...]) -> CounterOption:
    """Return a counter with its median rate and its finest step, where it advanced."""
    advanced = [one for one in tried if one.usable] or list(tried)
    rate = statistics.median(one.ticks_per_second for one in advanced)
    step = min(one.step_ticks for one in advanced)
    return replace(advanced[0], step_ticks=step, ticks_per_second=rate)


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


def read_clock(agent: Agent, option: CounterOption) -> Instant:
    """Read counter and clock; AgentLied if the clock of this machine tells another time.

    Agents of this machine have the bench's own clock, so their reading lies between two of its.
    Of a few readings the one counts between whose two halves the least time passed.
    """
    answers = [PendingAnswer(agent) for _ in range(CLOCK_READS)]
    agent.flush()
    here = agent.processor_seconds() is not None
    before = time.monotonic_ns()
    for answer in answers:
        ask_clock(agent, answer)
    read = [instant_of(answer.data) for answer in answers]
    after = time.monotonic_ns()
    if here and not all(before <= one.ns <= after for one in read):
        accuse("it reports a time at which it was not asked")
    return min(read, key=lambda one: one.ns - one.ticks * 1e9 / option.ticks_per_second)


def rate_between(first: Instant, last: Instant, option: CounterOption) -> float:
    """Return ticks per second between two instants; AgentLied if that is not the counter's rate.

    Core cycles come at no fixed rate.
    """
    if last.ns <= first.ns or last.ticks <= first.ticks:
        raise AgentLied("it reports that counter or clock did not advance")
    rate = (last.ticks - first.ticks) * 1e9 / (last.ns - first.ns)
    if not option.core_cycles and abs(rate / option.ticks_per_second - 1.0) > RATE_BOUND:
        told, true = rate / 1e6, option.ticks_per_second / 1e6
        accuse(f"its counter ran at {told:.4g} MHz, and that counter does {true:.4g}")
    return rate


def ask_clock(agent: Agent, answer: PendingAnswer) -> None:
    """Have counter and clock read, later."""
    agent.later(Request.CLOCK, b"", lambda: "reading the clock", answer)


def instant_of(data: bytes) -> Instant:
    """Read the answer of `ask_clock`."""
    reader = PayloadReader(data)
    ticks, ns, switches, used = (reader.number(8) for _ in range(4))
    return Instant(ticks, ns, switches, used or None)


def ask_loop(agent: Agent, loop: int, thousands: int, repeats: int) -> tuple[PendingAnswer, ...]:
    """Have a loop run a few times, later."""
    answers = tuple(PendingAnswer(agent) for _ in range(repeats))
    payload = bytes([loop]) + thousands.to_bytes(4, "little")
    for answer in answers:
        agent.later(Request.LOOP, payload, lambda: "a loop", answer)
    return answers


def fastest(answers: Sequence[PendingAnswer], thousands: int) -> tuple[float, int]:
    """Return ticks per operation of the fastest run, which is the undisturbed one, and cycles.

    Cycles per operation are 0 where they are not known.
    """
    readers = [PayloadReader(answer.data) for answer in answers]
    ticks = min(reader.number(8) for reader in readers)
    if not ticks:
        raise AgentNonsense("it reports that a loop of known cost took no time")
    return ticks / (thousands * 1000), readers[0].number(4)


def read_loops(agent: Agent) -> LoopReading:
    """Run every loop a few times; the fastest run is the undisturbed one."""
    asked = [ask_loop(agent, loop, LOOP_THOUSANDS, LOOP_REPEATS) for loop in LOOPS]
    found = [fastest(answers, LOOP_THOUSANDS) for answers in asked]
    ticks, cycles = zip(*found, strict=True)
    if not all(cycles[loop] for loop in KNOWN):
        raise AgentNonsense("it does not know what the loops of known cost take")
    ratios = tuple(cycles[loop] / ticks[loop] for loop in KNOWN)
    check = cycles[MIXED] / ticks[MIXED] if cycles[MIXED] else None
    return LoopReading(ticks[: THROUGHPUT + 1], ratios, check)


def cycles_per_tick(readings: tuple[LoopReading, ...]) -> tuple[float | None, float]:
    """Return the ratio (None if the loops do not agree) and its relative half-range."""
    ratios = [ratio for reading in readings for ratio in reading.cycles_per_tick]
    middle = statistics.median(ratios)
    spread = (max(ratios) - min(ratios)) / 2 / middle
    return (middle if spread <= AGREEMENT else None), spread


def calibration_error(readings: Sequence[LoopReading], ratio: float | None) -> float | None:
    """Return how much more the check loop took than `ratio` cycles per tick predict, relative.

    Of several readings the worst counts. None if there is no ratio or no such loop.
    """
    errors = [ratio / one.check - 1.0 for one in readings if ratio and one.check]
    return max(errors, key=abs) if errors else None

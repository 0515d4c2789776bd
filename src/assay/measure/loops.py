# SPDX-License-Identifier: MIT
"""Timing what the agent's own loops time: the measures of a cipher or a hash, in one launch.

Keys, IVs, texts and messages of a series of batches follow from a seed that the bench chose, and
the input of each call is the output of one before. Another agent, which was never timed, repeats
the series and makes every call as it makes those of the checks. So code that leaves calls of a
series undone, all but the last or only some, ends in another state.

How many tests make a batch is found once per machine code and kept for later launches.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from random import Random
from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from assay.execute.agent import Agent
from assay.execute.protocol import Request
from assay.measure.audit import require_same
from assay.measure.counted import CountedAgent
from assay.measure.series import (
    TEST_SECONDS,
    BatchSeries,
    TimedBeats,
    time_series,
    until_settled,
)
from assay.measure.task import (
    Batch,
    Batches,
    Connect,
    Count,
    Measured,
    Take,
)
from assay.model import Sample, SizeChoice
from assay.model.timed import Timed, TimingTable
from assay.plan.plan import Effort
from assay.timing.agent import TimedAgent
from assay.timing.clock import CounterOption
from assay.timing.witness import AgentNonsense

# More than any core does in a microsecond: bytes of a primitive, calls without data.
MOST_BYTES_A_US, MOST_CALLS_A_US = 200_000, 4_000
REPEAT_SECONDS = 60.0
# A call that is longer than so many windows is timed less often, but not less than that.
LONG_CALL, LEAST_SAMPLES = 16, 9


class LoopMeasure(Struct, frozen=True):
    """One measure: `loop` is the number of what times it, with `call_bytes` of data to a call.

    `length` is what the loop is told, and `work_bytes` is what a sample says a call works on
    (0: figures are per call).
    """

    name: str
    loop: int
    length: int
    call_bytes: int
    work_bytes: int

    @property
    def request(self) -> bytes:
        """Return how requests name it."""
        return bytes([self.loop]) + self.length.to_bytes(4, "little")


class TimedSeries(Struct, frozen=True):
    """A series of batches, the warm-up included: how it was set up, and its `end`.

    `chosen` are calls that the bench chose from `seed` on, of which the end tells more.
    """

    measure: LoopMeasure
    sizes: SizeChoice
    batch: Batch
    samples: int
    seed: bytes = b""
    chosen: tuple[int, ...] = ()
    setup: bytes = b""
    end: bytes = b""

    @property
    def calls(self) -> int:
        """Return how many calls there are in all."""
        return (self.samples + 1) * self.batch.tests

    @property
    def request(self) -> bytes:
        """Return what is asked for, but for the number of samples."""
        return self.measure.request + numbers(self.batch.keys, self.batch.per_key)

    def sample(self, timed: BatchSeries) -> Sample:
        """Return timings as a launch has them."""
        keys, tests, work = self.batch.keys, self.batch.tests, self.measure.work_bytes
        return Sample(
            self.measure.name, self.sizes, keys, tests, work, timed.ticks, timed.beats,
            quiet=timed.quiet,
        )  # fmt: skip


class SetupTime(Struct, frozen=True):
    """How much processor time was used to set a series up, and then for its last IVs."""

    measure: LoopMeasure
    sizes: SizeChoice
    seconds: float
    ivs: float = 0.0


class EndTime(Struct, frozen=True):
    """How much processor time was used after a series, until the agent had told its end."""

    series: TimedSeries
    seconds: float


class LoopTask(ABC):
    """What a launch of a cipher or a hash times: a table's measures, or those of the effort."""

    __slots__ = ()
    sizes: tuple[SizeChoice, ...]
    effort: Effort
    keyed: ClassVar[bool]  # a batch may have several keys
    tells_end: ClassVar[bool]  # behind the ticks, unasked
    setting_up: ClassVar[str]
    renews: ClassVar[bool]  # IVs, from a seed that comes after the keys are set up

    @property
    @abstractmethod
    def timing(self) -> TimingTable:
        """Return the table of the API."""

    @abstractmethod
    def measure(self, row: Timed, length: int) -> LoopMeasure:
        """Return a row of the table at a length (0: the row has none)."""

    @abstractmethod
    def choose(self, series: TimedSeries, random: Random) -> tuple[int, ...]:
        """Choose calls of a series."""

    @property
    def audits(self) -> tuple[LoopMeasure, ...]:
        """Return what is timed besides, for the account of the measures."""
        return ()

    def accounted(self, samples: Sequence[Sample], rate: float) -> tuple[Sample, ...]:
        """Return the samples of the measures, as audits and the rate of the counter say."""
        del rate
        return tuple(samples)

    def most_calls(self, measure: LoopMeasure) -> int | None:
        """Return how many calls a series may have, if it uses something up."""
        del measure
        return None

    @abstractmethod
    def setup(self, series: TimedSeries) -> bytes:
        """Return what sets the loops up for a series."""

    @abstractmethod
    def prove(self, agent: Agent, series: Sequence[TimedSeries]) -> Iterable[TimedSeries]:
        """Have calls of the series made one by one, and return the series left to repeat."""

    @abstractmethod
    def require_untimed(
        self,
        setups: Sequence[SetupTime],
        ends: Sequence[EndTime],
        samples: Sequence[Sample],
        rate: float,
    ) -> None:
        """Raise AgentLied if more was done before and after series than samples say."""

    @abstractmethod
    def counted(self, sizes: SizeChoice, counter: CountedAgent) -> list[Sample]:
        """Count all measures where nothing is timed."""

    @property
    def measures(self) -> tuple[LoopMeasure, ...]:
        """Return the measures, in the order of the report."""
        only, rows = self.effort.only, self.timing.measures
        chosen = (row for row in rows if not only or row.name in only)
        return tuple(self.measure(row, length) for row in chosen for length in row.lengths or (0,))

    @property
    def asked(self) -> frozenset[Measured]:
        """Name measures and sizes."""
        return frozenset((one.name, sizes) for one in self.measures for sizes in self.sizes)

    @property
    def counting(self) -> tuple[Count, ...]:
        """Count at one choice of sizes after another."""
        return tuple(partial(self.counted, sizes) for sizes in self.sizes)

    def taking(self, counter: CounterOption, batches: Batches) -> Take:
        """Return what takes them in a launch; proofs are asked for afterwards."""
        rate = counter.ticks_per_second
        return lambda agent, _, random: _Loops(self, agent, rate, random).take(batches)


class LoopsTaken(Struct, frozen=True):
    """What a launch measured, and how many ticks went into timed windows, thrown away or not."""

    task: LoopTask
    series: tuple[TimedSeries, ...]
    samples: tuple[Sample, ...]
    batches: Batches
    timed_ticks: int

    def prove(self, agent: Agent, _: Connect) -> None:
        """Have an agent that was asked for nothing before repeat what was timed."""
        for one in self.task.prove(agent, self.series):
            repeat(agent, one)


def repeat(agent: Agent, series: TimedSeries) -> None:
    """Have an agent do a series again; WrongOutput if it ends otherwise."""
    name, request = series.measure.name, series.setup + series.request + numbers(series.samples)
    end = agent.ask(Request.REPEAT, request, f"repeating {name}", REPEAT_SECONDS).rest()
    differs = ": the calls of the series, repeated, come to something else"
    require_same(f"while {name} was timed it", "output", series.end, end, lambda _: differs)


class _Loops(Struct, frozen=True):
    """The loops of an agent, and a counter of so many ticks per second."""

    task: LoopTask
    agent: TimedAgent
    rate: float
    random: Random
    setups: list[SetupTime] = field(default_factory=list)
    ends: list[EndTime] = field(default_factory=list)

    def take(self, known: Batches) -> LoopsTaken:
        """Measure everything once, sizes and measures in random order."""
        found, taken, samples, spent = dict(known), [], [], 0
        for sizes in self.random.sample(self.task.sizes, len(self.task.sizes)):
            listed = (*self.task.measures, *self.task.audits)
            for measure in self.random.sample(listed, len(listed)):
                key = (sizes, measure.name)
                if key not in found:
                    found[key], ticks = self._calibrate(measure, sizes)
                    spent += ticks
                number = self._samples(found[key])
                if measure in self.task.audits:
                    number = min(number, LEAST_SAMPLES)
                one = TimedSeries(measure, sizes, found[key], number)
                one, timed = self._time(one)
                taken.append(one)
                samples.append(one.sample(timed))
                spent += timed.spent
        self.task.require_untimed(self.setups, self.ends, samples, self.rate)
        counted = self.task.accounted(samples, self.rate)
        return LoopsTaken(self.task, tuple(taken), counted, found, spent)

    def _time(self, one: TimedSeries) -> tuple[TimedSeries, BatchSeries]:
        """Time a series from a fresh seed, and again until nobody is beside it."""
        what = f"timing {one.measure.name}"

        def timed() -> TimedBeats:
            nonlocal one
            one = self._start(one, self.task.choose(one, self.random))
            return time_series(self.agent, what, one.request, one.samples, self.rate)

        series = until_settled(self.agent, what, timed)
        if self.task.tells_end:
            return replace(one, end=series.rest.rest()), series
        return replace(one, end=self._end(one, series.used)), series

    def _end(self, one: TimedSeries, used: float | None) -> bytes:
        """Have the agent tell what a series came to, which `used` so much of the processor."""
        what = f"looking at what {one.measure.name} came to"
        end = self.agent.untimed(Request.REPEAT, b"", what, TEST_SECONDS).rest()
        since = self.agent.since_timing().processor_seconds
        if used is not None and since is not None:
            self.ends.append(EndTime(one, since - used))
        return end

    def _start(self, one: TimedSeries, chosen: tuple[int, ...] = ()) -> TimedSeries:
        """Start from a seed, with calls that are chosen among those to come."""
        one = replace(one, seed=self.random.randbytes(8), chosen=chosen)
        one = replace(one, setup=self.task.setup(one))
        asked, what = Request.TIMING_SETUP, self.task.setting_up
        used = self.agent.processor_time_of(asked, one.setup, what, TEST_SECONDS)
        ivs: float | None = 0.0
        if self.task.renews:
            seed = self.random.randbytes(8)
            ivs = self.agent.processor_time_of(asked, seed, what, TEST_SECONDS)
            one = replace(one, setup=one.setup + seed)
        if used is not None and ivs is not None:
            self.setups.append(SetupTime(one.measure, one.sizes, used, ivs))
        return one

    def _calibrate(self, measure: LoopMeasure, sizes: SizeChoice) -> tuple[Batch, int]:
        """Find how many tests fill a window, and return the ticks spent on it, too."""
        self._start(TimedSeries(measure, sizes, Batch(1, 1), 0))
        effort = self.task.effort
        window = round(effort.window_us * self.rate / 1e6)
        payload = measure.request + window.to_bytes(8, "little") + numbers(effort.trials)
        what = f"calibrating {measure.name}"
        reader = self.agent.ask(Request.CALIBRATE, payload, what, TEST_SECONDS)
        keys, per_key, ticks = reader.number(4), reader.number(4), reader.number(8)
        batch = Batch(keys, per_key)
        if batch.tests == 1:
            batch = replace(batch, windows=ticks / (1 + effort.trials) / window)
        if not self._plausible(measure, batch):
            raise AgentNonsense(f"{what} it reports {batch.tests} calls to a batch")
        return self._affordable(measure, batch), ticks

    def _affordable(self, measure: LoopMeasure, batch: Batch) -> Batch:
        """Return a batch, or a smaller one if a series of it had more calls than it may have."""
        most = self.task.most_calls(measure)
        tests = batch.tests if most is None else most // (self._samples(batch) + 1)
        return batch if batch.tests <= tests else replace(batch, keys=1, per_key=max(1, tests))

    def _samples(self, batch: Batch) -> int:
        """Return how often to time a batch; a call of slow code may be many windows long."""
        wanted = self.task.effort.samples
        fitting = round(wanted * LONG_CALL / max(batch.windows, LONG_CALL))
        return min(wanted, max(LEAST_SAMPLES, fitting))

    def _plausible(self, measure: LoopMeasure, batch: Batch) -> bool:
        """Return whether a core can do a batch in the window.

        The agent without timing repeats a series, however long the timed one said that it was.
        """
        most = MOST_BYTES_A_US if measure.call_bytes else MOST_CALLS_A_US
        done = batch.tests * max(measure.call_bytes, 1)
        keys = batch.keys == 1 or self.task.keyed
        return keys and 0 < done <= round(self.task.effort.window_us * most)


def numbers(*values: int) -> bytes:
    """Return numbers as requests have them."""
    return b"".join(one.to_bytes(4, "little") for one in values)

# SPDX-License-Identifier: MIT
"""The four measures of the eSTREAM framework, as one launch takes them.

Long stream, packets of 40, 576 and 1500 bytes, key setup, IV setup (with
finalisation where there is a MAC), and agility over 16 MB of contexts. How many
tests make a batch is found once per machine code and kept for later launches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from assay.execute.agent import Agent
from assay.execute.protocol import PayloadReader, Request
from assay.measure.repeating import TimedSeries, repeat
from assay.measure.series import TEST_SECONDS, BatchSeries, time_series, until_settled
from assay.measure.stream.proof import ChosenCall, provable, prove, read_chosen
from assay.measure.task import Batch, Batches
from assay.model import Sample, SizeChoice, StreamSubject
from assay.model.apis import PACKAGED, SYNC
from assay.model.timed import BUFFER, Timed
from assay.plan.effort import Effort
from assay.timing.agent import TimedAgent
from assay.timing.beats import Beat
from assay.timing.witness import AgentNonsense

LONG, AGILITY = 0, 4  # codes of measures
# More than any core does in a microsecond: bytes of a cipher, calls of a setup.
MOST_BYTES_A_US, MOST_CALLS_A_US = 200_000, 4_000
MOST_CHOSEN = 32  # calls of a series whose contexts are looked at
MOST_KEPT_BYTES = 1 << 20  # of contexts


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: `code` as in stream_timing.c; `block_bytes` is one call's data."""

    name: str
    code: int
    length: int
    block_bytes: int


@dataclass(frozen=True, slots=True)
class StreamTaken:
    """What a launch measured, and how many ticks went into timed windows, thrown away or not."""

    samples: tuple[Sample, ...]
    batches: Batches
    timed_ticks: int
    subject: StreamSubject
    chosen: tuple[ChosenCall, ...] = ()
    series: tuple[TimedSeries, ...] = ()

    def prove(self, agent: Agent) -> None:
        """Have an agent that was asked for nothing before repeat what was timed."""
        prove(agent, self.subject, self.chosen)
        repeat(agent, self.series)


def measures(subject: StreamSubject, effort: Effort) -> tuple[Measure, ...]:
    """List the measures of a cipher that the effort names, in the order of the report."""
    return tuple(one for one in _all(subject) if not effort.only or one.name in effort.only)


def _all(subject: StreamSubject) -> tuple[Measure, ...]:
    rows = PACKAGED.get(subject.api, SYNC).timing.measures
    return tuple(_measure(subject, row, length) for row in rows for length in row.lengths or (0,))


def _measure(subject: StreamSubject, row: Timed, length: int) -> Measure:
    """Return a row of the table for a cipher: whole blocks, but for packets."""
    if not row.whole:
        return Measure(f"{row.name}/{length}" if length else row.name, row.loop, length, length)
    wanted, block = subject.buffer_bytes if length == BUFFER else length, subject.block_bytes
    return Measure(row.name, row.loop, 0, -(-wanted // block) * block)


def take(
    agent: TimedAgent,
    subject: StreamSubject,
    sizes: tuple[SizeChoice, ...],
    effort: Effort,
    ticks_per_second: float,
    batches: Batches,
    random: Random,
    advance: Callable[[], None] = lambda: None,
) -> StreamTaken:
    """Measure everything once, sizes and measures in random order."""
    window = round(effort.window_us * ticks_per_second / 1e6)
    found = dict(batches)
    samples: list[Sample] = []
    chosen: list[ChosenCall] = []
    proofs: list[TimedSeries] = []
    spent = 0
    for choice in random.sample(sizes, len(sizes)):
        listed = measures(subject, effort)
        for measure in random.sample(listed, len(listed)):
            key = (choice, measure.name)
            if key not in found:
                _setup(agent, choice, random, agility=measure.code == AGILITY)
                batch, tried = _calibrate(agent, measure, window, effort.trials)
                found[key] = _plausible(measure, batch, effort)
                spent += tried
            timed = _Timed(
                agent, subject, choice, measure, found[key], effort.samples, ticks_per_second,
                random,
            )  # fmt: skip
            series = until_settled(agent, timed)
            proofs.append(timed.end())
            if provable(subject, choice, measure.name):
                chosen.append(timed.chosen_call(proofs[-1].end))
            spent += series.spent
            samples.append(_sample(measure, choice, found[key], series))
        advance()
    return StreamTaken(tuple(samples), found, spent, subject, tuple(chosen), tuple(proofs))


def _setup(
    agent: Agent,
    sizes: SizeChoice,
    random: Random,
    *,
    agility: bool = False,
    chosen: Sequence[int] = (),
) -> bytes:
    """Start from a seed, with calls that are chosen among those to come."""
    numbers = (sizes.key_bits, sizes.iv_bits, sizes.mac_bits or 0)
    payload = b"".join(number.to_bytes(4, "little") for number in numbers)
    payload += random.randbytes(8) + bytes([agility, len(chosen)])
    payload += b"".join(number.to_bytes(4, "little") for number in chosen)
    what = "setting up 100 keys, IVs and contexts"
    agent.ask(Request.TIMING_SETUP, payload, what, TEST_SECONDS)
    return payload


def _calibrate(agent: Agent, measure: Measure, window: int, trials: int) -> tuple[Batch, int]:
    payload = _request(measure) + window.to_bytes(8, "little") + trials.to_bytes(4, "little")
    reader = agent.ask(Request.CALIBRATE, payload, f"calibrating {measure.name}", TEST_SECONDS)
    return Batch(reader.number(4), reader.number(4)), reader.number(8)


def _plausible(measure: Measure, batch: Batch, effort: Effort) -> Batch:
    """Raise AgentNonsense for a batch that no core can do in the window.

    The agent without timing repeats a series, however long the timed one said that it was.
    """
    tests = batch.keys * batch.per_key
    done = tests * max(measure.block_bytes, 1)
    most = round(effort.window_us * (MOST_BYTES_A_US if measure.block_bytes else MOST_CALLS_A_US))
    if not tests or done > most:
        raise AgentNonsense(f"calibrating {measure.name} it reports {tests} calls to a batch")
    return batch


@dataclass(slots=True)
class _Timed:
    """Times a series of a measure from a fresh seed; called again, it does so again."""

    agent: TimedAgent
    subject: StreamSubject
    choice: SizeChoice
    measure: Measure
    batch: Batch
    samples: int
    rate: float
    random: Random
    setup: bytes = b""
    chosen: tuple[int, ...] = ()

    def __call__(self) -> tuple[list[Beat], PayloadReader]:
        """Time; AgentLied if the report does not fit what was seen of the agent."""
        self.chosen = self._choose()
        agility = self.measure.code == AGILITY
        self.setup = _setup(
            self.agent, self.choice, self.random, agility=agility, chosen=self.chosen
        )
        what = f"timing {self.measure.name}"
        return time_series(self.agent, what, self._asked, self.samples, self.rate)

    @property
    def _asked(self) -> bytes:
        numbers = (self.batch.keys, self.batch.per_key)
        return _request(self.measure) + b"".join(n.to_bytes(4, "little") for n in numbers)

    def end(self) -> TimedSeries:
        """Ask what the series came to; return it with what has the series repeated."""
        what = f"looking at what {self.measure.name} came to"
        end = self.agent.ask(Request.REPEAT, b"", what, TEST_SECONDS).rest()
        repeated = self.setup + self._asked + self.samples.to_bytes(4, "little")
        return TimedSeries(self.measure.name, repeated, end)

    def chosen_call(self, end: bytes) -> ChosenCall:
        """Return the call that was chosen, as the agent tells it."""
        measure = self.measure
        return read_chosen(end, measure.name, self.choice, measure.block_bytes, self._before)

    @property
    def _tests(self) -> int:
        return self.batch.keys * self.batch.per_key

    def _choose(self) -> tuple[int, ...]:
        """Choose calls of the series: one whose output is looked at, or some contexts."""
        calls = (self.samples + 1) * self._tests
        if self.measure.length or self.measure.code == LONG:
            return (self.random.randrange(calls),)
        most = min(MOST_CHOSEN, max(1, MOST_KEPT_BYTES // self.subject.context_bytes), calls)
        return tuple(sorted(self.random.sample(range(calls), most)))

    @property
    def _before(self) -> int:
        """Return how many bytes of its stream went before the chosen call."""
        series, call = divmod(self.chosen[0], self._tests)
        calls = series * self.batch.per_key + call % self.batch.per_key
        return 0 if self.measure.length else calls * self.measure.block_bytes


def _request(measure: Measure) -> bytes:
    return bytes([measure.code]) + measure.length.to_bytes(4, "little")


def _sample(measure: Measure, sizes: SizeChoice, batch: Batch, series: BatchSeries) -> Sample:
    tests = batch.keys * batch.per_key
    length = measure.block_bytes
    return Sample(measure.name, sizes, batch.keys, tests, length, series.ticks, series.beats)

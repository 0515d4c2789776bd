# SPDX-License-Identifier: MIT
"""The four measures of the eSTREAM framework, as one launch takes them.

Long stream, packets of 40, 576 and 1500 bytes, key setup, IV setup (with
finalisation where there is a MAC), and agility over 16 MB of contexts. How many
tests make a batch is found once per machine code and kept for later launches.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from assay.execute.agent import Agent
from assay.execute.protocol import PayloadReader, Request
from assay.measure.series import TEST_SECONDS, BatchSeries, time_series, until_settled
from assay.measure.stream.proof import LastCall, provable, prove, read_last
from assay.measure.task import Batch, Batches
from assay.model import Sample, SizeChoice, StreamSubject
from assay.model.apis import LONG_STREAM, PACKAGED, SYNC
from assay.model.timed import BUFFER, Timed
from assay.plan.effort import Effort
from assay.timing.agent import TimedAgent
from assay.timing.beats import Beat
from assay.timing.witness import AgentNonsense

# More than any core does in a microsecond: bytes of a cipher, calls of a setup.
MOST_BYTES_A_US, MOST_CALLS_A_US = 200_000, 4_000


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
    last_calls: tuple[LastCall, ...] = ()

    def prove(self, agent: Agent) -> None:
        """Have an agent that was asked for nothing before repeat what was timed last."""
        prove(agent, self.subject, self.last_calls)


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
    last: list[LastCall] = []
    spent = 0
    for choice in random.sample(sizes, len(sizes)):
        _setup(agent, choice, random)
        listed = measures(subject, effort)
        for measure in random.sample(listed, len(listed)):
            key = (choice, measure.name)
            if key not in found:
                batch, tried = _calibrate(agent, measure, window, effort.trials)
                found[key] = _plausible(measure, batch, effort)
                spent += tried
            proved = provable(subject, choice, measure.name)
            timed = _Timed(
                agent, choice, measure, found[key], effort.samples, ticks_per_second,
                random if proved else None,
            )  # fmt: skip
            series = until_settled(agent, timed)
            if proved:
                calls = (effort.samples + 1) * found[key].per_key
                before = 0 if measure.length else (calls - 1) * measure.block_bytes
                last.append(
                    read_last(series.rest, measure.name, choice, measure.block_bytes, before)
                )
            spent += series.spent
            samples.append(_sample(measure, choice, found[key], series))
        advance()
    return StreamTaken(tuple(samples), found, spent, subject, tuple(last))


def _setup(agent: Agent, sizes: SizeChoice, random: Random, *, agility: bool = True) -> None:
    numbers = (sizes.key_bits, sizes.iv_bits, sizes.mac_bits or 0)
    payload = b"".join(number.to_bytes(4, "little") for number in numbers)
    payload += random.randbytes(8) + bytes([agility])
    what = "setting up 100 keys, IVs and contexts"
    agent.ask(Request.TIMING_SETUP, payload, what, TEST_SECONDS)


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


@dataclass(frozen=True, slots=True)
class _Timed:
    """Times a batch of a measure; called again, it does so again."""

    agent: TimedAgent
    choice: SizeChoice
    measure: Measure
    batch: Batch
    samples: int
    rate: float
    proof: Random | None  # makes fresh keys for what is proved afterwards

    def __call__(self) -> tuple[list[Beat], PayloadReader]:
        """Time; AgentLied if the report does not fit what was seen of the agent.

        Long streams with a MAC are finished outside of the timed windows.
        """
        if self.proof is not None:
            _setup(self.agent, self.choice, self.proof, agility=False)  # others changed contexts
        sure = self.measure.name != LONG_STREAM or self.choice.mac_bits is None
        numbers = (self.batch.keys, self.batch.per_key)
        request = _request(self.measure) + b"".join(n.to_bytes(4, "little") for n in numbers)
        what = f"timing {self.measure.name}"
        return time_series(self.agent, what, request, self.samples, self.rate, sure=sure)


def _request(measure: Measure) -> bytes:
    return bytes([measure.code]) + measure.length.to_bytes(4, "little")


def _sample(measure: Measure, sizes: SizeChoice, batch: Batch, series: BatchSeries) -> Sample:
    tests = batch.keys * batch.per_key
    length = measure.block_bytes
    return Sample(measure.name, sizes, batch.keys, tests, length, series.ticks, series.beats)

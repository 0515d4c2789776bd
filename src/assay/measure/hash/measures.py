# SPDX-License-Identifier: MIT
"""Timing a hash: a long message and short ones, as the Shabal paper has them (section 2).

The long message is one context that takes 8 KiB again and again; a short one has 32 bytes and
is a whole hash. What was timed is proved: the agent tells the digest of the long message, that
of the last short one, and a short message that the bench chose, with its digest. Another agent,
which timed nothing, must come to the same. Data follow from a seed that the bench chose, and
short messages from the digests before them, so code that leaves work undone while it is timed
is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from assay.check.hash.session import HashSession
from assay.execute.agent import Agent
from assay.execute.protocol import PayloadReader, Request
from assay.measure.repeating import TimedSeries, repeat
from assay.measure.series import TEST_SECONDS, time_series, until_settled
from assay.measure.task import Batch, Batches, WrongOutput
from assay.model import Beats, HashSubject, Sample, SizeChoice
from assay.model.apis import COMPACT, LONG_BYTES, LONG_MESSAGE, PACKAGED, SHORT_MESSAGE
from assay.plan.effort import Effort
from assay.timing.agent import TimedAgent
from assay.timing.beats import Beat
from assay.timing.witness import AgentNonsense

MOST_BYTES_A_US = 200_000  # more than any core hashes in a microsecond
SIZES = SizeChoice(0, 0)  # of key and IV: a hash has none
CHUNK = 256  # calls that are asked for at once, while a message is repeated
NEVER = (1 << 32) - 1  # in place of a chosen call


@dataclass(frozen=True, slots=True)
class HashMeasure:
    """One measure: `test` as in hash_timing.c; `length` is one call's data."""

    test: int
    length: int
    out_bits: int

    @property
    def name(self) -> str:
        """Name it as results do, with the bits of the digest."""
        return f"{SHORT_MESSAGE if self.test else LONG_MESSAGE}/{self.out_bits}"

    def sample(
        self, tests: int, ticks: tuple[int, ...], beats: Beats | None, length: int
    ) -> Sample:
        """Return timings as a launch has them: of a long message per byte, else per message."""
        return Sample(self.name, SIZES, 1, tests, 0 if self.test else length, ticks, beats)


@dataclass(frozen=True, slots=True)
class HashTaken:
    """What a launch measured, and what was told of its outputs: of each message its parts."""

    samples: tuple[Sample, ...]
    batches: Batches
    timed_ticks: int
    subject: HashSubject
    out_bits: int
    messages: tuple[tuple[str, bytes, int, bytes], ...]
    series: tuple[TimedSeries, ...] = ()

    def prove(self, agent: Agent) -> None:
        """Have an agent hash the same; WrongOutput names the first message that differs."""
        for measure, data, times, told in self.messages:
            if digest_of(HashSession(agent, self.subject), self.out_bits, data, times) != told:
                raise WrongOutput(
                    f"while {measure} was timed it wrote another digest than when it was not"
                )
            agent.forget_buffers()
        repeat(agent, self.series)


def measures(subject: HashSubject, out_bits: int, effort: Effort) -> tuple[HashMeasure, ...]:
    """List the measures that the effort names."""
    rows = PACKAGED.get(subject.api, COMPACT).timing.measures
    chosen = (row for row in rows if not effort.only or row.name in effort.only)
    return tuple(HashMeasure(row.loop, row.lengths[0], out_bits) for row in chosen)


def take(
    agent: TimedAgent,
    subject: HashSubject,
    out_bits: int,
    effort: Effort,
    rate: float,
    batches: Batches,
    random: Random,
) -> HashTaken:
    """Measure everything once, in random order."""
    window = round(effort.window_us * rate / 1e6)
    found = dict(batches)
    samples, messages, proofs, spent = [], [], [], 0
    listed = measures(subject, out_bits, effort)
    for one in random.sample(listed, len(listed)):
        key = (SIZES, one.name)
        if key not in found:
            _setup(agent, one, random.getrandbits(64), NEVER)
            found[key], tried = _calibrate(agent, one, window, effort)
            spent += tried
        batch = found[key]
        timed = _Timed(agent, one, batch, effort.samples, rate, random)
        series = until_settled(agent, timed)
        spent += series.spent
        end = series.rest.rest()
        messages.append(_told(one, end, timed.data, timed.calls))
        if one.test:  # the whole long message is hashed once more anyway
            proofs.append(TimedSeries(one.name, timed.setup + timed.request + timed.count, end))
        samples.append(one.sample(batch.per_key, series.ticks, series.beats, one.length))
    told, proved = tuple(messages), tuple(proofs)
    return HashTaken(tuple(samples), found, spent, subject, out_bits, told, proved)


def _setup(agent: Agent, one: HashMeasure, seed: int, chosen: int) -> bytes:
    """Start from a seed; the agent tells the `chosen` short message."""
    setup = one.out_bits.to_bytes(4, "little") + seed.to_bytes(8, "little")
    setup += chosen.to_bytes(4, "little")
    agent.ask(Request.TIMING_SETUP, setup, "setting up", TEST_SECONDS)
    return setup


def generated(state: int, count: int) -> Iterator[int]:
    """Yield the bytes that the agent hashes: Knuth's MMIX generator, the upper bits."""
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
        yield state >> 56


def digest_of(session: HashSession, out_bits: int, data: bytes, times: int) -> bytes:
    """Hash `data` so many times, as one message."""
    agent = session.agent
    ctx, to = session.context(), agent.buffer("digest", out_bits // 8)
    source = agent.buffer("data", len(data))
    agent.write(source, data)
    session.init(ctx, out_bits)
    for number in range(times):
        session.update(ctx, source, len(data))
        if number % CHUNK == CHUNK - 1:
            agent.flush()
    session.close(ctx, to)
    return agent.read(to)


def _request(one: HashMeasure) -> bytes:
    return bytes([one.test]) + one.length.to_bytes(4, "little")


def _calibrate(
    agent: TimedAgent, one: HashMeasure, window: int, effort: Effort
) -> tuple[Batch, int]:
    """Find how many calls fill a window; AgentNonsense for more than any core does."""
    payload = _request(one) + window.to_bytes(8, "little") + effort.trials.to_bytes(4, "little")
    reader = agent.ask(Request.CALIBRATE, payload, f"calibrating {one.name}", TEST_SECONDS)
    batch, tried = Batch(reader.number(4), reader.number(4)), reader.number(8)
    most = effort.window_us * MOST_BYTES_A_US
    if batch.keys != 1 or not 0 < batch.per_key * one.length <= most:
        raise AgentNonsense(f"calibrating {one.name} it reports {batch.per_key} calls to a batch")
    return batch, tried


@dataclass(slots=True)
class _Timed:
    """Times a series of a measure from a fresh seed; called again, it does so again."""

    agent: TimedAgent
    one: HashMeasure
    batch: Batch
    samples: int
    rate: float
    random: Random
    setup: bytes = b""
    data: bytes = b""

    def __call__(self) -> tuple[list[Beat], PayloadReader]:
        """Time; AgentLied if the report does not fit what was seen of the agent."""
        seed = self.random.getrandbits(64)
        self.data = bytes(generated(seed, LONG_BYTES))
        self.setup = _setup(self.agent, self.one, seed, self.random.randrange(self.calls))
        what = f"timing {self.one.name}"
        return time_series(self.agent, what, self.request, self.samples, self.rate)

    @property
    def calls(self) -> int:
        """Return how many calls the series has, the warm-up included."""
        return (self.samples + 1) * self.batch.per_key

    @property
    def request(self) -> bytes:
        """Return what is asked for, but for the number of samples."""
        numbers = (self.batch.keys, self.batch.per_key)
        return _request(self.one) + b"".join(number.to_bytes(4, "little") for number in numbers)

    @property
    def count(self) -> bytes:
        """Return the number of samples, as it is asked for."""
        return self.samples.to_bytes(4, "little")


def _told(one: HashMeasure, end: bytes, data: bytes, calls: int) -> tuple[str, bytes, int, bytes]:
    """Read what follows the ticks: a message, how often it was taken, and its digest."""
    rest, size = PayloadReader(end), one.out_bits // 8
    if one.test == 0:
        return one.name, data[: one.length], calls, rest.bytes(size)
    message = rest.bytes(one.length)
    return one.name, message, 1, rest.bytes(size)

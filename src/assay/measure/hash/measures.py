# SPDX-License-Identifier: MIT
"""Timing a hash: a long message and short ones, as the Shabal paper has them (section 2).

The long message is one context that takes 8 KiB again and again; a short one has 32 bytes and
is a whole hash. What was timed is proved: the agent tells the digest of the long message, and
the last short message with its own, and another agent, which timed nothing, must come to the
same. Data follow from a seed that the bench chose, and short messages from the digests before
them, so code that leaves work undone while it is timed is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from assay.check.hash.session import HashSession
from assay.execute.agent import Agent
from assay.execute.protocol import PayloadReader, Request
from assay.measure.series import TEST_SECONDS, BatchSeries, time_series, until_settled
from assay.measure.task import Batch, Batches, WrongOutput
from assay.model import Beats, HashSubject, Sample, SizeChoice
from assay.plan.effort import Effort
from assay.timing.agent import TimedAgent
from assay.timing.beats import Beat
from assay.timing.witness import AgentNonsense

LONG_BYTES, SHORT_BYTES = 8192, 32
MOST_BYTES_A_US = 200_000  # more than any core hashes in a microsecond
SIZES = SizeChoice(0, 0)  # of key and IV: a hash has none
CHUNK = 256  # calls that are asked for at once, while a message is repeated


@dataclass(frozen=True, slots=True)
class HashMeasure:
    """One measure: `test` as in hash_timing.c; `length` is one call's data."""

    test: int
    length: int
    out_bits: int

    @property
    def name(self) -> str:
        """Name it as results do, with the bits of the digest."""
        return f"{'short' if self.test else 'long'}/{self.out_bits}"

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

    def prove(self, agent: Agent) -> None:
        """Have an agent hash the same; WrongOutput names the first message that differs."""
        for measure, data, times, told in self.messages:
            if digest_of(HashSession(agent, self.subject), self.out_bits, data, times) != told:
                raise WrongOutput(
                    f"while {measure} was timed it wrote another digest than when it was not"
                )
            agent.forget_buffers()


def measures(out_bits: int, effort: Effort) -> tuple[HashMeasure, ...]:
    """List the measures that the effort names."""
    both = (HashMeasure(0, LONG_BYTES, out_bits), HashMeasure(1, SHORT_BYTES, out_bits))
    return tuple(one for one in both if not effort.only or one.name.split("/")[0] in effort.only)


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
    seed = random.getrandbits(64)
    setup = out_bits.to_bytes(4, "little") + seed.to_bytes(8, "little")
    agent.ask(Request.TIMING_SETUP, setup, "setting up", TEST_SECONDS)
    window = round(effort.window_us * rate / 1e6)
    found, data = dict(batches), bytes(generated(seed, LONG_BYTES))
    samples, messages, spent = [], [], 0
    listed = measures(out_bits, effort)
    for one in random.sample(listed, len(listed)):
        key = (SIZES, one.name)
        if key not in found:
            found[key], tried = _calibrate(agent, one, window, effort)
            spent += tried
        batch = found[key]
        series = _timed(agent, one, batch, effort.samples, rate)
        spent += series.spent
        messages.append(_told(one, series.rest, data, (effort.samples + 1) * batch.per_key))
        samples.append(one.sample(batch.per_key, series.ticks, series.beats, one.length))
    return HashTaken(tuple(samples), found, spent, subject, out_bits, tuple(messages))


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


def _timed(
    agent: TimedAgent, one: HashMeasure, batch: Batch, samples: int, rate: float
) -> BatchSeries:
    numbers = (batch.keys, batch.per_key)
    request = _request(one) + b"".join(number.to_bytes(4, "little") for number in numbers)

    def timed() -> tuple[list[Beat], PayloadReader]:
        return time_series(agent, f"timing {one.name}", request, samples, rate)

    return until_settled(agent, timed)


def _told(
    one: HashMeasure, rest: PayloadReader, data: bytes, calls: int
) -> tuple[str, bytes, int, bytes]:
    """Read what follows the ticks: the message, how often it was taken, and its digest."""
    if one.test == 0:
        return one.name, data[: one.length], calls, rest.bytes(one.out_bits // 8)
    message = rest.bytes(one.length)
    return one.name, message, 1, rest.bytes(one.out_bits // 8)

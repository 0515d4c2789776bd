# SPDX-License-Identifier: MIT
"""Agents that answer with any numbers: what comes of it is a launch or their own failure."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.execute.fakes import GREETING, FakePipe

from assay.check.operation.routines import group
from assay.check.operation.session import OperationSession
from assay.check.operation.session import describe as describe_operation
from assay.check.session import describe_hash, describe_stream
from assay.execute.agent import Agent, AgentError
from assay.execute.opening import AgentT
from assay.execute.protocol import Request, Status, encode
from assay.measure.disturbance import Quiet
from assay.measure.hash.task import HashTask
from assay.measure.launch import LinkedCode, measure_once
from assay.measure.operation.measures import OperationTaken, take
from assay.measure.operation.timing import OperationEffort
from assay.measure.stream.task import StreamTask
from assay.measure.stream.untimed import FIRST_BYTES, LOOPS
from assay.measure.task import Take
from assay.model import (
    Cell,
    HashSubject,
    Launch,
    OperationSubject,
    SizeChoice,
    StreamSubject,
    Subject,
)
from assay.plan.plan import Effort
from assay.stats.summary import per_test
from assay.store import records
from assay.store.records import pack, unpack
from assay.summary.series import series_over
from assay.timing.clock import CounterOption, choose_counter, find_counters
from assay.timing.watch import RetryLimit

CELL = Cell("toy/ref", 1, "gcc")
TICKS_A_NS = 2.4
COUNTER = CounterOption(
    1, "toy", usable=True, core_cycles=False, step_ticks=24, ticks_per_second=TICKS_A_NS * 1e9
)
CHOICE = SizeChoice(128, 64)
EFFORT = Effort(samples=3)
STREAM = StreamSubject(
    "ecrypt-sync", "toy", None, (128,), (64,), (), 128, 64, 0, 64, 64, 4096, frozenset(),
    frozenset(),
)  # fmt: skip
CONSTANTS = (("KEYBYTES", 32), ("NSECBYTES", 0), ("NPUBBYTES", 12), ("ABYTES", 16))
AEAD = OperationSubject("crypto_aead", "toy", "ref", CONSTANTS, ("_encrypt", "_decrypt"), 0)
AEAD_BYTES, AEAD_SLICES = 16384, 16  # so long that every sample is one call, of 15 and a warm-up
KNOWN = {0: 1, 1: 3, 2: 0, 3: 8, 4: 3, 5: 0}
LIARS = (
    Request.DESCRIBE, Request.CLOCK, Request.LOOP, Request.CALIBRATE, Request.TIME,
    Request.SCRIPT, Request.READ, Request.COUNTERS, Request.REPEAT,
)  # fmt: skip
EDGES = (0, 1, 2, 1 << 31, (1 << 32) - 1, 1 << 53, 1 << 62, 1 << 63, (1 << 64) - 1)

numbers = st.lists(st.sampled_from(EDGES) | st.integers(0, (1 << 64) - 1), min_size=1, max_size=8)
lying = st.sets(st.sampled_from(LIARS), min_size=1)
few = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass
class Liar:
    """Answers in the right form and time; requests in `lies` with any numbers."""

    kind: str
    lies: frozenset[Request] = frozenset()
    numbers: Sequence[int] = (0,)
    words: int = 0
    now_ns: int = 1_000_000_000
    timed: bytes = b""
    counted: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the first number."""
        self.counted = cycle(self.numbers)

    def __call__(self, code: int, sequence: int, payload: bytes) -> bytes:
        """Answer a request."""
        self.now_ns += 1_000_000
        answers: dict[int, Callable[[bytes], list[tuple[int, int] | bytes]]] = {
            Request.DESCRIBE: self._description,
            Request.COUNTERS: self._counters,
            Request.CLOCK: self._clock,
            Request.LOOP: self._loop,
            Request.CALIBRATE: lambda _: [(4, 1), (4, 50), (8, 600_000)],
            Request.TIME: {"stream": self._series, "hash": self._hash}.get(self.kind, self._calls),
            Request.REPEAT: {"stream": self._end}.get(self.kind, lambda _: [bytes(96)]),
            Request.SCRIPT: lambda _: [(8, 0)] * self.words,
            Request.READ: lambda asked: [bytes(int.from_bytes(asked[5:9], "little"))],
        }
        if code == Request.HELLO:
            return encode(Status.OK, sequence, GREETING)
        parts = answers[code](payload) if code in answers else []
        return encode(Status.OK, sequence, b"".join(self._told(code, one) for one in parts))

    def _told(self, code: int, part: tuple[int, int] | bytes) -> bytes:
        """Write a number of so many bytes, the true one or another."""
        if isinstance(part, bytes):
            lie = code == Request.READ and code in self.lies
            return part[: next(self.counted) % 64] if lie else part
        size, value = part
        if code in self.lies:
            value = next(self.counted)
        return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def _description(self, _: bytes) -> list[tuple[int, int] | bytes]:
        texts = [_text(one) for one in (self.kind, "api", "name", "profile")]
        return [*texts, *[(4, 1)] * 24]

    def _counters(self, _: bytes) -> list[tuple[int, int] | bytes]:
        return [_text("toy"), (1, 1), (1, 0), (8, 24), (8, 480_000), (8, 200_000)]

    def _clock(self, _: bytes) -> list[tuple[int, int] | bytes]:
        return [(8, round(self.now_ns * TICKS_A_NS)), (8, self.now_ns), (8, 0), (8, self.now_ns)]

    def _loop(self, asked: bytes) -> list[tuple[int, int] | bytes]:
        loop, thousands = asked[0], int.from_bytes(asked[1:5], "little")
        return [(8, 700 * thousands * max(KNOWN[loop], 1)), (4, KNOWN[loop]), _text("loop")]

    def _series(self, asked: bytes) -> list[tuple[int, int] | bytes]:
        self.timed = asked
        return [(8, 10), (8, 4900), (8, 3360)] * (EFFORT.samples + 1)

    def _end(self, asked: bytes) -> list[tuple[int, int] | bytes]:
        """Tell what the last series came to, or that which is repeated: nothing but zeros."""
        series = asked[30 + 4 * asked[21] :] if asked else self.timed  # behind the seed of IVs
        audits = dict.fromkeys(LOOPS.values(), FIRST_BYTES)
        lengths = {0: 4096, 1: int.from_bytes(series[1:5], "little"), **audits}
        length = lengths.get(series[0], 256)
        return [_part(one) for one in (16, 8, length, length, 0, length, length, 0)]

    def _hash(self, asked: bytes) -> list[tuple[int, int] | bytes]:
        beats: list[tuple[int, int] | bytes] = [(8, 10), (8, 4900), (8, 3360)]
        told = bytes(32 * (1 + 2 * asked[0]))  # a short message, and digests
        return [*beats * (EFFORT.samples + 1), told]

    def _calls(self, _: bytes) -> list[tuple[int, int] | bytes]:
        rows = [(8, 10), (8, 0), (8, 0)] * AEAD_SLICES
        return [(8, 0), (8, 0), *rows, *[(8, AEAD_BYTES + 16)] * AEAD_SLICES]


def _text(text: str) -> bytes:
    return len(text).to_bytes(2, "little") + text.encode()


def _part(length: int) -> bytes:
    return length.to_bytes(4, "little") + bytes(length)


@dataclass
class Stage:
    """Opens what answers as told."""

    liar: Liar
    cpu: int | None = None
    confinement: str = "none"

    def beside(self) -> "Stage":
        """Return the same: nothing runs anywhere."""
        return self

    def connect(self, *_: object, **__: object) -> Agent:
        """Return an agent."""
        return Agent(FakePipe(self.liar))

    def connect_as(self, client: type[AgentT], *_: object, **__: object) -> AgentT:
        """Return an agent that the client speaks with."""
        return client(FakePipe(self.liar))


def streaming() -> Take:
    """Give what times a stream cipher."""
    return StreamTask(STREAM, (CHOICE,), EFFORT).taking(COUNTER, {})


def calling(agent: Agent, second: Agent, random: Random) -> OperationTaken:
    """Time an operation."""
    session, proof = (OperationSession(one, AEAD) for one in (agent, second))
    effort = OperationEffort(15, COUNTER.step_ticks, COUNTER.ticks_per_second)
    return take(session, proof, [group(AEAD, AEAD_BYTES)], effort, random)


def launched(liar: Liar, take_all: Take) -> Launch:
    """Launch, judge, store and summarise, as a campaign does."""
    target = LinkedCode(CELL, "code", Path("agent"))
    stage = Stage(liar)
    never = RetryLimit(0.0, 0.0)  # there is nobody to wait for
    launch, _ = measure_once(stage, target, COUNTER, take_all, 1, limit=never)  # type: ignore[arg-type]
    launch = Quiet([0.3, 0.3, 0.3]).judged(launch)
    assert records.dump(launch)
    for sample in launch.samples:
        assert unpack(pack(sample.ticks)) == sample.ticks
        assert per_test(launch, sample) >= 0.0
    assert tuple(series_over([launch]))
    return launch


def test_an_agent_that_tells_the_truth_is_launched() -> None:
    """So what the others are refused for are their numbers."""
    names = [one.measure for one in launched(Liar("stream"), streaming()).samples]
    assert len(names) == 7
    assert choose_counter(find_counters(Agent(FakePipe(Liar("stream"))))).ticks_per_second == 2.4e9


@few
@given(lying, numbers)
def test_any_numbers_of_a_stream_cipher_are_a_launch_or_its_failure(
    lies: set[Request], told: list[int]
) -> None:
    """Clocks, loops, beats, batches, ticks, and what series came to."""
    with contextlib.suppress(AgentError):
        launched(Liar("stream", frozenset(lies), told), streaming())


@few
@given(lying, numbers, st.sampled_from([0, 1, 2 * AEAD_SLICES, 3 * AEAD_SLICES]))
def test_any_numbers_of_an_operation_are_a_launch_or_its_failure(
    lies: set[Request], told: list[int], words: int
) -> None:
    """Results, ticks, random bytes and lengths, of the timed agent and of the proving one."""
    with contextlib.suppress(AgentError):
        launched(Liar("operation", frozenset(lies), told, words), calling)


@few
@given(lying, numbers)
def test_any_numbers_of_a_hash_are_figures_or_its_failure(
    lies: set[Request], told: list[int]
) -> None:
    """A long and a short message."""
    with contextlib.suppress(AgentError):
        task = HashTask(HashSubject("api", "name", 64, 8), 256, EFFORT)
        launched(Liar("hash", frozenset(lies), told), task.taking(COUNTER, {}))


@few
@given(st.sampled_from(["stream", "hash", "operation", "other"]), numbers)
def test_any_description_is_a_subject_or_an_agents_failure(kind: str, told: list[int]) -> None:
    """Sizes without end, blocks of nothing, operations that do not exist."""
    describes: tuple[Callable[[Agent], Subject], ...] = (
        describe_stream, describe_hash, describe_operation,
    )  # fmt: skip
    for describe in describes:
        try:
            subject = describe(Agent(FakePipe(Liar(kind, frozenset({Request.DESCRIBE}), told))))
        except AgentError:
            continue
        assert isinstance(subject, StreamSubject | HashSubject | OperationSubject)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (Request.CLOCK, [0]),  # a clock that stands still
        (Request.CLOCK, [1, 0, 0, 0]),
        (Request.LOOP, [0]),
        (Request.LOOP, [(1 << 64) - 1, 0]),
        (Request.CALIBRATE, [0]),
        (Request.CALIBRATE, [(1 << 32) - 1]),  # the proof would repeat it for years
        (Request.TIME, [0]),
        (Request.TIME, [(1 << 64) - 1]),
    ],
)
def test_impossible_numbers_are_the_failure_of_whoever_tells_them(
    code: Request, told: list[int]
) -> None:
    """No launch comes of them, and no traceback."""
    with pytest.raises(AgentError):
        launched(Liar("stream", frozenset({code}), told), streaming())


@pytest.mark.parametrize("told", [[0], [(1 << 64) - 1, 1], [1, 0]])
def test_a_counter_with_impossible_numbers_is_no_counter(told: list[int]) -> None:
    """It does not advance, or its rate is beyond all measure; nothing is divided by it."""
    for one in find_counters(Agent(FakePipe(Liar("stream", frozenset({Request.COUNTERS}), told)))):
        assert not one.usable or one.step_seconds > 0

# SPDX-License-Identifier: MIT
"""Timing an operation: every call on fresh inputs, every output compared afterwards.

One agent is timed. What its calls wrote is read back, and a second agent, which is not
timed, is asked for the same calls on the same inputs one by one: if anything differs,
the figure is refused. So code that remembers its last message, or does less when it is
called many times, wins nothing.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from assay.check.operation.bed import Bed, fill, forge, fresh_inputs, function_of
from assay.check.operation.script import CONSTANT
from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedCall, TimedGroup, scored
from assay.execute.agent import Agent
from assay.execute.places import pointer
from assay.execute.protocol import NO_BUFFER
from assay.measure.operation.proof import prove
from assay.measure.task import NO_SIZES, Batches, WrongOutput
from assay.model import OperationSubject, Sample
from assay.model.api import Way
from assay.model.operations import OPERATIONS, SCORE, UNSCORED
from assay.model.timed import KEPT, WRITTEN
from assay.timing.agent import watched
from assay.timing.witness import compare, took_time

KEPT_LENGTH = 0xFE
STEPS_PER_SAMPLE = 1000  # of the counter: a sample is that long at least
MOST_CALLS = 64
MOST_SLICES = 16384  # calls of a request in all, as the agent has it
SCORED_SAMPLES = 63  # as many as SUPERCOP compares implementations by
LEAST_SAMPLES = 15
POOL_BYTES = 512 * 1024
CACHED_BYTES = 12 * 1024  # all of a sample's calls work in no more, if there are several
COPIED_IN, COPIED_OUT = 1, 2
TIMING_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class OperationEffort:
    """How much is timed: `samples` of each measure in a launch, fewer of long messages.

    The counter advances by `step_ticks`, and `ticks_per_second` in all (infinite: nobody knows).
    """

    samples: int = 31
    step_ticks: int = 1
    ticks_per_second: float = math.inf

    def samples_for(self, group: TimedGroup) -> int:
        """Return how many samples a group gets: memory bounds those of long messages."""
        largest = max(group.variables.values(), default=0)
        return max(LEAST_SAMPLES, min(self.samples, POOL_BYTES // max(largest, 1)))


@dataclass(slots=True)
class OperationTaken:
    """What a launch measured, and how many ticks went into timed calls, thrown away or not."""

    samples: tuple[Sample, ...] = ()
    timed_ticks: int = 0
    batches: Batches = field(default_factory=dict)  # calls are counted anew in each launch

    def prove(self, _: Agent) -> None:
        """Ask nothing: every group was proved right after it was timed."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The answer to one request: ticks and randomness of each sample, warm-up left out.

    `lengths` are what the calls wrote as such, those of the warm-up first; none where the
    function writes no length.
    """

    least: int
    most: int
    lengths: tuple[int, ...]
    ticks: tuple[int, ...]
    random_bytes: tuple[int, ...]
    random_calls: tuple[int, ...]
    warm_up: int


def take(
    session: OperationSession,
    proof: OperationSession,
    groups: Iterable[TimedGroup],
    effort: OperationEffort,
    random: Random,
) -> OperationTaken:
    """Time groups in random order; WrongOutput if `proof` has other outputs."""
    taken = OperationTaken()
    order = list(groups)
    for group in random.sample(order, len(order)):
        samples, ticks = take_group(session, proof, group, effort, random)
        taken.samples += samples
        taken.timed_ticks += ticks
    return taken


def take_group(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
) -> tuple[tuple[Sample, ...], int]:
    """Time the tasks of a group; give samples and all ticks spent."""
    calls = _calls(session, group, effort, random)
    bed = Bed(session, group, calls, effort.samples_for(group))
    bed.make()
    settled, spent = False, 0
    while not settled:  # fresh inputs each time: nothing may be remembered
        inputs = fresh_inputs(bed, random)
        seed = random.randbytes(32)
        fill(bed, inputs, seed)
        timings = [time_task(bed, task, effort) for task in group.tasks]
        spent += sum(one.warm_up + sum(one.ticks) for one in timings)
        settled = watched(session.agent).settled()
    lengths = prove(bed, proof, inputs, seed, [one.lengths for one in timings])
    return tuple(_samples(session.subject, group, timings, lengths, calls)), spent


def score(
    session: OperationSession,
    proof: OperationSession,
    effort: OperationEffort,
    random: Random,
) -> OperationTaken:
    """Time what implementations are compared by: all calls of one group together."""
    more = replace(effort, samples=SCORED_SAMPLES)
    samples, spent = take_group(session, proof, scored(session.subject), more, random)
    return OperationTaken((score_of(samples),), spent)


def score_of(samples: Iterable[Sample]) -> Sample:
    """Add up the calls of a group: ticks per round of them."""
    parts = [one for one in samples if _counts(one.measure.split("/")[0])]
    tests = parts[0].tests
    ticks = tuple(sum(each) for each in zip(*(one.ticks for one in parts), strict=True))
    return Sample(SCORE, NO_SIZES, 1, tests, 0, ticks)


def _counts(key: str) -> bool:
    return key.endswith("cycles") and key not in UNSCORED and not key.startswith("forgery")


# ------------------------------------------------------------ timing


def _calls(
    session: OperationSession, group: TimedGroup, effort: OperationEffort, random: Random
) -> int:
    """Choose how many calls make a sample, from a few single ones; one where memory is large."""
    bed = Bed(session, group, 1, 2)
    room = sum(map(bed.stride, group.variables))
    slices = MOST_SLICES // (effort.samples_for(group) + 1)
    most = min(MOST_CALLS, CACHED_BYTES // max(room, 1), slices)
    if OPERATIONS[session.subject.operation].randomised or most <= 1:
        return 1
    bed.make()
    fill(bed, fresh_inputs(bed, random), bytes(32))
    shortest = min(min(time_task(bed, task, effort).ticks) for task in group.tasks)
    wanted = STEPS_PER_SAMPLE * effort.step_ticks // max(shortest, 1) + 1
    return max(1, min(most, wanted))


def time_task(bed: Bed, task: TimedCall, effort: OperationEffort) -> Timing:
    """Time one task on every slice; WrongOutput if it does not return what it must."""
    session = bed.session
    if task.forged:
        forge(bed, task.forged)
    function = function_of(session.subject, task.suffix)
    payload = bytes([session.number(task.suffix)])
    payload += bed.calls.to_bytes(4, "little") + bed.samples.to_bytes(4, "little")
    for argument, parameter in zip(task.arguments, function.parameters, strict=True):
        payload += _argument(bed, argument, parameter.way, keep=not task.forged)
    what = f"timing {session.subject.operation}{task.suffix}"
    writes = any(one.way is Way.LENGTH_OUT for one in function.parameters)
    timing = _read(session.agent, payload, what, bed.samples, bed.slices if writes else 0)
    reported = (timing.warm_up + sum(timing.ticks)) / effort.ticks_per_second
    took_time(what, timing.ticks)
    compare(what, reported, None, watched(session.agent).since_timing()[1], 0.0)
    if task.returns is not None and (timing.least, timing.most) != (task.returns, task.returns):
        results = {timing.least, timing.most}
        raise WrongOutput(f"{what}: it returned {sorted(results)}, not {task.returns}")
    return timing


def _read(agent: Agent, payload: bytes, what: str, samples: int, lengths: int) -> Timing:
    reader = watched(agent).time(payload, what, TIMING_SECONDS)
    least, most = (reader.number(8, signed=True) for _ in range(2))
    rows = [tuple(reader.number(8) for _ in range(3)) for _ in range(samples + 1)]
    ticks, random_bytes, random_calls = zip(*rows[1:], strict=True)
    written = tuple(reader.number(8) for _ in range(lengths))
    return Timing(least, most, written, ticks, random_bytes, random_calls, rows[0][0])


def _argument(bed: Bed, argument: str, way: Way, *, keep: bool) -> bytes:
    if way is Way.LENGTH_OUT:
        return b""
    if way is Way.LENGTH:
        tag = KEPT_LENGTH if argument.startswith(KEPT) else CONSTANT
        return bytes([tag]) + bed.group.length(argument[1:]).to_bytes(8, "little")
    ways = COPIED_IN if way in (Way.IN, Way.BOTH) else 0
    ways |= COPIED_OUT if way in (Way.OUT, Way.BOTH) and keep else 0
    stride = bed.stride(argument)
    pool = bed.pools[argument].number if stride else NO_BUFFER
    return pointer(bed.work[argument]) + stride.to_bytes(4, "little") + bytes([pool, ways])


# ------------------------------------------------------------ samples


def _samples(
    subject: OperationSubject,
    group: TimedGroup,
    timings: list[Timing],
    lengths: list[tuple[int, ...]],
    calls: int,
) -> Iterator[Sample]:
    """Yield the samples of a group, under SUPERCOP's keys; `lengths` are those of the proof."""
    size = "-" if group.size is None else group.size
    for task, timing, written in zip(group.tasks, timings, lengths, strict=True):
        if not task.key:
            continue
        block = group.variables.get("m", 0)
        yield Sample(f"{task.key}/{size}", NO_SIZES, 1, calls, block, timing.ticks)
        stem = task.key.removesuffix("cycles")
        if OPERATIONS[subject.operation].randomised:
            for what, values in (
                ("randombytes", timing.random_bytes),
                ("randomcalls", timing.random_calls),
            ):
                yield Sample(f"{stem}{what}/{size}", NO_SIZES, 1, calls, block, values)
        if WRITTEN in task.arguments and not task.key.startswith(("forgery", "open", "decrypt")):
            yield Sample(f"{stem}bytes/{size}", NO_SIZES, 1, 1, block, written[-1:])

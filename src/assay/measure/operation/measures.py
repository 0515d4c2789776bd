# SPDX-License-Identifier: MIT
"""Timing an operation: every call on fresh inputs, every output compared afterwards.

One agent is timed. What its calls wrote is read back, and a second agent, which is not
timed, is asked for the same calls on the same inputs one by one: if anything differs,
the figure is refused. So code that remembers its last message, or does less when it is
called many times, wins nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from assay.check.operation.bed import Bed, fill, fresh_inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedGroup, scored
from assay.execute.agent import Agent
from assay.measure.operation.account import require_account
from assay.measure.operation.proof import prove
from assay.measure.operation.timing import OperationEffort, Timing, time_task
from assay.measure.task import NO_SIZES, Batches
from assay.model import OperationSubject, Sample
from assay.model.operations import OPERATIONS, SCORE, UNSCORED
from assay.model.timed import WRITTEN
from assay.timing.agent import watched

STEPS_PER_SAMPLE = 1000  # of the counter: a sample is that long at least
MOST_CALLS = 64
MOST_SLICES = 16384  # calls of a request in all, as the agent has it
SCORES_ACCOUNTED = 0.25  # a group takes twice as long then
SCORED_SAMPLES = 63  # as many as SUPERCOP compares implementations by
CACHED_BYTES = 12 * 1024  # all of a sample's calls work in no more, if there are several


@dataclass(slots=True)
class OperationTaken:
    """What a launch measured, and how many ticks went into timed calls, thrown away or not."""

    samples: tuple[Sample, ...] = ()
    timed_ticks: int = 0
    batches: Batches = field(default_factory=dict)  # calls are counted anew in each launch

    def prove(self, _: Agent) -> None:
        """Ask nothing: every group was proved right after it was timed."""


def take(
    session: OperationSession,
    proof: OperationSession,
    groups: Iterable[TimedGroup],
    effort: OperationEffort,
    random: Random,
) -> OperationTaken:
    """Time groups in random order; WrongOutput if `proof` has other outputs.

    The time of one of them, which nobody knows before, is accounted for.
    """
    taken = OperationTaken()
    order = list(groups)
    chosen = random.choice(order)
    for group in random.sample(order, len(order)):
        samples, ticks = take_group(
            session, proof, group, effort, random, accounted=group is chosen
        )
        taken.samples += samples
        taken.timed_ticks += ticks
    return taken


def take_group(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
    *,
    accounted: bool = False,
) -> tuple[tuple[Sample, ...], int]:
    """Time the tasks of a group; give samples and all ticks spent.

    If it is `accounted`, the agent must report most of the processor time that it uses.
    """
    calls = _calls(session, group, effort, random)
    bed = Bed(session, group, calls, effort.samples_for(group))
    bed.make()
    if accounted:
        require_account(bed, effort, random)
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
    accounted = random.random() < SCORES_ACCOUNTED
    samples, spent = take_group(
        session, proof, scored(session.subject), more, random, accounted=accounted
    )
    return OperationTaken((score_of(samples),), spent)


def score_of(samples: Iterable[Sample]) -> Sample:
    """Add up the calls of a group: ticks per round of them."""
    parts = [one for one in samples if _counts(one.measure.split("/")[0])]
    tests = parts[0].tests
    ticks = tuple(sum(each) for each in zip(*(one.ticks for one in parts), strict=True))
    return Sample(SCORE, NO_SIZES, 1, tests, 0, ticks)


def _counts(key: str) -> bool:
    return key.endswith("cycles") and key not in UNSCORED and not key.startswith("forgery")


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

# SPDX-License-Identifier: MIT
"""Timing an operation: every call on fresh inputs, every output compared afterwards.

A second agent, which is not timed, makes the inputs of each task and its right outputs one by one.
Then an agent is timed on these inputs, and what its calls wrote is read back: if anything
differs, the figure is refused. So code that remembers its last message, looks up what it
sealed before, or does less when it is called many times, wins nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedCall, TimedGroup, scored
from assay.execute.agent import Agent
from assay.measure.operation.account import require_account
from assay.measure.operation.bed import Bed, fill
from assay.measure.operation.challenge import Challenge, Challenger
from assay.measure.operation.proof import require_right
from assay.measure.operation.samples import samples_of, score_of
from assay.measure.operation.timing import OperationEffort, Timing, time_task
from assay.measure.task import Batches
from assay.model import Sample
from assay.model.operations import OPERATIONS
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
    calls = _calls(session, proof, group, effort, random)
    bed, challenger = _beds(session, proof, group, calls, effort.samples_for(group))
    if accounted:
        require_account(bed, challenger, effort, random)
    taken, spent = list[Sample](), 0
    for task in group.timed:
        challenge, timing, ticks = _take_task(bed, challenger, task, effort, random)
        taken += samples_of(session.subject, group, challenge, timing, calls)
        spent += ticks
    return tuple(taken), spent


def _take_task(
    bed: Bed, challenger: Challenger, task: TimedCall, effort: OperationEffort, random: Random
) -> tuple[Challenge, Timing, int]:
    """Time a task until nothing disturbs it, on fresh inputs each time; give all ticks, too."""
    settled, spent = False, 0
    while not settled:
        challenge = challenger.make(task, random)
        fill(bed, challenge.inputs, challenge.seed)
        timing = time_task(bed, challenge, effort)
        spent += timing.warm_up + sum(timing.ticks)
        require_right(bed, challenge, timing.lengths)
        settled = watched(bed.session.agent).settled()
    return challenge, timing, spent


def _beds(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    calls: int,
    samples: int,
) -> tuple[Bed, Challenger]:
    """Make the bed in which calls are timed, and what makes challenges for it in the other."""
    timed, other = (Bed(one, group, calls, samples) for one in (session, proof))
    timed.make()
    other.make()
    return timed, Challenger(other)


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


def _calls(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
) -> int:
    """Choose how many calls make a sample, from a few single ones; one where memory is large."""
    bed = Bed(session, group, 1, 2)
    room = sum(map(bed.stride, group.variables))
    slices = MOST_SLICES // (effort.samples_for(group) + 1)
    most = min(MOST_CALLS, CACHED_BYTES // max(room, 1), slices)
    if OPERATIONS[session.subject.operation].randomised or most <= 1:
        return 1
    bed, challenger = _beds(session, proof, group, 1, 2)
    shortest = min(min(_once(bed, challenger, task, effort, random)) for task in group.timed)
    wanted = STEPS_PER_SAMPLE * effort.step_ticks // max(shortest, 1) + 1
    return max(1, min(most, wanted))


def _once(
    bed: Bed, challenger: Challenger, task: TimedCall, effort: OperationEffort, random: Random
) -> tuple[int, ...]:
    challenge = challenger.make(task, random)
    fill(bed, challenge.inputs, challenge.seed)
    return time_task(bed, challenge, effort).ticks

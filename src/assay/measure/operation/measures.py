# SPDX-License-Identifier: MIT
"""Timing an operation: every call on fresh inputs, every output compared afterwards.

A second agent, which is not timed, makes the inputs of each task and its right outputs one by one.
Then an agent is timed on these inputs, and what its calls wrote is read back: if anything
differs, the figure is refused. So code that remembers its last message, looks up what it
sealed before, or does less when it is called many times, wins nothing.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedCall, TimedGroup, scored
from assay.execute.agent import Agent
from assay.measure.operation.bed import Bed, fill
from assay.measure.operation.challenge import Challenger
from assay.measure.operation.recall import Recall, recalls, repeat
from assay.measure.operation.rounds import GroupTiming
from assay.measure.operation.samples import samples_of, score_of
from assay.measure.operation.timing import OperationEffort, time_task
from assay.measure.task import Batches, Connect
from assay.model import OperationSubject, Sample
from assay.model.operations import OPERATIONS

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
    subject: OperationSubject | None = None
    chosen: tuple[Recall, ...] = ()

    def prove(self, _: Agent, connect: Connect) -> None:
        """Have the chosen calls repeated; every group was proved right after it was timed."""
        if self.subject is not None and self.chosen:
            with connect() as fresh:
                repeat(fresh, self.subject, self.chosen)


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
    taken = OperationTaken(subject=session.subject)
    order = list(groups)
    chosen = random.choice(order)
    for group in random.sample(order, len(order)):
        one = take_group(session, proof, group, effort, random, accounted=group is chosen)
        taken.samples += one.samples
        taken.timed_ticks += one.timed_ticks
        taken.chosen += one.chosen
    return taken


def take_group(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
    *,
    accounted: bool = False,
) -> OperationTaken:
    """Time the tasks of a group.

    If it is `accounted`, the agent must report most of the processor time that it uses.
    """
    calls = _calls(session, proof, group, effort, random)
    bed, challenger = _beds(session, proof, group, calls, effort.samples_for(group))
    rounds = GroupTiming(bed, challenger, effort, random).rounds(accounted=accounted)
    tasks = random.choice(rounds)
    samples = itertools.chain.from_iterable(
        samples_of(session.subject, group, one.challenge, one.timing, calls) for one in tasks
    )
    return OperationTaken(
        tuple(samples),
        sum(one.spent for each in rounds for one in each),
        subject=session.subject,
        chosen=tuple(recalls(bed, tasks, random)),
    )


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
    taken = take_group(session, proof, scored(session.subject), more, random, accounted=accounted)
    return replace(taken, samples=(score_of(taken.samples),))


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

# SPDX-License-Identifier: MIT
"""What a launch of an operation times: its lengths, or what implementations are compared by."""

from collections.abc import Callable
from functools import partial
from random import Random

from msgspec import Struct

from assay.check.operation.routines import TimedGroup, group, has_message, scored
from assay.check.operation.session import OperationSession
from assay.execute.agent import Agent
from assay.measure.operation.counted import count_groups, count_score
from assay.measure.operation.measures import OperationTaken, score, take
from assay.measure.operation.timing import OperationEffort
from assay.measure.task import NO_SIZES, Batches, Count, Measured, Take
from assay.model import OperationSubject
from assay.model.operation import SCORE
from assay.timing.agent import TimedAgent
from assay.timing.clock import CounterOption


class OperationTask(Struct, frozen=True):
    """Every measure at these lengths, each with that of associated data or output."""

    subject: OperationSubject
    lengths: tuple[tuple[int, int], ...]
    samples: int

    @property
    def counting(self) -> tuple[Count, ...]:
        """Return what counts all lengths, where they are counted."""
        return (partial(count_groups, self.subject, self.groups),)

    @property
    def groups(self) -> list[TimedGroup]:
        """Return what is measured together; one group where there is no message."""
        lengths = self.lengths if has_message(self.subject.operation) else ((0, 0),)
        return [group(self.subject, *each) for each in lengths]

    @property
    def asked(self) -> frozenset[Measured]:
        """Name the measures, as SUPERCOP's lines do."""
        return frozenset(
            (f"{task.key}/{'-' if each.size is None else each.size}", NO_SIZES)
            for each in self.groups
            for task in each.tasks
            if task.key
        )

    def taking(self, counter: CounterOption, _: Batches) -> Take:
        """Return what times the groups in random order, and proves each."""
        return _calling(
            self,
            counter,
            lambda timed, proof, *how: take(timed, proof, self.groups, *how),
        )


class ScoreTask(Struct, frozen=True):
    """The calls that implementations are compared by, all together."""

    subject: OperationSubject
    samples: int
    asked: frozenset[Measured] = frozenset({(SCORE, NO_SIZES)})

    @property
    def counting(self) -> tuple[Count, ...]:
        """Return what counts them."""
        return (partial(count_score, self.subject, scored(self.subject)),)

    def taking(self, counter: CounterOption, _: Batches) -> Take:
        """Return what times them, and proves them."""
        return _calling(self, counter, score)


def _calling(
    task: OperationTask | ScoreTask,
    counter: CounterOption,
    calls: Callable[[OperationSession, OperationSession, OperationEffort, Random], OperationTaken],
) -> Take:
    """Return what has calls made in sessions with both agents."""
    effort = OperationEffort(task.samples, counter.step_ticks, counter.ticks_per_second)

    def taken(agent: TimedAgent, second: Agent, random: Random) -> OperationTaken:
        timed, proof = (OperationSession(each, task.subject) for each in (agent, second))
        return calls(timed, proof, effort, random)

    return taken

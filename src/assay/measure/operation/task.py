# SPDX-License-Identifier: MIT
"""What a launch of an operation times: its lengths, or what implementations are compared by."""

from dataclasses import dataclass
from random import Random

from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedGroup, group, has_message
from assay.execute.agent import Agent
from assay.measure.operation.measures import (
    SIZES,
    OperationEffort,
    OperationTaken,
    score,
    take,
)
from assay.measure.task import Batches, Count, Measured, Take
from assay.model import OperationSubject
from assay.model.operations import SCORE
from assay.timing.agent import TimedAgent
from assay.timing.clock import CounterOption


@dataclass(frozen=True, slots=True)
class OperationTask:
    """Every measure at these lengths, each with that of associated data or output."""

    subject: OperationSubject
    lengths: tuple[tuple[int, int], ...]
    samples: int

    @property
    def groups(self) -> list[TimedGroup]:
        """Return what is measured together; one group where there is no message."""
        lengths = self.lengths if has_message(self.subject.operation) else ((0, 0),)
        return [group(self.subject, *each) for each in lengths]

    @property
    def asked(self) -> frozenset[Measured]:
        """Name the measures, as SUPERCOP's lines do."""
        return frozenset(
            (f"{task.key}/{'-' if each.size is None else each.size}", SIZES)
            for each in self.groups
            for task in each.tasks
            if task.key
        )

    @property
    def counting(self) -> tuple[Count, ...]:
        """Operations are timed, on this machine only."""
        return ()

    def taking(self, counter: CounterOption, _: Batches) -> Take:
        """Return what times the groups in random order, and proves each."""
        effort = effort_for(counter, self.samples)

        def taken(agent: TimedAgent, second: Agent, random: Random) -> OperationTaken:
            timed, proof = (OperationSession(each, self.subject) for each in (agent, second))
            return take(timed, proof, self.groups, effort, random)

        return taken


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """The calls that implementations are compared by, all together."""

    subject: OperationSubject
    samples: int

    @property
    def asked(self) -> frozenset[Measured]:
        """Name the score."""
        return frozenset({(SCORE, SIZES)})

    @property
    def counting(self) -> tuple[Count, ...]:
        """Operations are timed, on this machine only."""
        return ()

    def taking(self, counter: CounterOption, _: Batches) -> Take:
        """Return what times them, and proves them."""
        effort = effort_for(counter, self.samples)

        def taken(agent: TimedAgent, second: Agent, random: Random) -> OperationTaken:
            timed, proof = (OperationSession(each, self.subject) for each in (agent, second))
            return score(timed, proof, effort, random)

        return taken


def effort_for(counter: CounterOption, samples: int) -> OperationEffort:
    """Return how much to time with a counter."""
    return OperationEffort(samples, counter.step_ticks, counter.ticks_per_second)

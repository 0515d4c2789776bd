# SPDX-License-Identifier: MIT
"""What a launch of an operation times: its lengths, or the score by which implementations compete.

Message lengths are eBACS's columns, or all of its curve.
"""

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from msgspec import Struct

from assay.check.operation.routines import TimedGroup, group, has_message, scored
from assay.check.operation.session import OperationSession
from assay.execute.agent import Agent
from assay.measure.candidate import Group
from assay.measure.kinds import Course, KindCosts, KindMeasures
from assay.measure.operation.counted import count_groups, count_score
from assay.measure.operation.footprint import memory, net_flash
from assay.measure.operation.measures import OperationTaken, score, take
from assay.measure.operation.timing import OperationEffort
from assay.measure.task import NO_SIZES, Batches, Count, Measured, Take
from assay.model import OperationSubject, Package
from assay.model.operation import SCORE, Op
from assay.model.operations import OPERATIONS, SIGNED_BYTES
from assay.plan.plan import Plan, primitive_of
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


def lengths_of(operation: str, *, curve: bool) -> tuple[tuple[int, int], ...]:
    """Return the lengths to measure, each with that of associated data or output."""
    timing = OPERATIONS[operation].timing
    lengths = tuple(_curve(operation)) if curve else timing.lengths
    if timing.has_second:
        other = timing.second
        found = [*((n, other) for n in lengths), *((other, n) for n in lengths)]
        return (*found, *((n, n) for n in lengths))
    return tuple((length, 0) for length in lengths)


def _curve(operation: str) -> Iterator[int]:
    """Yield eBACS's lengths: every one where it has every one."""
    timing = OPERATIONS[operation].timing
    if timing.lengths == SIGNED_BYTES:
        length = 0
        while length <= 100_000:
            yield length
            length += 1 + length // 4
    elif timing.has_second:
        yield from (n for n in range(1, 2049) if n <= 64 or n % 32 == 0)
    elif operation == Op.SORT:
        yield from sorted({round(2 ** (step / 24)) for step in range(24 * 14 + 1)})
    else:
        yield from range(4097)
        if operation == Op.HASH:
            yield from range(4096 + 1008, 65537, 1008)


# The small checksum is compared; SUPERCOP's packages have no vectors.
COSTS = KindCosts(("checksum/small", "object/names", "build/", "agent/"), memory, flash=net_flash)


def _full(subject: OperationSubject, _: Package, plan: Plan) -> OperationTask:
    lengths = lengths_of(subject.operation, curve=plan.curve)
    return OperationTask(subject, lengths, plan.effort.samples)


def _brief(subject: OperationSubject, _: Package, plan: Plan) -> ScoreTask:
    return ScoreTask(subject, plan.effort.samples)


def _course(group: Group) -> Course:
    return "/".join(primitive_of(group[0].recipe.package)), group[0].build.league


MEASURES = KindMeasures(_full, _brief, _course, COSTS, purpose="")

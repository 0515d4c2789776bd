# SPDX-License-Identifier: MIT
"""How operations are measured; the implementations of a primitive compete by its score.

Message lengths are eBACS's columns, or all of its curve.
"""

from collections.abc import Iterator

from assay.measure.candidate import Group
from assay.measure.kinds import Course, KindCosts, KindMeasures
from assay.measure.operation.footprint import memory, net_flash
from assay.measure.operation.task import OperationTask, ScoreTask
from assay.model import OperationSubject, Package
from assay.model.operation import Op
from assay.model.operations import OPERATIONS, SIGNED_BYTES
from assay.plan.plan import Plan, primitive_of


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

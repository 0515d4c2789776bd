# SPDX-License-Identifier: MIT
"""Calls that accept or refuse: what they write does not show that they have looked.

Who opens a message can write it before the tag is compared, and nothing is written where
something is refused. Calls of one sample could then be verified together, or not at all, as long
as all are accepted. So a sample of these is one call, whose inputs cannot be read before; some
samples, which do not count, have the other result. Half of the pairs of `crypto_verify` are equal.
"""

from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

from assay.check.operation.routines import TimedCall, TimedGroup
from assay.measure.operation.bed import Bed
from assay.model import OperationSubject
from assay.model.operation import Op
from assay.model.operations import OPERATIONS

ONE_IN = 6  # samples has the other result
VERIFY = Op.VERIFY


def decisive(group: TimedGroup, task: TimedCall) -> str:
    """Return the variable by which a call accepts or refuses; empty for any other call."""
    if task.suffix == "_verify":
        return task.arguments[0]
    same = (task.suffix, task.arguments)
    return next((one.forged for one in group.tasks if one.forged and _call(one) == same), "")


def _call(task: TimedCall) -> tuple[str, tuple[str, ...]]:
    return task.suffix, task.arguments


def parts(subject: OperationSubject, group: TimedGroup) -> Iterator[TimedGroup]:
    """Yield what is timed in samples of several calls, and what is timed call by call.

    Where calls draw randomness all are timed one by one.
    """
    deciding = {one for one in group.timed if decisive(group, one)}
    if OPERATIONS[subject.operation].randomised or not deciding:
        yield group
        return
    for mine in (set(group.timed) - deciding, deciding):
        if mine:
            tasks = (one if one in mine else replace(one, key="") for one in group.tasks)
            yield replace(group, tasks=tuple(tasks))


def decides(group: TimedGroup) -> bool:
    """Return whether all calls of a part accept or refuse."""
    return all(decisive(group, one) for one in group.timed)


def spare_samples(group: TimedGroup, samples: int) -> int:
    """Return how many samples there must be besides, since some do not count."""
    return -(-samples // (ONE_IN - 1)) if any(decisive(group, one) for one in group.timed) else 0


def others(bed: Bed, task: TimedCall, random: Random) -> frozenset[int]:
    """Choose the slices whose calls have the other result."""
    if bed.session.subject.operation == VERIFY:
        return frozenset(random.sample(range(bed.slices), bed.slices // 2))
    if not decisive(bed.group, task):
        return frozenset()
    samples = random.sample(range(bed.samples + 1), (bed.samples + 1) // ONE_IN)
    return frozenset(one * bed.calls + random.randrange(bed.calls) for one in samples)


def counting(bed: Bed, other: frozenset[int]) -> list[int]:
    """Return the samples that count, by their numbers in a timing, which has no warm-up."""
    odd = set() if bed.session.subject.operation == VERIFY else {n // bed.calls for n in other}
    return [number for number in range(bed.samples) if number + 1 not in odd]

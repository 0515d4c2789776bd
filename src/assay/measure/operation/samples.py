# SPDX-License-Identifier: MIT
"""The samples of a timed task, under SUPERCOP's keys, and the score that they add up to."""

from collections.abc import Iterable, Iterator

from assay.check.operation.tasks import TimedGroup
from assay.measure.operation.challenge import Challenge
from assay.measure.operation.timing import Timing
from assay.measure.task import NO_SIZES
from assay.model import OperationSubject, Sample
from assay.model.operation import SCORE, scores
from assay.model.operations import OPERATIONS
from assay.model.timed import WRITTEN


def samples_of(
    subject: OperationSubject,
    group: TimedGroup,
    challenge: Challenge,
    timing: Timing,
    calls: int,
) -> Iterator[Sample]:
    """Yield the samples of a task, under SUPERCOP's keys."""
    size = "-" if group.size is None else group.size
    task, block = challenge.task, group.variables.get("m", 0)
    yield Sample(f"{task.key}/{size}", NO_SIZES, 1, calls, block, timing.ticks)
    stem = task.key.removesuffix("cycles")
    if OPERATIONS[subject.operation].randomised:
        for what, values in (
            ("randombytes", timing.random_bytes),
            ("randomcalls", timing.random_calls),
        ):
            yield Sample(f"{stem}{what}/{size}", NO_SIZES, 1, calls, block, values)
    if WRITTEN in task.arguments and not task.key.startswith(("forgery", "open", "decrypt")):
        yield Sample(f"{stem}bytes/{size}", NO_SIZES, 1, 1, block, challenge.lengths[-1:])


def score_of(samples: Iterable[Sample]) -> Sample:
    """Add up the calls of a group: ticks per round of them, of which a sample has the most."""
    parts = [one for one in samples if scores(one.measure.split("/")[0])]
    tests = max(one.tests for one in parts)
    rounds = ([tick * tests // one.tests for tick in one.ticks] for one in parts)
    ticks = tuple(sum(each) for each in zip(*rounds, strict=True))
    return Sample(SCORE, NO_SIZES, 1, tests, 0, ticks)

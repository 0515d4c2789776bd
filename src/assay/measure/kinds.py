# SPDX-License-Identifier: MIT
"""How each kind is measured: what a launch times, and by what its codes are compared."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.measure.candidate import Candidate, Group, described
from assay.measure.hash.task import HashTask, digest_bits
from assay.measure.operation.lengths import lengths_of
from assay.measure.operation.measures import SCORE
from assay.measure.operation.task import OperationTask, ScoreTask
from assay.measure.stream.task import StreamTask
from assay.measure.task import LaunchTask, Measured
from assay.model import HashSubject, Launch, OperationSubject, Package, StreamSubject
from assay.plan.plan import Plan, primitive_of
from assay.store import Store

Course = tuple[str, object]  # what competes: a variant of a package, a league of a primitive
RACE = "race"
LONG_STREAM, LONG_MESSAGE = "stream/long", "long"
RACE_SAMPLES = 9


@dataclass(frozen=True, slots=True)
class KindMeasures:
    """What is timed of a kind, as a plan asks for it.

    `full` measures a code, and `brief` compares it with others by its measure `criterion`;
    launches of the latter say so in their `purpose` where they have figures of the former.
    """

    full: Callable[[Any, Package, Plan], LaunchTask]
    brief: Callable[[Any, Package, Plan], LaunchTask]
    criterion: str
    course: Callable[[Group], "Course"]
    purpose: str = RACE


def _stream(subject: StreamSubject, _: Package, plan: Plan) -> StreamTask:
    sizes = nearest_sizes(subject, plan.sizes) if plan.sizes else accepted_sizes(subject)
    return StreamTask(subject, sizes, plan.effort)


def _brief_stream(subject: StreamSubject, package: Package, plan: Plan) -> StreamTask:
    samples = min(RACE_SAMPLES, plan.effort.samples)
    effort = replace(plan.effort, samples=samples, only=(LONG_STREAM,))
    return replace(_stream(subject, package, plan), effort=effort)


def _hash(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    return HashTask(subject, digest_bits(package), plan.effort)


def _brief_hash(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    samples = min(RACE_SAMPLES, plan.effort.samples)
    effort = replace(plan.effort, samples=samples, only=(LONG_MESSAGE,))
    return replace(_hash(subject, package, plan), effort=effort)


def _operation(subject: OperationSubject, _: Package, plan: Plan) -> OperationTask:
    lengths = lengths_of(subject.operation, curve=plan.curve)
    return OperationTask(subject, lengths, plan.effort.samples)


def _score(subject: OperationSubject, _: Package, plan: Plan) -> ScoreTask:
    return ScoreTask(subject, plan.effort.samples)


def _package(group: Group) -> Course:
    return group[0].code[:2]


def _primitive(group: Group) -> Course:
    return "/".join(primitive_of(group[0].recipe.package)), group[0].build.league


KINDS = {
    "stream": KindMeasures(_stream, _brief_stream, LONG_STREAM, _package),
    "hash": KindMeasures(_hash, _brief_hash, LONG_MESSAGE, _package),
    "operation": KindMeasures(_operation, _score, SCORE, _primitive, purpose=""),
}


def measures_of(group: Group) -> KindMeasures:
    """Return how a machine code is measured."""
    return KINDS[group[0].recipe.package.kind]


def candidate(store: Store, group: Group, plan: Plan) -> Candidate:
    """Return a machine code with as many launches wanted as the store lacks."""
    subject, code = described(store, group)
    kind = measures_of(group)
    package = group[0].recipe.package
    full, brief = kind.full(subject, package, plan), kind.brief(subject, package, plan)
    one = Candidate(group, subject, code, full, brief)
    known = taken(store, one)
    one.wanted = max(plan.launches - known.count(False), 0)
    if len(known) >= plan.limit + plan.repeats:
        one.wanted = 0  # it was tried often enough: a machine that is never quiet ends, too
    one.repeats_left = max(plan.repeats - known.count(True), 0)
    return one


def taken(store: Store, one: Candidate, asked: frozenset[Measured] | None = None) -> list[bool]:
    """Return, for each launch that measured all that is asked, whether it was disturbed.

    Launches of a race do not count.
    """
    asked = one.full.asked if asked is None else asked
    return [
        bool(disturbed)
        for disturbed, purpose, measured in store.efforts(one.code.cell)
        if not purpose and asked <= measured
    ]


def course_of(group: Group) -> Course:
    """Return what a machine code competes in."""
    return measures_of(group).course(group)


def heard_before(store: Store, one: Candidate) -> list[Launch]:
    """Return the stored launches that compared a code, and measured nothing else."""
    kind = measures_of(one.group)
    return [
        each
        for each in store.launches(one.code.cell)
        if each.purpose == kind.purpose
        and {(sample.measure, sample.sizes) for sample in each.samples} == one.brief.asked
    ]

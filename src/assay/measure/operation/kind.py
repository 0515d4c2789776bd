# SPDX-License-Identifier: MIT
"""How operations are measured; the implementations of a primitive compete by its score."""

from assay.measure.candidate import Group
from assay.measure.kinds import Course, KindMeasures
from assay.measure.operation.lengths import lengths_of
from assay.measure.operation.task import OperationTask, ScoreTask
from assay.model import OperationSubject, Package
from assay.plan.plan import Plan, primitive_of


def _full(subject: OperationSubject, _: Package, plan: Plan) -> OperationTask:
    lengths = lengths_of(subject.operation, curve=plan.curve)
    return OperationTask(subject, lengths, plan.effort.samples)


def _brief(subject: OperationSubject, _: Package, plan: Plan) -> ScoreTask:
    return ScoreTask(subject, plan.effort.samples)


def _course(group: Group) -> Course:
    return "/".join(primitive_of(group[0].recipe.package)), group[0].build.league


MEASURES = KindMeasures(_full, _brief, _course, purpose="")

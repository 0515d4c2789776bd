# SPDX-License-Identifier: MIT
"""How each kind is measured: what a launch times, and by what its codes are compared.

A kind says it in `measure/<kind>/kind.py`.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.measure.candidate import Candidate, Group, described
from assay.measure.counted import CountedAgent
from assay.measure.loops import LoopTask
from assay.measure.task import LaunchTask, Measured
from assay.model import Launch, Package, PackageKind, Subject
from assay.model.footprint import FunctionMemory, Steps
from assay.plan.plan import Plan
from assay.store import Store

Course = tuple[str, object]  # what competes: a primitive, and its API or its league
RACE = "race"
RACE_SAMPLES = 9
# The checks that decide whether figures of ciphers and hashes are true.
CORRECT = ("digest/", "vectors/verified", "size/", "object/", "build/", "agent/")


class KindCosts(Struct, frozen=True):
    """What a subject of a kind takes besides bytes of code.

    `memory` returns what each function takes, `count` the steps of all measures, and
    `timed` what is timed where nothing counts. `proofs` begin the names of the checks that decide
    whether figures are true: outputs, and what of the code they count. `flash` is for a kind whose
    code uses other code, and returns how much there is of both.
    """

    proofs: tuple[str, ...]
    memory: Callable[[Agent, Any], tuple[FunctionMemory, ...]] | None = None
    count: Callable[[CountedAgent, Any], tuple[Steps, ...]] | None = None
    timed: Callable[[Any], LaunchTask] | None = None
    flash: Callable[[Workshop, Recipe, Any], int | None] | None = None


class KindMeasures(Struct, frozen=True):
    """What is timed of a kind, as a plan asks for it.

    `full` measures a code, and `brief` compares it with others by one measure; launches of the
    latter say so in their `purpose` where they have figures of the former. A campaign leaves out
    codes of a kind that is `paced` if they are slower than its rate.
    """

    full: Callable[[Any, Package, Plan], LaunchTask]
    brief: Callable[[Any, Package, Plan], LaunchTask]
    course: Callable[[Group], Course]
    costs: KindCosts
    purpose: str = RACE
    paced: bool = False


def by_one_measure(
    full: Callable[[Any, Package, Plan], LoopTask], costs: KindCosts, *, paced: bool = False
) -> KindMeasures:
    """Return what is timed of ciphers and hashes: the implementations of a primitive compete.

    They are compared by the measure that decides contests in the table of their API.
    """

    def brief(subject: Subject, package: Package, plan: Plan) -> LaunchTask:
        samples = min(RACE_SAMPLES, plan.effort.samples)
        only = (full(subject, package, plan).timing.decides,)
        effort = replace(plan.effort, samples=samples, only=only)
        return full(subject, package, replace(plan, effort=effort))

    return KindMeasures(full, brief, _primitive, costs, paced=paced)


def _primitive(group: Group) -> Course:
    package = group[0].recipe.package
    return package.primitive, package.api


@cache
def measures_named(kind: PackageKind) -> KindMeasures:
    """Return how a kind is measured; its module is imported when its first code is."""
    measures: KindMeasures = import_module(f"assay.measure.{kind.value}.task").MEASURES
    return measures


def measures_of(group: Group) -> KindMeasures:
    """Return how a machine code is measured."""
    return measures_named(group[0].recipe.package.kind)


def candidate(store: Store, group: Group, plan: Plan) -> Candidate:
    """Return a machine code with as many launches wanted as the store lacks."""
    subject, code = described(store, group)
    kind = measures_of(group)
    package = group[0].recipe.package
    full, brief = kind.full(subject, package, plan), kind.brief(subject, package, plan)
    one = Candidate(group, subject, code, full, brief)
    known = taken(store, one)
    one.wanted = max(plan.launches - known.count(False), 0)
    if plan.in_turn:
        one.wanted = min(one.wanted, plan.in_turn.most)
    elif len(known) >= plan.limit + plan.repeats:
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
    """Return the stored launches that compared a code, and measured nothing else.

    Where those say that they did, launches that measured it in full compare it, too.
    """
    kind = measures_of(one.group)
    return [
        each
        for each in store.launches(one.code.cell)
        if (each.purpose == kind.purpose and _measured(each) == one.brief.asked)
        or (kind.purpose and not each.purpose and one.brief.asked <= _measured(each))
    ]


def _measured(launch: Launch) -> frozenset[Measured]:
    return frozenset((sample.measure, sample.sizes) for sample in launch.samples)

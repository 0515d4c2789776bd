# SPDX-License-Identifier: MIT
"""What studies of a package beside campaigns have in common: building it, and reading launches."""

import statistics
from collections.abc import Iterable
from functools import partial
from random import SystemRandom

from msgspec import Struct

from assay.check.depth import Extent
from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.errors import AssayError, UsageError
from assay.execute.stage import Stage
from assay.machine.describe import describe
from assay.measure.gauge import Gauge
from assay.measure.kinds import measures_of
from assay.measure.launch import LinkedCode, measure_once
from assay.measure.task import LaunchTask, Take
from assay.model import Launch, PackageKind, Sample, Subject, Verdict
from assay.plan.plan import Plan
from assay.timing.clock import CounterOption
from assay.timing.witness import believed

BRIEF, UNCHECKED = Extent(brief=True), Extent(only=("nothing",))


class Ready(Struct, frozen=True):
    """What can be launched, where, and the counter of all launches."""

    code: LinkedCode
    subject: Subject
    task: LaunchTask
    kind: PackageKind
    counter: CounterOption
    place: Stage

    @property
    def stage(self) -> Stage:
        """Return the stage of one launch, whose agents share their time."""
        return self.place.patient(self.kind)

    def launched(self, take: Take, stage: Stage | None = None) -> Launch:
        """Launch until what is reported fits what was seen; AgentLied if it never does."""
        seed = SystemRandom().getrandbits(63)
        once = partial(measure_once, stage or self.stage, self.code, self.counter, take, seed)
        launch, _ = believed(once)
        return launch


def ready(workshop: Workshop, recipe: Recipe, extent: Extent = BRIEF) -> Ready:
    """Build and check a package as further configurations are; AssayError if that fails.

    Of another `extent` nothing may be checked at all.
    """
    name, build = recipe.package.selector, workshop.build(recipe)
    if not build.ok:
        raise AssayError(f"{name} does not build: {build.reason}", build.cure)
    outcome = workshop.examine(recipe, build, extent)
    if outcome.subject is None or outcome.verdict is Verdict.FAIL:
        raise AssayError(f"{name} fails its checks", f"`assay check {name}` says why.")
    group = (BuiltCell(recipe, build),)
    configuration = recipe.configuration
    plan = Plan((recipe.package,), (configuration,), {configuration.command: recipe.compiler})
    task = measures_of(group).brief(outcome.subject, recipe.package, plan)
    code = LinkedCode(recipe.cell, build.object_hash or "", workshop.admit(build))
    gauge = Gauge.made(workshop.stage, workshop.bare(recipe), describe())
    return Ready(code, outcome.subject, task, recipe.package.kind, gauge.counter, workshop.stage)


def require_operation(recipe: Recipe) -> None:
    """Raise UsageError for a package of another API."""
    if not recipe.package.kind.rules.listed:
        raise UsageError(
            f"{recipe.package.selector} is no operation",
            "Name a package of SUPERCOP's API.",
        )


def unit_of(one: Sample) -> str:
    """Return what a rate is per: calls of operations have no bytes of their own."""
    return one.work_unit if one.is_setup or one.block_bytes else "call"


def sizes_of(one: Sample) -> str:
    """Write the sizes of key and IV; operations have none to choose."""
    return str(one.sizes) if one.sizes.key_bits else ""


def speeds(launches: Iterable[Launch]) -> dict[tuple[str, str, str], list[float]]:
    """Return work per second of each copy, by measure, sizes and unit."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for launch in launches:
        for one in launch.samples:
            seconds = statistics.median(one.ticks) / one.tests / launch.counter.ticks_per_second
            key = one.measure.removesuffix("/-"), sizes_of(one), unit_of(one)
            found.setdefault(key, []).append(one.work / seconds)
    return found

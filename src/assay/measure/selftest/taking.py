# SPDX-License-Identifier: MIT
"""Taking the samples of the selftest: real launches on this machine, in random order."""

import dataclasses
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random, SystemRandom

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.kinds import kind_of
from assay.check.stream.routines import accepted_sizes
from assay.compile.recipe import Recipe
from assay.errors import AssayError, MachineError
from assay.execute.jail import Jail
from assay.execute.lock import machine_lock
from assay.machine.describe import describe
from assay.machine.processors import away_from
from assay.measure.candidate import Candidate
from assay.measure.counted_launch import ExactLauncher
from assay.measure.gauge import Gauge
from assay.measure.launch import LinkedCode, launched
from assay.measure.launcher import Launcher, known
from assay.measure.selftest.busy import disturbance, kinds
from assay.measure.selftest.judging import INJECTED, LAYOUTS
from assay.measure.selftest.rates import Samples, Shot
from assay.measure.stream.task import StreamTask
from assay.model import (
    BrokenPackage,
    Compiler,
    Configuration,
    Launch,
    Package,
    StreamSubject,
)
from assay.model.progress import Progress
from assay.package.discover import load_or_explain
from assay.plan.choice import target_configuration
from assay.plan.plan import Effort
from assay.stats.summary import error_bound, per_test
from assay.targets.catalogue import catalogue, look_for

PACKAGE = Path(__file__).parent / "injected"
BRIEF = Effort(samples=7)  # of launches that are many
LAYOUT_PASSES = 8  # over the layouts of which no launch counts yet


class Scale(Struct, frozen=True):
    """How many launches each part takes; `turns` are of all variants with injected work."""

    same: int = 2000
    turns: int = 150
    per_layout: int = 4
    per_campaign: int = 9
    beside: int = 100
    packages: int = 3


FULL = Scale()
QUICK = Scale(same=120, turns=30, per_layout=1, per_campaign=5, beside=10, packages=1)


class Range(Struct):
    """Where launches are made: the launcher, and who looks on.

    `counted` has the layouts of the launches that count, by name.
    """

    launcher: Launcher
    progress: Progress
    counted: dict[str, list[int]] = field(default_factory=dict)
    random: Random = field(default_factory=SystemRandom)

    def target(self, recipe: Recipe, layouts: int = 3) -> Candidate:
        """Build a code in some further layouts."""
        workshop = self.launcher.workshop
        build = workshop.build(recipe)
        if not build.ok:
            name = recipe.package.selector
            raise AssayError(f"{name} does not build: {build.reason}", build.cure)
        made = BuiltCell(recipe, build)
        with machine_lock(exclusive=False):
            code = launched(workshop, made, layouts)
        return _candidate(workshop, made, code)

    def shoot(
        self, name: str, target: Candidate, effort: Effort = BRIEF, *, layout: int | None = None
    ) -> Shot:
        """Launch once; `layout` names the one to take (None: one of the rarest so far)."""
        code, counted = target.code, self.counted.setdefault(name, [])
        if layout is not None:
            code, counted = (
                replace(code, agent=(code.agent, *code.layouts)[layout], layouts=()),
                [],
            )
        turn = replace(target, code=code, counted=counted)
        launch = self.launcher.take(turn, _task(target, effort))
        target.batches = turn.batches
        self.progress.advance(name)
        return _shot(name, known(launch), layout)

    def shuffled(self, turns: Iterable[tuple[str, Candidate]], effort: Effort) -> tuple[Shot, ...]:
        """Launch all in random order."""
        listed = list(turns)
        self.random.shuffle(listed)
        return tuple(self.shoot(name, target, effort) for name, target in listed)


def take_samples(
    jail: Jail,
    cpu: int | None,
    packages: Sequence[Package],
    configuration: tuple[Configuration, Compiler],
    scale: Scale,
    progress: Progress,
) -> Samples:
    """Take everything that can be taken here."""
    machine = describe()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    with open_workshop(jail, cpu=cpu) as workshop, away_from(cpu):
        recipes = [Recipe(one, 1, *configuration) for one in packages[: scale.packages]]
        if not recipes:
            raise AssayError("nothing can be launched", "Name a package.")
        gauge = Gauge.made(workshop.stage, workshop.bare(recipes[0]), machine)
        place = Range(Launcher(workshop, gauge=gauge), progress)
        targets = {recipe.package.selector: place.target(recipe) for recipe in recipes}
        first = next(iter(targets.values()))
        progress.begin("one code", scale.same)
        same = tuple(place.shoot("same", first) for _ in range(scale.same))
        injected = _injected(place, configuration, scale)
        layouts = _layouts(place, recipes[0], scale)
        campaigns = _campaigns(place, targets, scale)
        neighbours = _neighbours(place, first, cpu, scale)
        option = gauge.counter
    counts, counted_by = _counts(jail, packages[0])
    return Samples(
        machine=machine.diagnosis,
        trust=machine.trust_class or "",
        load=load,
        processors=os.cpu_count() or 1,
        counter=option.name,
        counter_bound=error_bound(core_cycles=option.core_cycles),
        same=same,
        injected=injected,
        layouts=layouts,
        campaigns=campaigns,
        neighbours=neighbours,
        counts=counts,
        counted_by=counted_by,
    )


def _injected(
    place: Range, configuration: tuple[Configuration, Compiler], scale: Scale
) -> tuple[Shot, ...]:
    """Launch the variants with more work in turn, each turn in random order."""
    package = load_or_explain(PACKAGE, PACKAGE, "selftest/injected")
    if isinstance(package, BrokenPackage):
        raise AssayError(f"the selftest's own package: {package.reason}", "Report this.")
    targets = [
        (name, place.target(Recipe(package, int(name), *configuration))) for name in INJECTED
    ]
    place.progress.begin("injected work", scale.turns * len(targets))
    return tuple(shot for _ in range(scale.turns) for shot in place.shuffled(targets, BRIEF))


def _layouts(place: Range, recipe: Recipe, scale: Scale) -> tuple[Shot, ...]:
    """Launch one code under two names, each in layouts of its own."""
    target = place.target(recipe, 2 * LAYOUTS)
    numbers = range(1, len(target.code.layouts) + 1)
    turns = [number for number in numbers for _ in range(scale.per_layout)]
    place.random.shuffle(turns)
    place.progress.begin("layouts", len(turns))
    names = ("first", "second")
    shots: list[Shot] = []
    for _ in range(LAYOUT_PASSES):
        shots += [place.shoot(names[number % 2], target, layout=number) for number in turns]
        counted = {shot.layout for shot in shots if not shot.disturbed}
        turns = [number for number in numbers if number not in counted]
    return tuple(shots)


def _campaigns(place: Range, targets: dict[str, Candidate], scale: Scale) -> tuple[Shot, ...]:
    """Measure all packages as a campaign does, twice; disturbed launches are repeated once."""
    place.progress.begin("two campaigns", 2 * scale.per_campaign * len(targets))
    shots: list[Shot] = []
    for number in (1, 2):
        turns = [(f"{name}#{number}", target) for name, target in targets.items()]
        taken = place.shuffled(turns * scale.per_campaign, Effort())
        again = [(s.name, targets[s.name.partition("#")[0]]) for s in taken if s.disturbed]
        shots += [*taken, *place.shuffled(again[: len(taken) // 2], Effort())]
    return tuple(shots)


def _neighbours(
    place: Range, target: Candidate, cpu: int | None, scale: Scale
) -> tuple[Shot, ...]:
    """Launch beside neighbours of all kinds."""
    listed = kinds(cpu)
    place.progress.begin("neighbours", scale.beside * len(listed))
    shots: list[Shot] = []
    for kind in listed if cpu is not None else ():
        with disturbance(kind, cpu or 0):
            shots += [place.shoot(kind, target) for _ in range(scale.beside)]
    return tuple(shots)


def _counts(jail: Jail, package: Package) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Count the instructions of two launches on the first emulated target that is installed."""
    for target in catalogue():
        if target.counts != "instructions" or not look_for(target).ok:
            continue
        try:
            recipe = Recipe(package, 1, *target_configuration(target), target)
        except MachineError:
            continue
        with open_workshop(jail, target=target) as workshop:
            build = workshop.build(recipe)
            if not build.ok:
                continue
            made = BuiltCell(recipe, build)
            one = _candidate(workshop, made, launched(workshop, made, 0))
            launcher = ExactLauncher(workshop)
            two = [known(launcher.take(one, one.full)) for _ in range(2)]
            counts = tuple(tuple(s.ticks[0] for s in one.samples) for one in two)
            return counts, f"{package.selector} on {target.name}"
    return (), ""


def _candidate(workshop: Workshop, made: BuiltCell, code: LinkedCode) -> Candidate:
    """Return a built code at the first of its sizes; AssayError if it is no stream cipher."""
    package = made.recipe.package
    with workshop.stage.connect(code.agent) as agent:
        subject = kind_of(package).describe(agent)
    if not isinstance(subject, StreamSubject):
        raise AssayError(f"{package.selector} is no stream cipher", "Name another package.")
    task = StreamTask(subject, accepted_sizes(subject)[:1], BRIEF)
    return Candidate((made,), subject, code, task, task)


def _task(target: Candidate, effort: Effort) -> StreamTask:
    """Return what is timed of a target with this effort."""
    if not isinstance(target.full, StreamTask):
        raise TypeError("the selftest launches stream ciphers")
    return dataclasses.replace(target.full, effort=effort)


def _shot(name: str, launch: Launch, layout: int | None) -> Shot:
    """Keep of a launch what is judged; all conditions of every launch would be megabytes."""
    scale = launch.counter.cycles_per_tick or 1.0
    conditions = launch.conditions
    number = layout if layout is not None else conditions.layout if conditions else 0
    values = tuple((s.measure, round(per_test(launch, s) * scale, 3)) for s in launch.samples)
    error = conditions.calibration_error if conditions else None
    return Shot(name, number, tuple(sorted(values)), launch.disturbed, error, conditions)

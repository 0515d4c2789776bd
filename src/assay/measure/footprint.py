# SPDX-License-Identifier: MIT
"""The size of a package on a target, under the options that make it smallest, and its speed.

C is compiled with several compilers and levels, always position-independent where
the target has that (Shabal paper, A.2.5); the smallest result that works is taken.
Assembly is what it is.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay.check.depth import Extent
from assay.check.engine.cells import BuiltCell, Examination
from assay.check.engine.instruments import starvable
from assay.check.engine.workshop import Workshop, open_workshop
from assay.compile.libraries import libraries_for
from assay.compile.recipe import Recipe
from assay.compile.sizes import FREE, OF_PIC, code_size
from assay.execute.agent import AgentError
from assay.execute.jail import Jail
from assay.measure.candidate import Candidate
from assay.measure.counted_launch import CountedLaunch
from assay.measure.kinds import KindCosts, measures_named
from assay.measure.launch import launched
from assay.measure.launcher import Launcher, known
from assay.measure.task import LaunchTask
from assay.model import (
    Build,
    Package,
    Runtime,
    Subject,
    Target,
    Verdict,
)
from assay.model.api import Promise
from assay.model.apis import (
    LONG_BYTES,
    LONG_MESSAGE,
    SHORT_BYTES,
    SHORT_MESSAGE,
    promises,
)
from assay.model.footprint import CodeSize, Footprint, Steps
from assay.plan.choice import X86_32, families, target_configuration
from assay.stats.summary import per_test
from assay.targets.catalogue import look_for, unsuited
from assay.timing.witness import making_sense

# Unwind tables do not count, and without them `size` of binutils says the same as we do.
COMMON = "-fno-asynchronous-unwind-tables -fomit-frame-pointer"
COMPARED = ("/verified", "checksum/small")
LEVELS = {"gcc": ("-Os", "-O1", "-O2"), "clang": ("-Oz", "-Os")}
LOOK = "`assay check {0} --target {1}` shows what the tools reported"


class SizedBuild(Struct, frozen=True):
    """A build and the size of its code; `breaks` are the externals that are not free."""

    recipe: Recipe
    build: Build
    size: CodeSize
    breaks: tuple[str, ...]

    @property
    def rank(self) -> tuple[bool, int]:
        """Order by rules kept, then size."""
        return bool(self.breaks), self.size.total_bytes


def footprint(package: Package, target: Target, jail: Jail) -> Footprint:
    """Measure one package on one target; what cannot be measured says why."""
    skipped = _obstacle(package, target)
    if skipped:
        return Footprint(package.selector, target, skipped=skipped)
    with open_workshop(jail, target=target) as workshop:
        candidates, reasons = _candidates(workshop, package)
        if not candidates:
            return Footprint(package.selector, target, problems=tuple(reasons[:1]), passed=False)
        best = min(candidates, key=lambda one: one.rank)
        row = Footprint(
            package.selector,
            target,
            best.recipe.configuration,
            best.size,
            operation=package.kind.rules.combined,
            problems=tuple(f"needs {name}" for name in best.breaks),
            others=tuple(
                (one.recipe.configuration.name, one.size.total_bytes) for one in candidates
            ),
        )
        return _measured(workshop, best, row)


def _obstacle(package: Package, target: Target) -> str:
    """Explain why nothing can be measured, or nothing."""
    installed = look_for(target)
    if not installed.ok:
        return installed.reason
    return unsuited(package, target)


def _candidates(workshop: Workshop, package: Package) -> tuple[tuple[SizedBuild, ...], list[str]]:
    """Build with every compiler and level; give what was built, and why the rest was not."""
    found: list[SizedBuild] = []
    reasons: list[str] = []
    for recipe in _recipes(package, workshop.stage.target):
        build = workshop.build(recipe)
        combined = package.kind.rules.combined
        expected = 1 if combined else len(package.sources) + len(build.subroutines)
        if not build.ok or len(build.objects) != expected:
            reason = build.reason or "there is no object file"
            look = LOOK.format(package.selector, recipe.target.name)
            reasons.append(f"{reason} ({look})" if combined else reason)
            continue
        size = _sum(tuple(code_size(path) for path in build.objects))
        own = {name for name, _ in size.functions}
        breaks = tuple(name for name in size.externals if name not in FREE | OF_PIC | own)
        only = breaks if promises(package.api, Promise.ANNEX_A) else ()
        found.append(SizedBuild(recipe, build, size, only))
    return tuple(found), reasons


def _recipes(package: Package, target: Target) -> Iterator[Recipe]:
    """Yield every configuration worth trying for size."""
    assembly = all(source.endswith((".s", ".S")) for source in package.sources)
    pic = "-fpic " if target.pic else ""
    needs = "-m32" if target.is_native and package.architecture in X86_32 else ""
    for family in families(target):
        for level in LEVELS[family][: 1 if assembly else None]:
            options = f"{level} {pic}{COMMON}"
            configuration, compiler = target_configuration(target, options, family)
            named = replace(
                configuration,
                arch=f"{configuration.arch} {needs}".strip(),
                name=f"{configuration.command} {level}",
            )
            yield Recipe(package, 1, named, compiler, target)
        if assembly:
            return


def _sum(sizes: tuple[CodeSize, ...]) -> CodeSize:
    """Add up the object files of a package of several sources."""
    first = sizes[0]
    for one in sizes[1:]:
        first = CodeSize(
            first.text_bytes + one.text_bytes,
            first.rodata_bytes + one.rodata_bytes,
            first.data_bytes + one.data_bytes,
            first.bss_bytes + one.bss_bytes,
            first.dec_bytes + one.dec_bytes,
            (*first.sections, *one.sections),
            (*first.functions, *one.functions),
            tuple(sorted({*first.externals, *one.externals})),
        )
    return first


def _measured(workshop: Workshop, best: SizedBuild, row: Footprint) -> Footprint:
    """Check that the code is right, then add what it takes."""
    workshop = workshop.patient(best.recipe)
    costs = measures_named(best.recipe.package.kind).costs
    outcome = workshop.examine(best.recipe, best.build, Extent(brief=True, only=costs.proofs))
    row = replace(row, passed=_correct(outcome), problems=(*row.problems, *_failures(outcome)))
    subject = outcome.subject
    if subject is None or costs.memory is None:
        return row
    _, state_bytes = subject.memory
    if costs.flash:
        linked = costs.flash(workshop, best.recipe, subject)
        row = replace(row, static_bytes=state_bytes, linked_bytes=linked)
    else:
        row = replace(row, context_bytes=state_bytes)
    try:
        with making_sense(), workshop.connector(_watched(workshop, best))() as agent:
            functions = costs.memory(agent, subject)
        deepest = max(one.stack_bytes for one in functions)
        row = replace(row, functions=functions, stack_bytes=deepest)
        with making_sense():
            return replace(row, steps=_steps(workshop, best, subject, costs))
    except AgentError as error:
        return replace(row, passed=False, problems=(*row.problems, str(error)))


def _watched(workshop: Workshop, best: SizedBuild) -> Build:
    """Return the build whose agent sees what the package allocates, where that can be had.

    What shared libraries allocate it does not see.
    """
    recipe, (jail, _) = best.recipe, workshop.confined
    target, package = recipe.target, recipe.package
    if not package.kind.rules.combined or target.runtime is not Runtime.LIBC:
        return best.build
    machine = "" if target.is_native else target.architecture
    if libraries_for(package, recipe.compiler, jail, recipe.arch, machine).link:
        return best.build
    build = workshop.build(starvable(recipe))
    return build if build.ok else best.build


def _correct(outcome: Examination) -> bool | None:
    """Return whether vectors agreed; None if there were none to compare with."""
    if not outcome.passed:
        return False
    compared = [one for one in outcome.checks if one.check.endswith(COMPARED)]
    return True if any(one.verdict is Verdict.PASS for one in compared) else None


def _failures(outcome: Examination) -> tuple[str, ...]:
    return tuple(
        f"{one.check}: {one.reason}" for one in outcome.checks if one.verdict is Verdict.FAIL
    )


def _steps(
    workshop: Workshop, best: SizedBuild, subject: Subject, costs: KindCosts
) -> tuple[Steps, ...]:
    """Count where the target can; time a hash on a real processor."""
    target = workshop.stage.target
    if target.counts is not None and costs.count is not None:
        launch = CountedLaunch(workshop, best.recipe, best.build, subject)
        count = costs.count
        twice = (launch.take((lambda counter: count(counter, subject),)) for _ in range(2))
        once, again = map(tuple, twice)
        return tuple(map(_either, once, again))
    if target.tells_time and costs.timed is not None:
        return _timed(workshop, best, subject, costs.timed(subject))
    return ()


def _timed(
    workshop: Workshop, best: SizedBuild, subject: Subject, task: LaunchTask
) -> tuple[Steps, ...]:
    """Time a long and a short message here, in core cycles if those are established."""
    made = BuiltCell(best.recipe, best.build)
    code = launched(workshop, made, 0)
    launch = known(
        Launcher(workshop, locks=False).take(Candidate((made,), subject, code, task, task), task)
    )
    ratio = launch.counter.cycles_per_tick
    unit = "ticks" if ratio is None else "cycles"
    lengths = {LONG_MESSAGE: LONG_BYTES, SHORT_MESSAGE: SHORT_BYTES}
    return tuple(
        Steps(
            name,
            f"{lengths[name]} bytes, timed",
            per_test(launch, sample) * (ratio or 1.0),
            unit,
            lengths[name],
            exact=False,
        )
        for sample in sorted(launch.samples, key=lambda one: one.measure)
        for name in (sample.measure.split("/")[0],)
    )


def _either(one: Steps, other: Steps) -> Steps:
    """Return a count of two launches, with inputs of their own; their mean is not exact."""
    if one.amount == other.amount:
        return one
    return replace(one, amount=(one.amount + other.amount) / 2, exact=False)

# SPDX-License-Identifier: MIT
"""What `assay run` does once it knows its plans: one campaign for each, into one folder."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.roots import reports_folder, repository_root
from assay.campaign.run import Outcome, agents_folder, run_campaign
from assay.check.engine.workshop import open_workshop
from assay.errors import UsageError
from assay.execute.jail import Jail
from assay.machine.processors import measuring_cpu
from assay.model import (
    BrokenPackage,
    Compiler,
    Configuration,
    Package,
    SizeChoice,
    Target,
)
from assay.model.progress import Progress
from assay.model.work import todays
from assay.package.discover import Found
from assay.package.resolve import Trees
from assay.plan.choice import X86_32
from assay.plan.plan import Effort, InTurn, Plan
from assay.store import Store
from assay.store.alone import working_alone
from assay.targets.catalogue import fits, native
from assay.toolchain.listings import slow_rate
from assay.toolchain.shortlist import supercop_configurations
from assay.toolchain.unused import richest_of

RACE_FROM = 5  # configurations
ALL_SIZES = "all"
LAUNCHES, SAMPLES = 5, 39
# Of operations; with three launches no two codes can be told apart.
OPERATION_LAUNCHES, OPERATION_SAMPLES = 4, 31

NAMED = 3  # packages that are left out


class RunOptions(Struct, frozen=True):
    """What the user asked for, as on the command line; None is what the package's kind decides.

    `sizes` are listed, or ALL_SIZES.
    """

    packages: tuple[str, ...] = ()
    results: Path = Path()
    names: tuple[str, ...] = ()
    shortlist_only: bool = False
    best: int | None = None
    launches: int | None = None
    samples: int | None = None
    race: bool | None = None
    precision: float | None = None
    most_launches: int = 50
    no_cache: bool = False
    sizes: tuple[SizeChoice, ...] | str = ()
    trees: tuple[Path, ...] = ()
    sample: int | None = None
    seed: int = 0
    curve: bool = False
    accept: tuple[str, ...] = ()
    everything: bool = False
    target_names: tuple[str, ...] = ()
    targets_file: str | None = None
    jail_name: str = "bubblewrap"
    glance: bool = False
    in_turn: InTurn | None = None
    slower_than: float | None = None

    @property
    def folder(self) -> Path:
        """Return the results folder."""
        return Path.cwd() if self.results == Path() else self.results

    @property
    def listed_trees(self) -> Trees:
        """Return where packages of operations are looked for, and how many of them are taken."""
        return Trees(self.trees, self.sample, self.seed)


def plan_for(
    found: Sequence[Found],
    wanted: RunOptions,
    target: Target,
    pairs: Sequence[tuple[Configuration, Compiler]],
) -> Plan:
    """Make the plan for packages of a target; many configurations race unless told otherwise."""
    return Plan(
        packages=tuple(one for one in found if isinstance(one, Package) and runs(one, target)),
        configurations=tuple(one for one, _ in pairs),
        compilers={one.command: compiler for one, compiler in pairs},
        launches=wanted.launches or LAUNCHES,
        effort=Effort(samples=wanted.samples or SAMPLES),
        workers=max(1, os.cpu_count() or 1),
        target=target,
        race=len(pairs) >= RACE_FROM if wanted.race is None else wanted.race,
        precision_percent=wanted.precision,
        most_launches=wanted.most_launches,
        glance=wanted.glance,
        in_turn=wanted.in_turn,
        sizes=wanted.sizes if isinstance(wanted.sizes, tuple) else (),
        every_size=wanted.sizes == ALL_SIZES,
        richest=richest_of(pairs) if target.is_native and len(pairs) > 1 else None,
        slower_than=_rate(wanted) if target.counts is None else None,
    )


def contest_plan(found: Sequence[Found], wanted: RunOptions) -> Plan:
    """Make the plan for operations: contests, unless they race or everything is measured."""
    configurations, compilers = _contest_configurations(wanted.names, wanted.best)
    return Plan(
        packages=tuple(one for one in found if isinstance(one, Package)),
        configurations=configurations,
        compilers=compilers,
        launches=wanted.launches or OPERATION_LAUNCHES,
        effort=Effort(samples=wanted.samples or OPERATION_SAMPLES),
        workers=max(1, os.cpu_count() or 1),
        target=native(),
        race=wanted.race is True,
        precision_percent=wanted.precision,
        most_launches=wanted.most_launches,
        curve=wanted.curve,
        everything=wanted.everything or wanted.race is False,
        glance=wanted.glance,
        in_turn=wanted.in_turn,
        accept=tuple(map(todays, wanted.accept)),
        richest=richest_of([(one, compilers[one.command]) for one in configurations]),
    )


def counted_contest(
    found: Sequence[Found],
    wanted: RunOptions,
    target: Target,
    pairs: Sequence[tuple[Configuration, Compiler]],
) -> Plan:
    """Make the plan for operations on a target that counts: all of them, each in full."""
    return replace(plan_for(found, wanted, target, pairs), race=False, everything=True)


def _rate(wanted: RunOptions) -> float | None:
    """Return the rate from which on ciphers are skipped, in cycles/byte; None skips none."""
    if wanted.slower_than is not None:
        return wanted.slower_than or None
    return slow_rate(reports_folder(repository_root()))


def run_plan(
    plan: Plan,
    wanted: RunOptions,
    found: Sequence[Found],
    jail: Jail,
    progress: Progress,
    arguments: tuple[str, ...],
) -> Outcome:
    """Run a campaign into its folder. What of `found` cannot be loaded is reported."""
    folder, reuse = wanted.folder, not wanted.no_cache
    broken = tuple(one for one in found if isinstance(one, BrokenPackage))
    with (
        Store.create(folder) as store,
        working_alone(folder),
        open_workshop(
            jail, agents_folder(folder), measuring_cpu(), plan.target, reuse=reuse
        ) as workshop,
    ):
        return run_campaign(workshop, store, plan, broken, arguments, progress)


def open_text(outcome: Outcome) -> str:
    """Return how many cells failed nothing and did not pass."""
    text = f", {outcome.glanced} checked at a glance" if outcome.glanced else ""
    if not outcome.open:
        return text
    return f"{text}, {outcome.open} open (not examined, or correctness not compared)"


def _contest_configurations(
    names: tuple[str, ...], best: int | None
) -> tuple[tuple[Configuration, ...], dict[str, Compiler]]:
    """Return the configurations asked for; UsageError for a name that there is not."""
    configurations, compilers = supercop_configurations()
    if names:
        known = {one.name: one for one in configurations}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise UsageError(
                f"there is no configuration {unknown[0]!r} for packages of this API",
                f"There are {', '.join(known)}.",
            )
        configurations = tuple(known[name] for name in names)
    return configurations[:best], compilers


def left_out(found: Sequence[Found], target: Target) -> str:
    """Return the line that names what is not tried on a target, or nothing."""
    names = [one.selector for one in found if isinstance(one, Package) and not runs(one, target)]
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED])
    return f"{target.name}: left out, assembly for other architectures: {listed}{more}"


def runs(package: Package, target: Target) -> bool:
    """Return whether to try a package on a target: not assembly for another architecture."""
    if package.kind.rules.compact and target.is_native:
        return fits(package.architecture, target) and package.architecture not in X86_32
    return target.is_native or fits(package.architecture, target)

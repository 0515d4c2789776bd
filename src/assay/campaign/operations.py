# SPDX-License-Identifier: MIT
"""A campaign over packages of the SUPERCOP API: a contest for each primitive.

The cells of many primitives are built and checked together, so that a slow one of the
last does not leave processors idle; the contests follow, one at a time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from random import SystemRandom

from assay.campaign.run import Outcome, begin, now, outcome_of
from assay.check.engine.cells import passed
from assay.check.engine.examining import Engine
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.measure.gauge import Gauge
from assay.measure.policies.contest import Contest, Entrant, effort_for, entrant
from assay.model import (
    BrokenPackage,
    Cell,
    Compiler,
    Configuration,
    OperationDetails,
    Package,
    Target,
)
from assay.model.progress import Progress
from assay.store import Store

TABLE_BYTES = (8, 64, 576, 1536, 4096)  # the columns of eBACS
LONG_BYTES = (16384, 24576, 32768)  # for the line that "long" is the slope of
SIGNED_BYTES = (59,)  # what eBATS shows of signatures and encryption
CELLS_AT_ONCE = 400  # are built and checked before the contests of their primitives
SIGNING = ("crypto_sign", "crypto_encrypt")
TWO_LENGTHS = ("crypto_aead", "crypto_xof")
XOF_BYTES = 32  # of the length that does not grow, as SUPERCOP has it


@dataclass(frozen=True, slots=True)
class OperationPlan:
    """Packages by configurations, best configurations first.

    `curve` measures every length that eBACS does, `everything` every code that passed and
    not only the best of each league. `launches` counts undisturbed processes. What fails
    only checks whose names begin with one of `accept` is measured all the same.
    """

    packages: tuple[Package, ...]
    configurations: tuple[Configuration, ...]
    compilers: dict[str, Compiler]
    target: Target
    launches: int = 4  # with three no two codes can be told apart
    samples: int = 31
    curve: bool = False
    everything: bool = False
    workers: int = 2
    accept: tuple[str, ...] = ()

    def primitives(self) -> Iterator[tuple[Recipe, ...]]:
        """Yield the recipes of all cells, a primitive at a time."""
        for _, packages in groupby(self.packages, key=_primitive):
            yield tuple(
                Recipe(package, 1, one, self.compilers[one.command], self.target)
                for package in packages
                for one in self.configurations
            )


def run_operations(
    workshop: Workshop,
    store: Store,
    plan: OperationPlan,
    broken: Iterable[BrokenPackage],
    arguments: tuple[str, ...],
    progress: Progress,
) -> Outcome:
    """Run the contest of every primitive; what is stored already is not done again."""
    unloadable = tuple(broken)
    number = begin(store, arguments, plan.packages, unloadable, progress)
    cells: set[Cell] = set()
    gauge: Gauge | None = None
    engine = Engine(workshop, store, plan.workers, progress)
    for recipes in _batches(plan.primitives()):
        good = passed(engine.examine(recipes, Wanted(keep=True)), plan.accept)
        cells |= {recipe.cell for recipe in recipes}
        for _, groups in groupby(good, key=lambda group: _primitive(group[0].recipe.package)):
            entrants = [entrant(workshop, store, group) for group in groups]
            recipe = entrants[0].group[0].recipe
            gauge = gauge or Gauge.made(workshop, recipe, store.machine())
            _hold(workshop, store, plan, gauge, entrants, progress)
    store.finish_campaign(number, now())
    return outcome_of(store, cells, len(unloadable))


def _batches(primitives: Iterable[tuple[Recipe, ...]]) -> Iterator[tuple[Recipe, ...]]:
    """Put whole primitives together until there are enough cells."""
    batch: tuple[Recipe, ...] = ()
    for recipes in primitives:
        batch += recipes
        if len(batch) >= CELLS_AT_ONCE:
            yield batch
            batch = ()
    if batch:
        yield batch


def _hold(
    workshop: Workshop,
    store: Store,
    plan: OperationPlan,
    gauge: Gauge,
    entrants: list[Entrant],
    progress: Progress,
) -> None:
    sizes = sizes_of(entrants[0].subject.operation, curve=plan.curve)
    effort = effort_for(gauge.counter, plan.samples)
    contest = Contest(
        workshop,
        store,
        gauge,
        effort,
        plan.launches,
        sizes,
        progress,
        SystemRandom(),
    )
    contest.hold(entrants, everything=plan.everything)


def sizes_of(operation: str, *, curve: bool) -> tuple[tuple[int, int], ...]:
    """Return the lengths to measure, each with that of associated data or output."""
    lengths = tuple(_curve(operation)) if curve else _table(operation)
    if operation in TWO_LENGTHS:
        other = XOF_BYTES if operation == "crypto_xof" else 0
        found = [*((n, other) for n in lengths), *((other, n) for n in lengths)]
        return (*found, *((n, n) for n in lengths))
    return tuple((length, 0) for length in lengths)


def _table(operation: str) -> tuple[int, ...]:
    if operation in SIGNING:
        return SIGNED_BYTES
    if operation == "crypto_hashblocks":
        return tuple(one for one in (*TABLE_BYTES, *LONG_BYTES) if one % 128 == 0)
    return (*TABLE_BYTES, *LONG_BYTES)


def _curve(operation: str) -> Iterator[int]:
    """Yield eBACS's lengths: every one where it has every one."""
    if operation in SIGNING:
        length = 0
        while length <= 100_000:
            yield length
            length += 1 + length // 4
    elif operation in TWO_LENGTHS:
        yield from (n for n in range(1, 2049) if n <= 64 or n % 32 == 0)
    elif operation == "crypto_sort":
        yield from sorted({round(2 ** (step / 24)) for step in range(24 * 14 + 1)})
    else:
        yield from range(4097)
        if operation == "crypto_hash":
            yield from range(4096 + 1008, 65537, 1008)


def _primitive(package: Package) -> tuple[str, str]:
    details = package.details
    return (details.operation if isinstance(details, OperationDetails) else "", package.primitive)

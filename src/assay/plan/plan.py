# SPDX-License-Identifier: MIT
"""What a campaign shall do, in which order, and how much effort it takes.

Configurations come in rounds, the shortlist's best first: a round is built,
checked, measured and written down before the next begins, so that an
interrupted campaign has finished what mattered most.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct, field

from assay.compile.recipe import Recipe
from assay.model import (
    Compiler,
    Configuration,
    Package,
    SizeChoice,
    Target,
)
from assay.targets.catalogue import native

ROUND_CONFIGURATIONS = 24
SCOUTING = 1  # configurations that say who is far behind, before a race begins
CELLS_AT_ONCE = 400  # of whole primitives, built and checked before their contests
RACE_GROWTH = 4  # each round of a race has so many times more: who was best runs again in each


class Effort(Struct, frozen=True):
    """How much is timed: windows of `window_us`, `samples` of them, `trials` to calibrate.

    `only` names the measures to take; all of them if it is empty.
    """

    window_us: float = 250.0
    samples: int = 39
    trials: int = 3
    only: tuple[str, ...] = ()


class Round(Struct, frozen=True):
    """Cells that are built, checked and measured together.

    Of `scouting` ones none is measured in full: they say which packages are far behind, and
    need not be tried with other configurations.
    """

    recipes: tuple[Recipe, ...]
    scouting: bool = False


class InTurn(Struct, frozen=True):
    """Sides that are launched in turn, `most` times at most: disturbed launches are not repeated.

    Of a `hurried` look groups that somebody disturbed are hardly timed again, either.
    """

    most: int
    hurried: bool = False


class Plan(Struct, frozen=True):
    """The cells of a campaign: packages by configurations, best configurations first.

    `launches` is how many undisturbed launches every distinct machine code gets, if it
    does not drop out of a `race` first; where the target counts, none does, and a race decides
    which codes are examined in full. With `precision_percent` it gets more, until every figure
    is known that well, and `most_launches` in all. `sizes` are those to measure (the nearest
    that a cipher has), or `every_size` that is accepted; by default the largest key, IV and MAC.

    Of operations the best of each primitive is measured, or `everything` that passed, at the
    lengths of eBACS's tables or all those of its `curve`. What fails only checks whose names
    begin with one of `accept` is measured all the same.

    A `glance` compares outputs with known answers alone (see `Depth`). So does a comparison of
    sides, which are launched `in_turn`.
    The `richest` configuration lets code use most of the processor: nothing is left out before
    it was tried.
    Stream ciphers `slower_than` so many cycles/byte are skipped.
    """

    packages: tuple[Package, ...]
    configurations: tuple[Configuration, ...]
    compilers: dict[str, Compiler]
    launches: int = 5
    effort: Effort = field(default_factory=Effort)
    workers: int = 2
    target: Target = field(default_factory=native)
    race: bool = False
    precision_percent: float | None = None
    most_launches: int = 50
    sizes: tuple[SizeChoice, ...] = ()
    every_size: bool = False
    curve: bool = False
    everything: bool = False
    accept: tuple[str, ...] = ()
    glance: bool = False
    in_turn: InTurn | None = None
    richest: Configuration | None = None
    slower_than: float | None = None

    @property
    def operations(self) -> bool:
        """Return whether primitives hold contests: packages of the SUPERCOP API do."""
        return any(package.kind.rules.contests for package in self.packages)

    @property
    def contests(self) -> bool:
        """Return whether but the winners of contests are measured in full."""
        return self.operations and not (self.race or self.everything)

    @property
    def scouts(self) -> bool:
        """Return whether some configurations say who is far behind, before all others."""
        races = self.race and not self.operations
        more = len(self.configurations) > len(self.scouting)
        return (races or self.contests) and not self.counts and more

    @property
    def scouting(self) -> tuple[Configuration, ...]:
        """Return the first configurations and the richest one, which say who is far behind."""
        first = self.configurations[:SCOUTING]
        extra = (self.richest,) if self.richest in self.configurations else ()
        return tuple(dict.fromkeys(one for one in (*first, *extra) if one is not None))

    @property
    def counts(self) -> bool:
        """Return whether the target counts instead of timing; then all cells are counted."""
        return self.target.counts is not None

    @property
    def confirms(self) -> bool:
        """Return whether codes are examined at a glance first, and in full if they are best."""
        return self.scouts or (self.race and self.counts)

    @property
    def repeats(self) -> int:
        """How many disturbed launches of a machine code are made again; a glance takes any."""
        if self.glance or self.in_turn:
            return 0
        return max(2, self.limit // 2)

    @property
    def limit(self) -> int:
        """How many launches a machine code gets at most, besides repeated ones."""
        if self.precision_percent is None:
            return self.launches
        return max(self.launches, self.most_launches)

    def rounds(self) -> Iterator[Round]:
        """Yield all cells, round by round; primitives of operations are never divided."""
        if self.operations:
            for packages in self._batches():
                yield from self._tried(packages)
            return
        scouting = self.scouting if self.scouts else ()
        others = (one for one in self.configurations if one not in scouting)
        ordered = (*scouting, *others)
        start, size = 0, len(scouting) or ROUND_CONFIGURATIONS
        while start < len(ordered):
            listed = ordered[start : start + size]
            recipes = tuple(self._recipes(self.packages, listed))
            yield Round(recipes, scouting=self.scouts and not start)
            start += size
            size = max(ROUND_CONFIGURATIONS, size * RACE_GROWTH if self.scouts else 0)

    def _batches(self) -> Iterator[tuple[Package, ...]]:
        """Put whole primitives together until there are enough cells."""
        batch: tuple[Package, ...] = ()
        for _, packages in groupby(self.packages, key=primitive_of):
            batch += tuple(packages)
            if len(batch) * len(self.configurations) >= CELLS_AT_ONCE:
                yield batch
                batch = ()
        if batch:
            yield batch

    def _tried(self, packages: tuple[Package, ...]) -> Iterator[Round]:
        """Yield the rounds of packages of operations: scouts first, if there are any."""
        first = self.scouting if self.scouts else ()
        if first:
            yield Round(tuple(self._recipes(packages, first)), scouting=True)
        others = [one for one in self.configurations if one not in first]
        yield Round(tuple(self._recipes(packages, others)))

    def _recipes(
        self, packages: Sequence[Package], configurations: Sequence[Configuration]
    ) -> Iterator[Recipe]:
        for package in packages:
            for variant in range(1, package.variants + 1):
                for configuration in configurations:
                    compiler = self.compilers[configuration.command]
                    yield Recipe(package, variant, configuration, compiler, self.target)


def primitive_of(package: Package) -> tuple[str, str]:
    """Name what a package competes in: its operation, if it is of one, and its primitive."""
    return (package.details.operation if package.details else "", package.primitive)

# SPDX-License-Identifier: MIT
"""What a campaign shall do, in which order, and how much effort it takes.

Configurations come in rounds, the shortlist's best first: a round is built,
checked, measured and written down before the next begins, so that an
interrupted campaign has finished what mattered most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.compile.recipe import Recipe
from assay.model import Compiler, Configuration, Package, Target
from assay.plan.effort import Effort
from assay.targets.catalogue import native

ROUND_CONFIGURATIONS = 24
RACE_GROWTH = 4  # each round of a race has so many times more: who was best runs again in each


@dataclass(frozen=True, slots=True)
class Plan:
    """The cells of a campaign: packages by configurations, best configurations first.

    `launches` is how many undisturbed launches every distinct machine code gets, if it
    does not drop out of a `race` first. With `precision_percent` it gets more, until every
    figure is known that well, and `most_launches` in all.
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

    @property
    def repeats(self) -> int:
        """How many disturbed launches of a machine code are made again."""
        return max(2, self.limit // 2)

    @property
    def limit(self) -> int:
        """How many launches a machine code gets at most, besides repeated ones."""
        if self.precision_percent is None:
            return self.launches
        return max(self.launches, self.most_launches)

    def rounds(self) -> Iterator[tuple[Recipe, ...]]:
        """Yield the recipes of all cells, round by round."""
        start, size = 0, ROUND_CONFIGURATIONS
        while start < len(self.configurations):
            yield tuple(self._recipes(self.configurations[start : start + size]))
            start, size = start + size, size * (RACE_GROWTH if self.race else 1)

    def _recipes(self, configurations: Sequence[Configuration]) -> Iterator[Recipe]:
        for package in self.packages:
            for variant in range(1, package.variants + 1):
                for configuration in configurations:
                    compiler = self.compilers[configuration.command]
                    yield Recipe(package, variant, configuration, compiler, self.target)

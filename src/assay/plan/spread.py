# SPDX-License-Identifier: MIT
"""Where packages are examined: on which targets, and there in which configurations."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.model import Compiler, Configuration, Package, Target
from assay.plan.choice import (
    compilers_of,
    default_configuration,
    fitted,
    foreign_configurations,
    listed_configurations,
    named_configuration,
    target_configuration,
)
from assay.targets.catalogue import look_for, unsuited
from assay.toolchain.shortlist import supercop_configurations

Pair = tuple[Configuration, Compiler]


class ConfigurationChoice(Struct, frozen=True):
    """Which configurations: those called `names`, everything (the `best` first), or a default.

    `reports` is the folder that has them.
    """

    reports: Path
    names: tuple[str, ...] = ()
    everything: bool = False
    best: int | None = None


class TargetCells(Struct, frozen=True):
    """A target, with the recipes of a package there; `skipped` says why there are none."""

    target: Target
    recipes: tuple[Recipe, ...] = ()
    skipped: str = ""


class Spread(Struct):
    """Targets by configurations. Configurations and compilers are looked up once."""

    targets: Sequence[Target]
    choice: ConfigurationChoice
    _known: dict[tuple[str, bool], tuple[Pair, ...] | str] = field(default_factory=dict)

    def places(self, package: Package) -> tuple[TargetCells, ...]:
        """Return the cells of a package, target by target, variant by variant.

        UsageError or MachineError if there is no such configuration of this machine, or no
        compiler for it.
        """
        return tuple(self._place(package, target) for target in self.targets)

    def _place(self, package: Package, target: Target) -> TargetCells:
        pairs = self.pairs(target, listed=package.kind.rules.listed)
        why = pairs if isinstance(pairs, str) else ""
        if not target.is_native:
            why = why or unsuited(package, target)
        if why or isinstance(pairs, str):
            return TargetCells(target, skipped=why)
        recipes = (
            Recipe(package, variant, _fit(one, package, target), compiler, target)
            for variant in range(1, package.variants + 1)
            for one, compiler in pairs
        )
        return TargetCells(target, tuple(recipes))

    def pairs(self, target: Target, *, listed: bool) -> tuple[Pair, ...] | str:
        """Return configurations and compilers for a target, or why there are none."""
        key = (target.name, listed)
        if key not in self._known:
            found = self._native(listed=listed) if target.is_native else self._cross(target)
            self._known[key] = found
        return self._known[key]

    def _native(self, *, listed: bool) -> tuple[Pair, ...]:
        wanted = self.choice
        if wanted.names:
            return tuple(
                named_configuration(wanted.reports, n) for n in dict.fromkeys(wanted.names)
            )
        if listed:
            every, compilers = supercop_configurations()
            chosen = every[: wanted.best] if wanted.everything else every[:1]
            return tuple((one, compilers[one.command]) for one in chosen)
        if not wanted.everything:
            return (default_configuration(),)
        found = listed_configurations(wanted.reports, (), shortlist_only=False)[: wanted.best]
        compilers = compilers_of(found)
        return tuple((one, compilers[one.command]) for one in found)

    def _cross(self, target: Target) -> tuple[Pair, ...] | str:
        installed = look_for(target)
        if not installed.ok:
            return f"{installed.reason} ({installed.cure})"
        try:
            if not self.choice.everything:
                return (target_configuration(target),)
            return foreign_configurations(target)[: self.choice.best]
        except MachineError as error:
            return str(error)


def _fit(configuration: Configuration, package: Package, target: Target) -> Configuration:
    return fitted(configuration, package) if target.is_native else configuration

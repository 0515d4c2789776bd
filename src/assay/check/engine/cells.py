# SPDX-License-Identifier: MIT
"""Cells on their way through the engine: what a recipe became, and what is said of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.check.engine.examination import Examination
from assay.check.engine.workshop import Workshop
from assay.compile.harness import harness_hash
from assay.compile.recipe import Recipe
from assay.model import Build, CheckResult, PackageKind, Verdict
from assay.store import Store

OF_THE_SOURCE = ("forgeries/lengths", "forgeries/plaintext", "schemes/")
"""How the names of checks begin that a package's source decides, whatever compiles it."""


@dataclass(frozen=True, slots=True)
class Made:
    """A recipe and what it became."""

    recipe: Recipe
    build: Build

    @property
    def code(self) -> tuple[str, int, str | None]:
        """What is checked and measured once: machine code of a variant of a package."""
        return self.recipe.package.place, self.recipe.variant, self.build.object_hash


@dataclass(frozen=True, slots=True)
class Examined(Made):
    """A cell that was built and checked."""

    outcome: Examination


def passed(cells: Iterable[Examined], accept: tuple[str, ...] = ()) -> list[tuple[Made, ...]]:
    """Return the cells that passed, grouped by identical code, in their order.

    What fails only checks whose names begin with one of `accept` counts as passed.
    """
    groups: dict[tuple[str, int, str | None], list[Made]] = {}
    for one in cells:
        if one.outcome.accepted(accept):
            groups.setdefault(one.code, []).append(one)
    return [tuple(group) for group in groups.values()]


def skipped(cells: Iterable[Examined]) -> set[str]:
    """Name the places of packages that are not for this machine, or lack a library here.

    That does not depend on a configuration.
    """
    found = (one for one in cells if one.outcome.verdict is Verdict.SKIPPED)
    return {one.recipe.package.place for one in found}


def wrong(cells: Iterable[Examined], accept: tuple[str, ...] = ()) -> set[str]:
    """Name the places of packages whose source is wrong, whatever compiles it.

    Checks whose names begin with one of `accept` do not matter.
    """

    def is_wrong(check: CheckResult) -> bool:
        failed = check.verdict is Verdict.FAIL and check.check.startswith(OF_THE_SOURCE)
        return failed and not (accept and check.check.startswith(accept))

    return {one.recipe.package.place for one in cells if any(map(is_wrong, one.outcome.checks))}


def made_with(recipe: Recipe) -> str:
    """Name what else a build depends on: the harness and the compiler behind the name."""
    return f"{harness_hash()}-{recipe.compiler.identity[:12]}"


def known_build(store: Store, recipe: Recipe) -> Build | None:
    """Return the build of the store that still holds; one of other subroutines does not."""
    package, configuration = recipe.package, recipe.configuration
    harness, target = made_with(recipe), recipe.target
    build = store.build_for(package, configuration, harness, recipe.variant, target.name)
    return build if build is not None and _linked(recipe, build) else None


def _linked(recipe: Recipe, build: Build) -> bool:
    """Return whether a build would be linked with the same subroutines today."""
    from assay.compile.supercop.names import abi_of  # noqa: PLC0415 - when a store has builds
    from assay.compile.supercop.subroutines import linked, still_linked  # noqa: PLC0415

    if recipe.package.kind is not PackageKind.OPERATION:
        return linked(recipe.served.subroutines) == build.subroutines
    return still_linked(recipe.package, abi_of(recipe.configuration, recipe.target), build)


def same_jail(build: Build, workshop: Workshop) -> bool:
    """Return whether a stored build was made in the jail of today."""
    return build.jail == workshop.stage.jail.mode.value

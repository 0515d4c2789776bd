# SPDX-License-Identifier: MIT
"""Building and checking a round's cells, on all workers; what is stored is not done again."""

from dataclasses import dataclass
from functools import partial

from assay.check.engine.retry import built, examined
from assay.check.engine.workers import in_parallel
from assay.check.engine.workshop import Examination, Workshop
from assay.check.patience import is_final
from assay.compile.harness import harness_hash
from assay.compile.recipe import Recipe
from assay.compile.supercop.names import abi_of
from assay.compile.supercop.subroutines import still_linked
from assay.model import Build, Cell
from assay.model.progress import Progress
from assay.store import Store


@dataclass(frozen=True, slots=True)
class Made:
    """A recipe and what it became."""

    recipe: Recipe
    build: Build

    @property
    def code(self) -> tuple[str, int, str | None]:
        """What is checked and measured once: machine code of a variant of a package."""
        return self.recipe.package.place, self.recipe.variant, self.build.object_hash


def build_round(
    workshop: Workshop, store: Store, recipes: tuple[Recipe, ...], workers: int, progress: Progress
) -> list[Made]:
    """Build all cells of a round; valid builds in the store are taken from there."""
    made: list[Made] = []
    wanted: list[Recipe] = []
    for recipe in recipes:
        package, configuration = recipe.package, recipe.configuration
        harness = made_with(recipe)
        known = known_build(store, recipe)
        if known is not None and usable(known, workshop):
            made.append(Made(recipe, known))
            store.put_build(known, package, configuration, harness)
        else:
            wanted.append(recipe)
    progress.begin("building", len(wanted))
    for recipe, build in in_parallel(partial(built, workshop), wanted, workers):
        store.put_build(build, recipe.package, recipe.configuration, made_with(recipe))
        made.append(Made(recipe, build))
        progress.advance(f"{recipe.package.selector} {recipe.configuration.name}")
    return made


def made_with(recipe: Recipe) -> str:
    """Name what else a build depends on: the harness and the compiler behind the name."""
    return f"{harness_hash()}-{recipe.compiler.identity[:12]}"


def known_build(store: Store, recipe: Recipe) -> Build | None:
    """Return the build of the store that still holds; one of other subroutines does not."""
    package, configuration = recipe.package, recipe.configuration
    build = store.build_for(package, configuration, made_with(recipe), recipe.variant)
    if build is None or not still_linked(package, abi_of(configuration, recipe.target), build):
        return None
    return build


def usable(build: Build, workshop: Workshop) -> bool:
    """Whether a stored build can be taken: same jail, and its agent is still there."""
    if build.jail != workshop.stage.jail.mode.value:
        return False
    return not build.ok or (build.agent is not None and build.agent.is_file())


def check_round(
    workshop: Workshop, store: Store, made: list[Made], workers: int, progress: Progress
) -> list[tuple[Made, ...]]:
    """Check every distinct machine code of a round; return the cells of each that passed.

    The first configuration of an implementation is checked thoroughly, further
    ones with fewer inputs. Verdicts are stored for every cell with that code.
    """
    groups: dict[tuple[str, int, str | None], list[Made]] = {}
    for one in made:
        groups.setdefault(one.code, []).append(one)
    unknown = [group for group in groups.values() if not _is_known(store, group[0])]
    firsts = _thorough_ones(store, unknown)
    progress.begin("checking", len(unknown))

    def examine(group: list[Made]) -> Examination:
        one = group[0]
        thorough = one.build.cell in firsts
        return examined(workshop, one.recipe, one.build, thorough=thorough)

    for group, outcome in in_parallel(examine, unknown, workers):
        for one in group:
            store.put_checks(one.build.cell, outcome.checks)
            if outcome.subject is not None:
                store.put_subject(one.build.cell, outcome.subject)
        progress.advance(group[0].recipe.package.selector)
    return [tuple(group) for group in groups.values() if _passed(store, group)]


def _is_known(store: Store, one: Made) -> bool:
    """Whether there are verdicts; those of the same code in an earlier round are taken over."""
    cell = one.build.cell
    known = store.checks(cell)
    if known is not None:
        return is_final(known)
    twin = store.twin(cell)
    if twin is None or not is_final(store.checks(twin) or ()):
        return False
    _take_over(store, twin, cell)
    return True


def _take_over(store: Store, known: Cell, cell: Cell) -> None:
    """Give a cell the verdicts on the same code."""
    subject = store.subject(known)
    if subject is not None:
        store.put_subject(cell, subject)
    store.put_checks(cell, store.checks(known) or ())


def _thorough_ones(store: Store, groups: list[list[Made]]) -> set[Cell]:
    """Choose, for every variant of a package, the first code that builds here."""
    chosen: dict[tuple[str, int], Cell] = {}
    for group in groups:
        place, variant, code = group[0].code
        if code is not None and (place, variant) not in chosen:
            chosen[place, variant] = group[0].build.cell
    firsts = {group[0].build.cell: group[0].recipe for group in groups}
    return {
        cell
        for (_, variant), cell in chosen.items()
        if not store.was_checked(firsts[cell].package, variant)
        or not is_final(store.checks(cell) or ())
    }


def _passed(store: Store, group: list[Made]) -> bool:
    """Whether the code passed; a cell that joined later gets its twin's verdicts."""
    checks = store.checks(group[0].build.cell) or ()
    for one in group[1:]:
        if store.checks(one.build.cell) is None:
            _take_over(store, group[0].build.cell, one.build.cell)
    return Examination(None, checks).passed

# SPDX-License-Identifier: MIT
"""Building and checking together: as one cell is compiled, another one is checked.

Machine code that several cells share is checked once. What the store knows already is
not done again. Which cell is checked thoroughly, and which one for others with the same
code, is decided by their order, not by who is ready first.
"""

from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from assay.check.engine.cells import Made, known_build, made_with, usable
from assay.check.engine.retry import built, examined
from assay.check.engine.workers import expected, in_parallel
from assay.check.engine.workshop import Examination, Workshop
from assay.check.patience import is_final
from assay.compile.recipe import Recipe
from assay.model import Build
from assay.model.progress import Progress
from assay.store import Store

Code = tuple[str, int, str | None]


@dataclass(slots=True)
class Turn:
    """A recipe, its build and verdicts once they are there, and those of its package before it.

    `known` is a build that the store has without verdicts. `deep` asks what takes a minute, too.
    """

    recipe: Recipe
    before: "tuple[Turn, ...]"
    known: Build | None = None
    deep: bool = False
    built: "Future[Build]" = field(default_factory=Future)
    examined: "Future[Examination]" = field(default_factory=Future)

    def settle(self, build: Build, examination: Examination) -> None:
        """Know both already."""
        self.built.set_result(build)
        self.examined.set_result(examination)

    @property
    def settled(self) -> bool:
        """Whether both are known."""
        return self.examined.done()

    def work(self, workshop: Workshop) -> "Turn":
        """Build and examine; what others wait for is set, whatever happens."""
        try:
            build = self.known or built(workshop, self.recipe)
        except BaseException as error:
            self.built.set_exception(error)
            self.examined.set_exception(error)
            raise
        self.built.set_result(build)
        try:
            self.examined.set_result(self._verdicts(workshop, build))
        except BaseException as error:
            self.examined.set_exception(error)
            raise
        return self

    def _verdicts(self, workshop: Workshop, build: Build) -> Examination:
        """Examine the code, or wait for whoever does. Earlier turns never wait for later ones."""
        earlier = [(one, one.built.result()) for one in self.before] if build.ok else []
        twin = next((one for one, other in earlier if _same_code(other, build)), None)
        if twin is not None:
            return twin.examined.result()
        thorough = not any(other.ok for _, other in earlier)
        return examined(workshop, self.recipe, build, thorough=thorough, deep=self.deep)


def _same_code(one: Build, other: Build) -> bool:
    return one.ok and one.object_hash == other.object_hash


def try_cells(
    workshop: Workshop,
    store: Store,
    recipes: Iterable[Recipe],
    workers: int,
    progress: Progress,
    *,
    keep: bool = True,
    accept: tuple[str, ...] = (),
    deep: bool = False,
) -> list[tuple[Made, ...]]:
    """Build and check cells; give those that passed, grouped by identical code.

    The first configuration of each package that builds is checked thoroughly. The order
    of what is given is that of `recipes`, whatever was done first. Agents are kept for
    what comes next, unless `keep` is False. What fails only checks whose names begin with
    one of `accept` counts as passed here; its verdicts stay. A store is for `deep` trials or
    for others.
    """
    turns = _turns(workshop, store, recipes, keep=keep, deep=deep)
    wanted = [turn for turn in turns if not turn.settled]
    if keep:  # what goes on waits for all
        wanted.sort(key=lambda turn: expected(turn.recipe), reverse=True)
    progress.begin("building and checking", len(wanted))
    for turn, _ in in_parallel(lambda one: one.work(workshop), wanted, workers):
        recipe, build, outcome = turn.recipe, turn.built.result(), turn.examined.result()
        store.put_build(build, recipe.package, recipe.configuration, made_with(recipe))
        if outcome.subject is not None:
            store.put_subject(build.cell, outcome.subject)
        store.put_checks(build.cell, outcome.checks)
        if not keep:
            workshop.discard(build)
        progress.advance(f"{recipe.package.selector} {recipe.configuration.name}")
    return _grouped(
        Made(turn.recipe, turn.built.result())
        for turn in turns
        if turn.examined.result().accepted(accept)
    )


def _turns(
    workshop: Workshop, store: Store, recipes: Iterable[Recipe], *, keep: bool, deep: bool
) -> list[Turn]:
    """Make a turn for every recipe; what the store knows is settled."""
    turns: list[Turn] = []
    packages: defaultdict[tuple[str, int], list[Turn]] = defaultdict(list)
    for recipe in recipes:
        same = packages[recipe.package.place, recipe.variant]
        turn = Turn(recipe, tuple(same), deep=deep)
        same.append(turn)
        turns.append(turn)
        _recall(workshop, store, turn, keep=keep)
    return turns


def _recall(workshop: Workshop, store: Store, turn: Turn, *, keep: bool) -> None:
    """Take what the store has, as far as it can still be used."""
    recipe = turn.recipe
    harness = made_with(recipe)
    build = known_build(store, recipe)
    if build is None or (keep and not usable(build, workshop)):
        return
    store.put_build(build, recipe.package, recipe.configuration, harness)
    checks = store.checks(build.cell)
    if checks is not None and is_final(checks):
        turn.settle(build, Examination(store.subject(build.cell), checks))
    elif usable(build, workshop):
        turn.known = build


def _grouped(made: Iterable[Made]) -> list[tuple[Made, ...]]:
    """Group by identical code, in the order of the cells."""
    groups: dict[Code, list[Made]] = {}
    for one in made:
        groups.setdefault(one.code, []).append(one)
    return [tuple(group) for group in groups.values()]

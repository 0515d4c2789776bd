# SPDX-License-Identifier: MIT
"""Building and checking together: as one cell is compiled, another one is checked.

Machine code that several cells share is checked once. What the store knows already is
not done again.
"""

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from assay.build.recipe import Recipe
from assay.campaign.cells import Made, made_with, usable
from assay.campaign.progress import Progress
from assay.campaign.workshop import Examination, Workshop
from assay.execute.lock import machine_lock
from assay.model import Build, Cell, Verdict
from assay.store import Store

Code = tuple[str, int, str | None]


@dataclass(slots=True)
class Trials:
    """Builds and examines cells on several workers; one examination for each machine code."""

    workshop: Workshop
    thorough: frozenset[Cell]
    known: dict[Cell, Build]
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _examined: dict[Code, "Future[Examination]"] = field(default_factory=dict)

    def run(self, recipe: Recipe) -> tuple[Made, Examination]:
        """Build one cell and examine its code, or wait for whoever does."""
        build = self.known.get(recipe.cell) or self.workshop.build(recipe)
        made = Made(recipe, build)
        future: Future[Examination] = Future()
        with self._guard:
            first = self._examined.setdefault(made.code, future)
        if first is future:
            self._examine(made, future)
        return made, first.result()

    def _examine(self, made: Made, future: "Future[Examination]") -> None:
        thorough = made.build.cell in self.thorough
        try:
            future.set_result(self.workshop.examine(made.recipe, made.build, thorough=thorough))
        except BaseException as error:
            future.set_exception(error)
            raise


def try_cells(
    workshop: Workshop,
    store: Store,
    recipes: Iterable[Recipe],
    workers: int,
    progress: Progress,
    *,
    keep: bool = True,
) -> list[tuple[Made, ...]]:
    """Build and check cells; give those that passed, grouped by identical code.

    The first configuration of each package is checked thoroughly. The order of what is
    given is that of `recipes`, whatever was done first. Agents are kept for what comes
    next, unless `keep` is False.
    """
    wanted, done, known = _split(workshop, store, recipes, keep=keep)
    thorough = frozenset(_firsts(wanted))
    trials = Trials(workshop, thorough, known)
    progress.begin("building and checking", len(wanted))
    outcomes = list(done)
    for made, outcome in _in_parallel(trials, wanted, workers):
        recipe, cell = made.recipe, made.build.cell
        store.put_build(made.build, recipe.package, recipe.configuration, made_with(recipe))
        store.put_checks(cell, outcome.checks)
        if outcome.subject is not None:
            store.put_subject(cell, outcome.subject)
        if outcome.verdict is Verdict.PASS:
            outcomes.append(made)
        if not keep:
            workshop.discard(made.build)
        progress.advance(f"{recipe.package.selector} {recipe.configuration.tag}")
    return _grouped(outcomes, [recipe.cell for recipe in (*wanted, *(m.recipe for m in done))])


def _split(
    workshop: Workshop, store: Store, recipes: Iterable[Recipe], *, keep: bool
) -> tuple[list[Recipe], list[Made], dict[Cell, Build]]:
    """Tell what is still to do from what passed before, and give stored builds."""
    wanted: list[Recipe] = []
    done: list[Made] = []
    known: dict[Cell, Build] = {}
    for recipe in recipes:
        build = store.build_for(
            recipe.package, recipe.configuration, made_with(recipe), recipe.variant
        )
        if build is None or (keep and not usable(build, workshop)):
            wanted.append(recipe)
            continue
        store.put_build(build, recipe.package, recipe.configuration, made_with(recipe))
        checks = store.checks(build.cell)
        if checks is None:
            if usable(build, workshop):
                known[build.cell] = build
            wanted.append(recipe)
        elif Examination(None, checks).verdict is Verdict.PASS:
            done.append(Made(recipe, build))
    return wanted, done, known


def _firsts(recipes: Iterable[Recipe]) -> Iterator[Cell]:
    seen: set[str] = set()
    for recipe in recipes:
        if recipe.package.place not in seen:
            seen.add(recipe.package.place)
            yield recipe.cell


def _in_parallel(
    trials: Trials, recipes: list[Recipe], workers: int
) -> Iterator[tuple[Made, Examination]]:
    """Give results as they are done; an interrupt cancels the rest."""
    pool = ThreadPoolExecutor(workers)
    try:
        with machine_lock(exclusive=False):
            futures = [pool.submit(trials.run, recipe) for recipe in recipes]
            for future in as_completed(futures):
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _grouped(made: Iterable[Made], order: list[Cell]) -> list[tuple[Made, ...]]:
    """Group by identical code, in the order of the cells."""
    place = {cell: number for number, cell in enumerate(order)}
    groups: dict[Code, list[Made]] = {}
    for one in sorted(made, key=lambda each: place[each.build.cell]):
        groups.setdefault(one.code, []).append(one)
    return [tuple(group) for group in groups.values()]

# SPDX-License-Identifier: MIT
"""The one engine: as one cell is compiled, others are checked, and results come in order.

Machine code that several cells share is examined once. What the store knows is not done again,
so that the same call goes on where an earlier one was interrupted.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from assay.check.engine.cells import Examined, known_build, made_with, same_jail
from assay.check.engine.examination import Examination
from assay.check.engine.glance import asker, askers
from assay.check.engine.longest import LongestFirst, slow_first
from assay.check.engine.turns import Turn
from assay.check.engine.variants import InOrder, stopped
from assay.check.engine.wanted import Wanted
from assay.check.engine.workers import in_parallel
from assay.check.engine.workshop import Workshop
from assay.check.patience import is_final
from assay.compile.recipe import Recipe
from assay.errors import AssayError, PackageError
from assay.fence import ends_all
from assay.model import Build, Cell
from assay.model.portability import Portability
from assay.model.progress import Progress
from assay.store import Store
from assay.store.notes import Notes


@dataclass(frozen=True, slots=True)
class Engine:
    """What cells are built and examined with, where results are kept, and who is told."""

    workshop: Workshop
    store: Store
    workers: int
    progress: Progress

    def examine(self, recipes: Iterable[Recipe], wanted: Wanted) -> Iterator[Examined]:
        """Yield every cell, in the order of `recipes`, as soon as those before it are done.

        The first code of each variant of a package is examined thoroughly. A store is for
        examinations of one depth. Results are stored before they are yielded. The machine's
        lock is held, shared, while cells are worked on: measure after the last.
        """
        turns = self._lined_up(recipes, wanted)
        left = [turn for turn in turns if not turn.settled]
        self.progress.begin("building and checking", len(left))
        ordered = InOrder(turns)
        yield from self._shown(ordered, wanted)
        while left:  # twice if verdicts of the same code turned out to be unfinished
            work = partial(Turn.work, workshop=self.workshop, wanted=wanted)
            # what goes on waits for all where agents are kept
            waiting = LongestFirst(left) if wanted.keep else slow_first(left)
            for turn, _ in in_parallel(work, waiting, self.workers):
                with self._fenced(turn):
                    self._write(turn, wanted)
                yield from self._shown(ordered, wanted)
            left = [turn for turn in left if not turn.settled]

    def _shown(self, ordered: InOrder, wanted: Wanted) -> Iterator[Examined]:
        """Yield what is ready; a verdict that the other variants changed is stored, too."""
        for one in ordered.ready():
            with self._fenced():
                if stopped(one.build) and self.store.checks(one.build.cell) != one.outcome.checks:
                    self._put(one.recipe, one.build.cell, one.outcome, wanted)
            yield one

    @contextmanager
    def _fenced(self, turn: Turn | None = None) -> Iterator[None]:
        """Let what nobody expected while a cell is looked up or stored be its own failure.

        What the store cannot read is no package's. Without a turn it was stored before.
        """
        try:
            yield
        except Exception as error:
            damaged = isinstance(error, AssayError) and not isinstance(error, PackageError)
            if damaged or ends_all(error):
                raise
            if turn is not None:
                turn.failed(error).settled = True

    def _lined_up(self, recipes: Iterable[Recipe], wanted: Wanted) -> list[Turn]:
        """Make a turn for every recipe; what the store knows is settled."""
        turns: list[Turn] = []
        variants: defaultdict[tuple[str, int, str], list[Turn]] = defaultdict(list)
        for recipe in recipes:
            same = variants[recipe.package.place, recipe.variant, recipe.target.name]
            turn = Turn(recipe, tuple(same))
            same.append(turn)
            turns.append(turn)
            with self._fenced(turn):
                self._recall(turn, wanted)
        for same in variants.values():
            self._look_up(same, wanted)
        return turns

    def _recall(self, turn: Turn, wanted: Wanted) -> None:
        """Take what the store has of a cell, as far as it can still be used."""
        recipe = turn.recipe
        build = known_build(self.store, recipe)
        if build is None or not same_jail(build, self.workshop):
            return
        if wanted.keep and not self.workshop.keeps(build):
            return
        self.store.put_build(build, recipe.package, recipe.configuration, made_with(recipe))
        known = self._verdicts(recipe, build.cell, wanted)
        if known is not None:
            turn.settle(build, known)
        elif build.ok and self.workshop.keeps(build):  # Assay may build today what failed before
            turn.known = build

    def _look_up(self, turns: list[Turn], wanted: Wanted) -> None:
        """Let the turns of a variant know which of its codes have verdicts already."""
        if all(turn.settled for turn in turns) or not self.store.has_verdicts():
            return
        recipe = turns[0].recipe
        asked = {turn.recipe.configuration.name for turn in turns}
        where = (recipe.package, recipe.variant, recipe.target.name)
        known = askers(recipe.package.kind, wanted)
        found = [code for who in known for code in self.store.checked_codes(*where, who)]
        for turn in turns:
            turn.recorded = frozenset((code, harness) for _, code, harness in found)
            turn.brief = any(name not in asked for name, _, _ in found)

    def _write(self, turn: Turn, wanted: Wanted) -> None:
        """Keep what came of a turn; settle it if the store has the verdicts on its code."""
        recipe, build = turn.recipe, turn.built.result()
        self.store.put_build(build, recipe.package, recipe.configuration, made_with(recipe))
        if not turn.examined.done():
            self._take_over(turn, build, wanted)
        if not turn.examined.done():
            return
        self._put(recipe, build.cell, turn.examined.result(), wanted)
        turn.settled = True
        if not wanted.keep:
            self.workshop.discard(build)
        self.progress.advance(f"{recipe.package.selector} {recipe.configuration.name}")

    def _take_over(self, turn: Turn, build: Build, wanted: Wanted) -> None:
        """Settle a turn with verdicts on the same code; without them it is examined after all."""
        twins = (
            self.store.twin(build.cell, who) for who in askers(turn.recipe.package.kind, wanted)
        )
        twin = next((one for one in twins if one is not None), None)
        known = self._verdicts(turn.recipe, twin, wanted) if twin is not None else None
        if known is not None:
            turn.settle(build, known)
        turn.recorded = frozenset()

    def _verdicts(self, recipe: Recipe, cell: Cell, wanted: Wanted) -> Examination | None:
        """Return the verdicts on a cell if the same would be asked, and answered, again."""
        known = self.store.verdicts(cell)
        if known is None or known.asked_by not in askers(recipe.package.kind, wanted):
            return None
        if not is_final(known.checks):
            return None
        key = self.store.key(cell) if wanted.portability else None
        seen = Notes(self.store).get(key, Portability) if key else None
        return Examination(self.store.subject(cell), known.checks, seen, known.seconds)

    def _put(self, recipe: Recipe, cell: Cell, outcome: Examination, wanted: Wanted) -> None:
        if outcome.subject is not None:
            self.store.put_subject(cell, outcome.subject)
        who = asker(recipe.package.kind, wanted)
        self.store.put_checks(cell, outcome.checks, who, outcome.seconds)
        key = self.store.key(cell)
        if key is not None and outcome.portability is not None:
            Notes(self.store).put(key, outcome.portability)

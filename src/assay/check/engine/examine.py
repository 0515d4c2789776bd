# SPDX-License-Identifier: MIT
"""The one engine: as one cell is compiled, others are checked, and results come in order.

Machine code that several cells share is examined once. What the store knows is not done again,
so that the same call goes on where an earlier one was interrupted. A thread waits now and then,
for a process to start or an agent to answer, so there are more threads than processors.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from assay.check.check import is_final
from assay.check.engine.ask import HelperQuestions
from assay.check.engine.build import Company, nobody
from assay.check.engine.cells import (
    CheckedCell,
    Examination,
    asker,
    askers,
    known_build,
    made_with,
    same_jail,
)
from assay.check.engine.order import InOrder, Turn, longest_first, slow_first, stopped
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop, open_workshop
from assay.compile.recipe import Recipe
from assay.errors import AssayError, PackageError
from assay.execute.jail import Jail
from assay.execute.lock import machine_lock, sharing
from assay.fence import ends_all
from assay.machine.helper import SecondProcess, helping
from assay.machine.threads import Threads, ending_threads
from assay.model import Build, Cell, CheckResult, PackageKind
from assay.model.notes import Portability
from assay.model.progress import Progress
from assay.store import Store
from assay.store.rows import Notes

ItemT = TypeVar("ItemT")
DoneT = TypeVar("DoneT")

SWITCH_SECONDS = 0.002  # Python's own is 5 ms; a waiting thread wakes as often, which costs, too


def threads(workers: int) -> int:
    """Return how many threads keep so many processors busy: one works on its own as before."""
    return workers + workers // 2


@contextmanager
def quick_switches() -> Iterator[None]:
    """Let threads take turns more often, for a while."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_parallel(
    work: Callable[[ItemT], DoneT], items: Iterable[ItemT], workers: int
) -> Generator[tuple[ItemT, DoneT]]:
    """Work on all items, giving each as it is done; an interrupt ends the rest.

    An item is asked for when it can begin.

    Nobody measures while an item is worked on: `work` must not want the machine for itself.
    Whoever may leave before the last item closes the generator, which ends the threads.
    """
    waiting = iter(items)
    pool = Threads(threads(workers))
    try:
        item = next(waiting, None)
        if item is not None:
            with machine_lock(exclusive=False):  # the first wait, which an interrupt ends at once
                pass
            with quick_switches():
                yield from _each(pool, sharing(work), chain([item], waiting), threads(workers))
    finally:
        with ending_threads():
            pool.shutdown(cancel_futures=True)


def _each(
    pool: Threads, work: Callable[[ItemT], DoneT], waiting: Iterator[ItemT], most: int
) -> Generator[tuple[ItemT, DoneT]]:
    running: dict[Future[DoneT], ItemT] = {}
    item = next(waiting, None)
    while item is not None or running:
        while item is not None and len(running) <= most:
            running[pool.submit(work, item)] = item
            item = next(waiting, None)
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.result()


class Engine(Struct, frozen=True):
    """What cells are built and examined with, where results are kept, and who is told."""

    workshop: Workshop
    store: Store
    workers: int
    progress: Progress

    def examine(self, recipes: Iterable[Recipe], wanted: Wanted) -> Iterator[CheckedCell]:
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
            waiting = longest_first(left) if wanted.keep else slow_first(left)
            for turn, _ in in_parallel(work, waiting, self.workers):
                with self._fenced(turn):
                    self._write(turn, wanted)
                yield from self._shown(ordered, wanted)
            left = [turn for turn in left if not turn.settled]

    def _shown(self, ordered: InOrder, wanted: Wanted) -> Iterator[CheckedCell]:
        """Yield what is ready; a verdict that the other variants changed is stored, too."""
        for one in ordered.ready():
            with self._fenced():
                if stopped(one.build) and self.store.checks(one.build.cell) != one.checks:
                    self._put(one.recipe, one.build.cell, one, wanted)
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
        subject, seconds = self.store.subject(cell), known.seconds
        return Examination(subject, known.checks, portability=seen, seconds=seconds)

    def _put(self, recipe: Recipe, cell: Cell, outcome: Examination, wanted: Wanted) -> None:
        if outcome.subject is not None:
            self.store.put_subject(cell, outcome.subject)
        who = asker(recipe.package.kind, wanted)
        self.store.put_checks(cell, outcome.checks, who, outcome.seconds)
        key = self.store.key(cell)
        if key is not None and outcome.portability is not None:
            Notes(self.store).put(key, outcome.portability)


AGENTS = Path(".assay") / "agents"
MOST = 4  # helpers; as many as processors, since some always wait for a process to start


@contextmanager
def open_engine(
    jail: Jail,
    folder: Path,
    progress: Progress,
    *,
    only: PackageKind | None = None,
    lasting: bool = True,
    tell: Callable[[CheckResult], None] = nobody,
) -> Iterator[Engine]:
    """Open an engine for checking alone: results are in `folder`, and agents are thrown away.

    If a package of the kind `only` is all that comes, several processes share its checks. Who is
    to `tell` hears of each verdict at once. Results that are not `lasting` go with the command.
    """
    processors = max(1, os.cpu_count() or 1)
    with (
        Store.create(folder, lasting=lasting) as store,
        open_workshop(jail, folder / AGENTS, reuse=True) as workshop,
        _helping(workshop, only) as helpers,
    ):
        workshop.company = Company(helpers, tell)
        yield Engine(workshop, store, processors, progress)


def _helping(
    workshop: Workshop, kind: PackageKind | None
) -> AbstractContextManager[tuple[SecondProcess, ...]]:
    """Lend further processes; none if none is wanted, or there is one processor."""
    processors = os.cpu_count() or 1
    if kind is None or processors == 1:
        return nullcontext(())
    return helping(HelperQuestions(workshop, kind), min(processors, MOST))

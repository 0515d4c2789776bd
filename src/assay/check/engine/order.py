# SPDX-License-Identifier: MIT
"""The turns of cells: in which order they begin and end, and which waits for which.

Each is built and examined, or waits for the turn that has its code. Which cell is examined
thoroughly, and which one for others with the same code, is decided by the order of the turns,
not by which is ready first.
"""

import dataclasses
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.check import unexpected
from assay.check.engine.cells import COMPILES, CheckedCell, Examination, asked_by, made_with
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop, built, examined
from assay.check.kinds import kind_named
from assay.compile.reasons import STOPS
from assay.compile.recipe import Recipe
from assay.execute.lock import stand_aside, waiting
from assay.fence import ends_all
from assay.model import Build, BuildStage, CheckResult, Package, PackageKind, Verdict
from assay.model.operation import Op

# Their functions take a thousand times as long as those of others, for no more code.
SLOW = (Op.SIGN, Op.KEM, Op.ENCRYPT, Op.DH, Op.SCALARMULT)
Coded = frozenset[tuple[str, str]]  # object codes, each with what else went into its agent


class Turn(Struct):
    """A recipe, its build and verdicts once they are there, and those of its package before it.

    `known` is a build that the store has without verdicts. `recorded` are the codes of this
    variant on which the store has verdicts: whoever looks after the store settles a turn that
    turns out to be one of them. `brief` is whether a cell that is not asked for now was
    examined before, so that none of these need be examined thoroughly. `seconds` is how long
    its code was examined now, and `settled` whether the store has what came of it.
    """

    recipe: Recipe
    before: "tuple[Turn, ...]" = ()
    known: Build | None = None
    recorded: Coded = frozenset()
    brief: bool = False
    built: "Future[Build]" = field(default_factory=Future)
    examined: "Future[Examination]" = field(default_factory=Future)
    seconds: float | None = None
    settled: bool = False

    @property
    def result(self) -> CheckedCell:
        """Return what came of the cell; what went wrong is raised."""
        return CheckedCell.of(self.recipe, self.built.result(), self.examined.result())

    def settle(self, build: Build, outcome: Examination) -> None:
        """Know both from the store."""
        if not self.built.done():
            self.built.set_result(build)
        self.examined.set_result(outcome)
        self.settled = True

    def work(self, workshop: Workshop, wanted: Wanted) -> "Turn":
        """Build and examine; what others wait for is set, whatever happens."""
        there, began = workshop.on(self.recipe.target), time.monotonic()
        try:
            if not self.built.done():
                Thread(target=_prepare, args=(self.recipe.package.kind,), daemon=True).start()
                self.built.set_result(self.known or built(there, self.recipe))
            build, building = self.built.result(), time.monotonic() - began
            stand_aside()
            if (build.object_hash, made_with(self.recipe)) in self.recorded:
                return self
            found = self._verdicts(there, build, wanted)
            took = building + (self.seconds or 0.0)  # of its own: not what it waited for
            self.examined.set_result(dataclasses.replace(found, seconds=round(took, 2)))
        except BaseException as error:
            if not ends_all(error):
                return self.failed(error)
            for each in (self.built, self.examined):
                if not each.done():
                    each.set_exception(error)
            raise
        return self

    def failed(self, error: BaseException) -> "Turn":
        """Let what nobody expected be this package's failure, whatever came of it before."""
        check = unexpected(error)
        if self.examined.done():
            self.examined = Future()
        if not self.built.done():
            stopped = Build(self.recipe.cell, BuildStage.COMPILE, None, None, "", "", "", 0.0)
            self.built.set_result(replace(stopped, reason=check.reason, cure=check.cure))
        self.examined.set_result(Examination(None, (check,), seconds=self.seconds))
        return self

    def _verdicts(self, workshop: Workshop, build: Build, wanted: Wanted) -> Examination:
        """Examine the code, or wait for the earlier turn that does."""
        with waiting():
            earlier = [(one, one.built.result()) for one in self.before] if build.ok else []
            code = build.object_hash
            same = (one for one, other in earlier if other.ok and other.object_hash == code)
            twin = next(same, None)
            if twin is not None:
                return twin.examined.result()
        first = not self.brief and not any(other.ok for _, other in earlier)
        extent = wanted.extent_on(self.recipe.target, first=first)
        began = time.monotonic()
        found = examined(workshop, self.recipe, build, wanted, extent)
        self.seconds = time.monotonic() - began
        return found


def _prepare(kind: PackageKind) -> None:
    """Learn what will be asked of a kind, and by whom, while the compiler is waited for."""
    kind_named(kind)
    asked_by(kind)


Siblings = tuple[str, str, str]  # of all variants: place, configuration and target


class InOrder:
    """Lets results go in the order of the turns.

    A variant that stops with #error is skipped if another variant of its package builds with
    the same configuration on the same target, and fails otherwise; so it waits for the others.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Take all turns, in their order."""
        self._left = deque(turns)
        self._siblings: defaultdict[Siblings, list[Turn]] = defaultdict(list)
        for turn in turns:
            self._siblings[_siblings(turn)].append(turn)

    def ready(self) -> Iterator[CheckedCell]:
        """Yield what nothing before has to be waited for."""
        while self._left and self._is_ready(self._left[0]):
            yield self._result(self._left.popleft())

    def _is_ready(self, turn: Turn) -> bool:
        if not turn.settled or not stopped(turn.result.build):
            return turn.settled
        return all(one.settled for one in self._siblings[_siblings(turn)])

    def _result(self, turn: Turn) -> CheckedCell:
        found = turn.result
        if not stopped(found.build):
            return found
        if not all(stopped(one.result.build) for one in self._siblings[_siblings(turn)]):
            return found
        checks = tuple(map(_fail, found.checks))
        return dataclasses.replace(found, checks=checks, portability=None, seconds=None)


def stopped(build: Build) -> bool:
    """Return whether the code of a variant stops with #error."""
    return build.stage is BuildStage.SKIPPED and build.reason.startswith(STOPS)


def _siblings(turn: Turn) -> Siblings:
    recipe = turn.recipe
    return recipe.package.place, recipe.configuration.name, recipe.target.name


def _fail(skipped: CheckResult) -> CheckResult:
    return CheckResult(COMPILES, Verdict.FAIL, skipped.reason, skipped.cure, skipped.evidence)


Key = tuple[str, int, str]


def longest_first(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield each turn when it is asked for, where all are waited for: what takes longest first.

    How long code takes its size does not tell: a reference implementation may be short and slow.
    So the first turn of each variant of a package begins before all others, and what it took is
    what is expected of the others. They keep their order.
    """
    groups: dict[Key, deque[Turn]] = {}
    for turn in turns:
        groups.setdefault(_key(turn), deque()).append(turn)
    guessed = {key: expected(group[0].recipe) for key, group in groups.items()}
    took: dict[Key, float] = {}
    running: list[Turn] = []

    def begun(key: Key) -> Turn:
        running.append(groups[key].popleft())
        if not groups[key]:
            del groups[key]
        return running[-1]

    for key in sorted(groups, key=guessed.__getitem__, reverse=True):
        yield begun(key)
    while groups:
        for turn in [one for one in running if one.built.done() and one.examined.done()]:
            running.remove(turn)
            if turn.seconds is not None:
                took.setdefault(_key(turn), turn.seconds)
        yield begun(max(groups, key=lambda key: (key in took, took.get(key, 0.0), guessed[key])))


def expected(recipe: Recipe) -> tuple[bool, int]:
    """Return what a cell is expected to take, in no unit: more is longer."""
    package = recipe.package
    return is_slow(package), sum(_bytes(package, source) for source in package.sources)


def is_slow(package: Package) -> bool:
    """Return whether it is of an operation that is slow whoever implements it."""
    return package.family in SLOW


def _bytes(package: Package, source: str) -> int:
    """Return the size of a source; what cannot be read takes no time."""
    with suppress(OSError):
        return (package.root / source).stat().st_size
    return 0


def slow_first(turns: Iterable[Turn]) -> list[Turn]:
    """Begin with operations that are slow, so that no processor waits for one in the end.

    All else stays in its order: implementations of a primitive share what checksums are made of.
    """
    return sorted(turns, key=lambda turn: not is_slow(turn.recipe.package))


def _key(turn: Turn) -> Key:
    recipe = turn.recipe
    return recipe.package.place, recipe.variant, recipe.target.name

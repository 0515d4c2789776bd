# SPDX-License-Identifier: MIT
"""The turns of cells: in which order they begin and end, and which waits for which.

Each is built and examined, or waits for the turn that has its code. Which cell is examined
thoroughly, and which one for others with the same code, is decided by the order of the turns,
not by which is ready first.
"""

import heapq
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum
from threading import Thread

from assay.check.check import unexpected
from assay.check.engine.cells import COMPILES, CheckedCell, Examination, asked_by, made_with
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop, built, examined
from assay.check.kinds import kind_named
from assay.compile.reasons import STOPS
from assay.compile.recipe import Recipe
from assay.execute.lock import stand_aside, waiting
from assay.fence import ends_all
from assay.model import (
    Build,
    BuildStage,
    CheckResult,
    Package,
    PackageKind,
    Verdict,
)
from assay.model.operation import Op

# Their functions take a thousand times as long as those of others, for no more code.
SLOW = (Op.SIGN, Op.KEM, Op.ENCRYPT, Op.DH, Op.SCALARMULT)
Coded = frozenset[tuple[str, str]]  # object codes, each with what else went into its agent


@dataclass(slots=True)
class Turn:
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
            self.examined.set_result(replace(found, seconds=round(took, 2)))
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
            twin = next((one for one, other in earlier if _same_code(other, build)), None)
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


def _same_code(one: Build, other: Build) -> bool:
    return one.ok and one.object_hash == other.object_hash


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
        return replace(found, checks=checks, portability=None, seconds=None)


def stopped(build: Build) -> bool:
    """Return whether the code of a variant stops with #error."""
    return build.stage is BuildStage.SKIPPED and build.reason.startswith(STOPS)


def _siblings(turn: Turn) -> Siblings:
    recipe = turn.recipe
    return recipe.package.place, recipe.configuration.name, recipe.target.name


def _fail(skipped: CheckResult) -> CheckResult:
    return CheckResult(COMPILES, Verdict.FAIL, skipped.reason, skipped.cure, skipped.evidence)


Key = tuple[str, int, str]
Entry = tuple[int, float, int, int, "_Group"]


class Urgency(IntEnum):
    """What begins before what. Turns behind one that is not done may have to wait for it."""

    FIRST = 0
    TIMED = 1
    UNKNOWN = 2


@dataclass(slots=True)
class _Group:
    """The turns of a variant of a package on a target that wait."""

    turns: deque[Turn] = field(default_factory=deque)
    seconds: float | None = None
    begun: bool = False
    version: int = 0

    def __lt__(self, _: object) -> bool:
        """Be no reason for an order."""
        return False

    def rank(self) -> tuple[int, float]:
        """Return the rank of the next turn, and how early it begins among equals."""
        if self.seconds is not None:
            return Urgency.TIMED, -self.seconds
        slow, size = expected(self.turns[0].recipe)
        return Urgency.UNKNOWN if self.begun else Urgency.FIRST, -size - slow * float(1 << 50)


class LongestFirst:
    """A queue of turns, for where all are waited for: what takes longest begins first.

    How long code takes its size does not tell: a reference implementation may be short and slow.
    So the first turn of each variant of a package begins before all others, and what it took is
    what is expected of the others. They keep their order.
    """

    def __init__(self, turns: Iterable[Turn]) -> None:
        """Take all turns."""
        self._groups: dict[Key, _Group] = {}
        self._heap: list[Entry] = []
        self._running: list[Turn] = []
        for turn in turns:
            self._groups.setdefault(_key(turn), _Group()).turns.append(turn)
        for group in self._groups.values():
            self._push(group)

    def __iter__(self) -> Iterator[Turn]:
        """Yield each turn when it is asked for."""
        while self._heap:
            self._learn()
            *_, version, group = heapq.heappop(self._heap)
            if version != group.version:
                continue
            turn = group.turns.popleft()
            group.begun = True
            self._running.append(turn)
            self._push(group)
            yield turn

    def _learn(self) -> None:
        """Look at what is done by now."""
        for turn in [one for one in self._running if one.built.done() and one.examined.done()]:
            self._running.remove(turn)
            group = self._groups[_key(turn)]
            if group.seconds is None and turn.seconds is not None:
                group.seconds = turn.seconds
                self._push(group)

    def _push(self, group: _Group) -> None:
        group.version += 1
        if group.turns:
            entry = (*group.rank(), len(self._heap), group.version, group)
            heapq.heappush(self._heap, entry)


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

# SPDX-License-Identifier: MIT
"""Which turn begins next where all are waited for: what takes longest begins first.

How long code takes its size does not tell: a reference implementation may be short and slow.
So the first turn of each variant of a package begins before all others, and what it took is
what is expected of the others. They keep their order.
"""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from assay.check.engine.turns import Turn
from assay.check.engine.workers import expected, is_slow

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
    """A queue of turns."""

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


def slow_first(turns: Iterable[Turn]) -> list[Turn]:
    """Begin with operations that are slow, so that no processor waits for one in the end.

    All else stays in its order: implementations of a primitive share what checksums are made of.
    """
    return sorted(turns, key=lambda turn: not is_slow(turn.recipe.package))


def _key(turn: Turn) -> Key:
    recipe = turn.recipe
    return recipe.package.place, recipe.variant, recipe.target.name

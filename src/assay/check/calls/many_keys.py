# SPDX-License-Identifier: MIT
"""A message in one call and in two under many random keys, drawn and compared in the agent."""

import time
from dataclasses import dataclass

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import CheckFailed
from assay.check.evidence import judge
from assay.check.rounds import FIRST_ROUNDS, digest, drawn, first_that_differs, next_rounds
from assay.check.routine import Routine
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import MOST_PARTS

COMPLAINT = "{} gives another result in one call than in two"
Pair = tuple[Routine, Routine]


@dataclass(frozen=True, slots=True)
class ManyKeys:
    """Two routines that must have the same outputs, each in an arena of the same agent."""

    arenas: tuple[Arena, Arena]
    pair: Pair
    budget: Budget

    def compare(self, seed: int, most: int) -> None:
        """Draw up to `most` keys from a seed on; CheckFailed shows the first that differs."""
        self._perform(self.pair)
        done, rounds = 0, FIRST_ROUNDS
        while done < most and not self.budget.over:
            rounds, began = min(rounds, most - done), time.monotonic()
            try:
                with self.budget.spending(self.arenas[0].session.agent):
                    differs = self._differ(seed, rounds)
            except AgentRefusal:
                break  # an agent that cannot
            if differs:
                self._show(seed, rounds)
            done, seed = done + rounds, seed + rounds * MOST_PARTS
            rounds = next_rounds(rounds, time.monotonic() - began)
        self.budget.asked += done
        self.budget.left_out += most - done

    @property
    def _key(self) -> str:
        return self.pair[0].inputs[0]

    def _differ(self, seed: int, rounds: int) -> bool:
        first, second = (
            digest(arena, one, [self._key], seed, rounds)
            for arena, one in zip(self.arenas, self.pair, strict=True)
        )
        return first != second

    def _show(self, seed: int, rounds: int) -> None:
        """Raise CheckFailed with the key of the first round that differs."""
        number = first_that_differs(lambda up_to: self._differ(seed, up_to), rounds)
        size = self.pair[0].variables[self._key].size
        key = drawn(seed + number * MOST_PARTS, 0, size)
        first, second = (one.given(self._key, key) for one in self.pair)
        self._perform((first, second))
        raise CheckFailed(
            f"{COMPLAINT.format(first.name)} after {number} others with other keys, and the "
            "same by itself"
        )

    def _perform(self, pair: Pair) -> None:
        """Perform both once; CheckFailed if they differ."""
        whole, cut = (arena.outcome(one) for arena, one in zip(self.arenas, pair, strict=True))
        judge(self.arenas[0], pair[0], COMPLAINT.format(pair[0].name), cut, whole)

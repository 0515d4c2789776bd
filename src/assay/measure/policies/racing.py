# SPDX-License-Identifier: MIT
"""Who drops out of a race: successive halving, with a test for who is clearly slower.

The scheme is that of Karnin, Koren and Somekh, "Almost Optimal Exploration in
Multi-Armed Bandits" (ICML 2013): in each round everybody left is launched, and the better
half stays. In front of it stands a test, as in Maron and Moore, "The Racing Algorithm:
Model Selection for Lazy Learners" (Artificial Intelligence Review 11, 1997): who is
slower than the best by more than chance explains goes at once.

A value is the logarithm of the median of a launch, in cycles if they are known. Launches of
one code scatter; the scatter is pooled over all codes in the race, since each has few.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

KeyT = TypeVar("KeyT")

FINALISTS = 1  # so many are measured in full
ENOUGH = 5  # launches of each before one of two goes that is not clearly slower
FIRST_MARGIN = 0.25  # in the first round, when one launch each says nothing about scatter
LEAST_SCATTER = 0.001  # launches that agree better than this do so by chance
CONFIDENCE = 0.95  # of all that a round says at once
MEDIAN_FACTOR = math.sqrt(math.pi / 2)  # a median of normal values scatters more than a mean

# The values of one code, for each criterion (a size) one per launch.
Values = Sequence[Sequence[float]]


class Fall(Struct, frozen=True):
    """A code that drops out: by how much it is slower at least, and than which."""

    percent: float
    against: int


def falling(race: Sequence[Values]) -> dict[int, Fall]:
    """Name those that drop out now, by their number in `race`.

    All have values for the same criteria and as many launches or more as the round has.
    Nobody drops out who could be the best for one criterion. At most FINALISTS stay where
    ENOUGH launches tell no more.
    """
    if len(race) <= 1:
        return {}
    logs = [[[math.log(value) for value in side] for side in values] for values in race]
    leaders = [_leader(logs, number) for number in range(len(logs[0]))]
    reach = _reach(logs, leaders)
    gaps = [_gap(values, logs, leaders, reach) for values in logs]
    fallen = {
        number: Fall(100.0 * math.expm1(least), against)
        for number, (least, _, against) in enumerate(gaps)
        if least > 0.0
    }
    staying = sorted(
        (number for number in range(len(race)) if number not in fallen),
        key=lambda number: gaps[number][1],
    )
    if reach.scatter is not None:
        last = FINALISTS if fewest(race) >= ENOUGH else FINALISTS + 1
        most = max(last, math.ceil(len(race) / 2), len(set(leaders)))
        for number in staying[most:]:
            fallen[number] = Fall(0.0, gaps[number][2])
    return fallen


def fewest(race: Iterable[Values]) -> int:
    """Return how many launches each code has at least."""
    return min((len(side) for values in race for side in values), default=0)


class _Reach(Struct, frozen=True):
    """How far chance reaches: `scatter` of launches (None: unknown) and a quantile of t."""

    scatter: float | None
    quantile: float

    def between(self, first: int, second: int) -> float:
        """Return the largest difference that chance explains, for so many launches."""
        if self.scatter is None:
            return math.log1p(FIRST_MARGIN)
        spread = self.scatter * MEDIAN_FACTOR * math.sqrt(1 / first + 1 / second)
        return self.quantile * spread


def _reach(logs: Sequence[Values], leaders: Sequence[int]) -> _Reach:
    """Pool the scatter over all codes and criteria; the round speaks about all at once."""
    sides = [side for values in logs for side in values if len(side) > 1]
    # Sizes of one launch share its luck, so they add no degree of freedom.
    freedom = sum(len(side) - 1 for side in sides) // len(leaders)
    if not freedom:
        return _Reach(None, 0.0)
    from scipy.special import stdtrit  # noqa: PLC0415 - takes a while; scipy.stats takes a second

    squares = sum((len(side) - 1) * statistics.variance(side) for side in sides)
    scatter = math.sqrt(squares / sum(len(side) - 1 for side in sides))
    # The leader was chosen by its values, so that every pair counts (Bonferroni).
    pairs = len(logs) * (len(logs) - 1)
    quantile = float(stdtrit(freedom, 1.0 - (1.0 - CONFIDENCE) / pairs))
    return _Reach(max(scatter, LEAST_SCATTER), quantile)


def _leader(logs: Sequence[Values], criterion: int) -> int:
    return min(range(len(logs)), key=lambda number: statistics.median(logs[number][criterion]))


def _gap(
    values: Values, logs: Sequence[Values], leaders: Sequence[int], reach: _Reach
) -> tuple[float, float, int]:
    """Return how much slower it is at least, how much it seems to be, and than whom.

    Counted is the criterion at which it is nearest to the leader.
    """
    found = []
    for criterion, leader in enumerate(leaders):
        best, own = logs[leader][criterion], values[criterion]
        seems = statistics.median(own) - statistics.median(best)
        found.append((seems - reach.between(len(own), len(best)), seems, leader))
    return min(found)


def survivors(race: Mapping[KeyT, Values]) -> tuple[list[KeyT], dict[KeyT, tuple[float, KeyT]]]:
    """Split a race into those that stay, and those that go with (percent, leader)."""
    keys = list(race)
    fallen = falling([race[key] for key in keys])
    gone = {keys[number]: (fall.percent, keys[fall.against]) for number, fall in fallen.items()}
    return [key for key in keys if key not in gone], gone

# SPDX-License-Identifier: MIT
"""Places in a table: ranks that are not separated share one.

All pairs of a table are compared by the Mann-Whitney test (`stats.rank_sum`), and the false
discovery rate over all of them is held (`stats.rank_sum`; for pairwise comparisons
Yekutieli, "Comments on: Control of the False Discovery Rate under Dependence", Test 17,
2008). A place begins after those that were seen to be faster and ends before those that
were seen to be slower, as in Al Mohamad, Goeman and van Zwet, "Simultaneous Confidence
Intervals for Ranks with Application to Ranking Institutions", Biometrics 78 (2022).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from msgspec import Struct

from assay.stats.rank_sum import adjusted_p, p_value, smallest_p, tends_smaller

FALSE_DISCOVERIES = 0.05


class Place(Struct, frozen=True):
    """From `first` to `last`, both counted from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        """Write `2`, or `1-3`."""
        return f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"


def places(
    sides: Sequence[Sequence[float]], rate: float = FALSE_DISCOVERIES
) -> tuple[Place | None, ...]:
    """Return the place of each side, a value per launch, the least being the best.

    Sides whose launches are too few to be told from any other have no place, and are not
    counted: places are those among the others. Too few they are where the smallest p that
    they allow stays above the level that the table's other comparisons leave.
    """
    most = max(map(len, sides), default=0)
    able = tuple(n for n, one in enumerate(sides) if smallest_p(len(one), most) <= rate)
    while True:
        ordered = tuple(tuple(sorted(sides[number])) for number in able)
        found, rejected = _places(ordered, rate)
        kept = _able(ordered, rejected, rate)
        if all(kept):
            known = dict(zip(able, found, strict=True))
            return tuple(known.get(number) for number in range(len(sides)))
        able = tuple(number for number, keep in zip(able, kept, strict=True) if keep)


def _able(sides: Sequence[tuple[float, ...]], rejected: int, rate: float) -> tuple[bool, ...]:
    """Return which sides could be told from another, were their launches as clear as can be.

    The level is that of Benjamini and Hochberg with all of a side's own pairs rejected besides
    the `rejected` ones.
    """
    others = len(sides) - 1
    pairs = max(1, len(sides) * others // 2)
    level = rate * min(pairs, rejected + max(1, others)) / pairs
    most = max(map(len, sides), default=0)
    return tuple(smallest_p(len(one), most) <= level for one in sides)


def exact_places(spans: Sequence[tuple[float, float]]) -> tuple[Place, ...]:
    """Return places by counts, each with the quartiles of what its inputs make of it.

    Those share a place whose quartiles meet; of most code both are the count.
    """
    return tuple(
        Place(
            1 + sum(other_high < low for _, other_high in spans),
            sum(other_low <= high for other_low, _ in spans),
        )
        for low, high in spans
    )


@lru_cache(maxsize=64)
def _places(sides: tuple[tuple[float, ...], ...], rate: float) -> tuple[tuple[Place, ...], int]:
    """Return each side's place by those separated from it, and how many pairs are."""
    distinct = {side: number for number, side in enumerate(dict.fromkeys(sides))}
    numbers = [distinct[side] for side in sides]
    times = [numbers.count(number) for number in range(len(distinct))]
    faster, slower = [0] * len(distinct), [0] * len(distinct)
    rejected = 0
    for better, worse in _separated(tuple(distinct), times, rate):
        faster[worse] += times[better]
        slower[better] += times[worse]
        rejected += times[better] * times[worse]
    found = (Place(1 + faster[number], len(sides) - slower[number]) for number in numbers)
    return tuple(found), rejected


def _separated(
    sides: Sequence[tuple[float, ...]], times: Sequence[int], rate: float
) -> Iterator[tuple[int, int]]:
    """Yield the pairs (better, worse) that are separated.

    Sides with the same launches are one machine code: their pairs count in the table,
    and are never separated.
    """
    pairs = list(combinations(range(len(sides)), 2))
    rows = sum(times)
    adjusted = adjusted_p(
        [p_value(sides[one], sides[other]) for one, other in pairs],
        [times[one] * times[other] for one, other in pairs],
        rows * (rows - 1) // 2,
    )
    for p, (one, other) in zip(adjusted, pairs, strict=True):
        if p <= rate:
            better = tends_smaller(sides[one], sides[other])
            yield (one, other) if better else (other, one)

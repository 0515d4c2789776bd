# SPDX-License-Identifier: MIT
"""The exact distribution of the Mann-Whitney statistic, and what follows from it.

U is the number of pairs in which the value of the first sample is the smaller one.
Where both samples come from one distribution every order of the n + m values is equally
probable: Mann and Whitney, "On a Test of Whether one of Two Random Variables is
Stochastically Larger than the Other", Annals of Mathematical Statistics 18 (1947).

`scipy.stats.mannwhitneyu` gives the same probabilities; here are besides the critical
values that intervals and plans need, without a second spent on loading SciPy.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate
from math import comb, floor, sqrt
from statistics import NormalDist

# Beyond so many pairs the normal approximation differs by less than 0.001.
EXACT_PAIRS = 900


@lru_cache(maxsize=256)
def orders(first: int, second: int) -> tuple[int, ...]:
    """Count the orders of `first` and `second` values that give U = 0, 1, ... n*m.

    They are the coefficients of the Gaussian binomial coefficient, whose factors are
    multiplied and divided one by one.
    """
    counts = [1] + [0] * (first * second)
    for step in range(1, first + 1):
        for place in range(len(counts) - 1, second + step - 1, -1):
            counts[place] -= counts[place - second - step]
        for place in range(step, len(counts)):
            counts[place] += counts[place - step]
    return tuple(counts)


@cache
def smallest_p(first: int, second: int) -> float:
    """Return the smallest two-sided p that samples of these sizes can have."""
    return min(1.0, 2.0 / comb(first + second, first))


@lru_cache(maxsize=4096)
def critical(first: int, second: int, level: float) -> int | None:
    """Return the largest U for which a two-sided test at `level` rejects; None without one."""
    if first * second > EXACT_PAIRS:
        z = NormalDist().inv_cdf(1.0 - level / 2.0)
        mean, deviation = _moments(first, second)
        limit = floor(mean - 0.5 - z * deviation)
        return limit if limit >= 0 else None
    allowed = comb(first + second, first) * level / 2.0
    below = list(accumulate(orders(first, second)))
    # A rounding error of the level must not decide about equality.
    found = bisect_right(below, allowed * (1.0 + 1e-12)) - 1
    return min(found, first * second // 2) if found >= 0 else None


def two_sided_p(first: int, second: int, smaller: int) -> float:
    """Return the probability of U being as far from its mean as `smaller`, without ties."""
    tail = min(smaller, first * second - smaller)
    if first * second > EXACT_PAIRS:
        mean, deviation = _moments(first, second)
        return min(1.0, 2.0 * NormalDist().cdf((tail + 0.5 - mean) / deviation))
    return min(1.0, 2.0 * sum(orders(first, second)[: tail + 1]) / comb(first + second, first))


def smaller_pairs(first: Sequence[float], second: Sequence[float]) -> int:
    """Count the pairs in which the value of `first` is below that of `second` (sorted)."""
    return sum(len(second) - bisect_right(second, value) for value in first)


def launches_needed(level: float) -> int:
    """Return the least n at which two samples of n can be told apart at `level`."""
    count = 1
    while smallest_p(count, count) > level:
        count += 1
    return count


def _moments(first: int, second: int) -> tuple[float, float]:
    """Return mean and standard deviation of U (Mann and Whitney, equation 4)."""
    pairs = first * second
    return pairs / 2.0, sqrt(pairs * (first + second + 1) / 12.0)

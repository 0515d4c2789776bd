# SPDX-License-Identifier: MIT
"""The Mann-Whitney test, the exact distribution of its statistic, and the results of many tests.

U is the number of pairs in which the value of the first sample is the smaller one.
Where both samples come from one distribution every order of the n + m values is equally
probable: Mann and Whitney, "On a Test of Whether one of Two Random Variables is
Stochastically Larger than the Other", Annals of Mathematical Statistics 18 (1947).

Where values are equal, they have their mean rank, and every choice of n of the n + m ranks
is equally probable; all choices are counted as Streitberg and Röhmel do, "Exact
Distributions for Permutation and Rank Tests", Statistical Software Newsletter 12 (1986).

Tables, comparisons and intervals use this test and no other, so that they agree.
`scipy.stats.mannwhitneyu` gives the same probabilities, by trying all permutations where
values are equal, which takes a thousand times as long.

Of many tests the false discovery rate is bounded: Benjamini and Hochberg, "Controlling the False
Discovery Rate", Journal of the Royal Statistical Society B 57 (1995).
`scipy.stats.false_discovery_control` gives the same values; tables are printed without the
second that loading SciPy takes.
"""

from bisect import bisect_right
from collections import Counter
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


def p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p: how probable so large a difference is if there is none."""
    return min(1.0, 2.0 * min(_tails(tuple(sorted(first)), tuple(sorted(second)))))


def p_smaller(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the one-sided p of `first` tending to smaller values than `second`."""
    return _tails(tuple(sorted(first)), tuple(sorted(second)))[0]


def tends_smaller(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether `first` has the smaller value in more pairs than the larger one."""
    return smaller_pairs(first, sorted(second)) > smaller_pairs(second, sorted(first))


@lru_cache(maxsize=65_536)
def _tails(first: tuple[float, ...], second: tuple[float, ...]) -> tuple[float, float]:
    """Return how probable values of `first` (sorted) so small are, and so large ones."""
    below, above = smaller_pairs(first, second), smaller_pairs(second, first)
    n, m = len(first), len(second)
    if n * m in (below, above):
        least = 1.0 / comb(n + m, n)
        return (least, 1.0) if below else (1.0, least)
    if len({*first, *second}) < n + m:
        return _tied(first, second)
    return _untied(n, m, above), _untied(n, m, below)


def _untied(first: int, second: int, pairs: int) -> float:
    """Return the probability of at most so many pairs in one direction, without ties."""
    if first * second > EXACT_PAIRS:
        mean, deviation = _moments(first, second)
        return NormalDist().cdf((pairs + 0.5 - mean) / deviation)
    return _cumulated(first, second)[pairs] / comb(first + second, first)


@lru_cache(maxsize=256)
def _cumulated(first: int, second: int) -> tuple[int, ...]:
    return tuple(accumulate(orders(first, second)))


def _tied(first: tuple[float, ...], second: tuple[float, ...]) -> tuple[float, float]:
    """Return both probabilities where values are equal, by the sum of the first side's ranks."""
    pooled = sorted((*first, *second))
    ranks = {value: pooled.index(value) + bisect_right(pooled, value) + 1 for value in pooled}
    doubled = tuple(ranks[value] for value in pooled)  # twice the mean rank is a whole number
    found = sum(ranks[value] for value in first)
    n, m = len(first), len(second)
    if n * m > EXACT_PAIRS:
        return _tied_normal(n, m, doubled, found)
    packed, bits = _sums(doubled, n)
    every, one = comb(n + m, n), (1 << bits) - 1
    # The remainder by B - 1 of a number to the base B is the sum of its digits.
    upto = (packed & ((1 << bits * (found + 1)) - 1)) % one
    before = (packed & ((1 << bits * found) - 1)) % one
    return upto / every, (every - before) / every


@lru_cache(maxsize=1024)
def _sums(ranks: tuple[int, ...], count: int) -> tuple[int, int]:
    """Count the choices of `count` ranks by their sum: digit s of a number, and its bits."""
    bits = comb(len(ranks), count).bit_length() + 1
    rows = [1] + [0] * count
    for number, rank in enumerate(ranks, 1):
        for chosen in range(min(number, count), 0, -1):
            rows[chosen] += rows[chosen - 1] << bits * rank
    return rows[count], bits


def _tied_normal(
    first: int, second: int, doubled: tuple[int, ...], found: int
) -> tuple[float, float]:
    """Return both probabilities of many values by the normal distribution, ties counted."""
    both = first + second
    same = sum(times**3 - times for times in Counter(doubled).values())
    deviation = sqrt(first * second / 12.0 * (both + 1 - same / (both * (both - 1))))
    away = found / 2.0 - first * (both + 1) / 2.0
    normal = NormalDist()
    return normal.cdf((away + 0.5) / deviation), normal.cdf((0.5 - away) / deviation)


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


def adjusted_p(
    values: Sequence[float], times: Sequence[int] | None = None, tests: int | None = None
) -> list[float]:
    """Adjust the p of a table: what is at most the rate is a discovery.

    Each value stands for as many tests as `times` says (one). `tests` is how many the table
    has in all; those that no value stands for are tests that can reject nothing.
    """
    counts = times or [1] * len(values)
    ordered = sorted(range(len(values)), key=values.__getitem__)
    rank = sum(counts)
    most = tests or rank
    found, least = [1.0] * len(values), 1.0
    for number in reversed(ordered):
        least = min(least, values[number] * most / rank)
        found[number] = least
        rank -= counts[number]
    return found

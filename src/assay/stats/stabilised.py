# SPDX-License-Identifier: MIT
"""Stabilised quartiles, the statistic of SUPERCOP since version 20260214.

Each of n values is repeated 8 times and the 8n are sorted; the three quartiles are the
means of positions n to 3n, 3n to 5n and 5n to 7n. The middle one, StQ2, is the mean of
the central quarter of the data. See https://cr.yp.to/papers.html#rsrst.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from assay.stats.quartiles import Quartiles

T = TypeVar("T", int, float)

COPIES = 8


def stabilised(values: Sequence[float]) -> Quartiles:
    """Return StQ1, StQ2 and StQ3 of `values` (at least one, in any unit).

    Integers are added exactly, and the quotient is rounded once.
    """
    data = sorted(values)
    width = 2 * len(data)
    return Quartiles(*[_sum(data, bounds) / width for bounds in _bounds(len(data))])


def stabilised_median(values: Sequence[float]) -> float:
    """Return StQ2 alone."""
    data = sorted(values)
    return _sum(data, _bounds(len(data))[1]) / (2 * len(data))


def stabilised_integer(values: Sequence[int]) -> int:
    """Return StQ2 as a database line has it: the nearest integer, halves towards zero."""
    data = sorted(values)
    total, width = _sum(data, _bounds(len(data))[1]), 2 * len(data)
    # The smallest integer that is not below |total| / width - 1/2.
    size = -((width - 2 * abs(total)) // (2 * width))
    return size if total >= 0 else -size


def listed_median(values: Sequence[int]) -> int:
    """Return the median as SUPERCOP's lines had it before version 20260214.

    It is one of `values` (at least one) with less than half of them below it and less than
    half above; where there is none (two different ones in the middle) it is the last.
    """
    data = sorted(values)
    low, high = data[(len(data) - 1) // 2], data[len(data) // 2]
    return low if low == high else values[-1]


def _sum(data: Sequence[T], bounds: tuple[int, int, int, int]) -> T:
    """Add up what lies within bounds of sorted `data` repeated 8 times."""
    begin, cut, end, behind = bounds
    whole = COPIES * sum(data[begin:end]) - cut * data[begin]
    return whole + behind * data[end] if behind else whole


@lru_cache(maxsize=1024)
def _bounds(count: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return what the sums of the quartiles of so many values, n, begin and end with.

    They are of positions n to 3n, 3n to 5n and 5n to 7n: which value is the first and which the
    last, and how often without them.
    """
    return tuple(
        (*divmod(first * count, COPIES), *divmod((first + 2) * count, COPIES))
        for first in (1, 3, 5)
    )

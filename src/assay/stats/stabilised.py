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
    return Quartiles(_mean(data, 1), _mean(data, 3), _mean(data, 5))


def stabilised_median(values: Sequence[float]) -> float:
    """Return StQ2 alone."""
    return _mean(sorted(values), 3)


def stabilised_integer(values: Sequence[int]) -> int:
    """Return StQ2 as a database line has it: the nearest integer, halves towards zero."""
    data = sorted(values)
    total, width = _sum(data, 3), 2 * len(data)
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


def _mean(data: Sequence[float], first: int) -> float:
    """Return the mean of positions first*n to (first + 2)*n of `data` repeated 8 times."""
    return _sum(data, first) / (2 * len(data))


def _sum(data: Sequence[T], first: int) -> T:
    """Add up positions first*n to (first + 2)*n of sorted `data` repeated 8 times."""
    begin, cut, end, behind = _bounds(len(data), first)
    whole = COPIES * sum(data[begin:end])
    if cut:
        whole -= cut * data[begin]
    return whole + behind * data[end] if behind else whole


@lru_cache(maxsize=1024)
def _bounds(count: int, first: int) -> tuple[int, int, int, int]:
    """Return which of so many values the sum begins and ends with, and how often without them."""
    return *divmod(first * count, COPIES), *divmod((first + 2) * count, COPIES)

# SPDX-License-Identifier: MIT
"""Medians and quartiles, how far a median is known, and the stabilised quartiles of SUPERCOP.

Quartiles are those of `statistics.quantiles(method="inclusive")`: linear interpolation at rank
1 + p*(n - 1), which is type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages"
(1996), and the default of NumPy and R. They never lie outside the data, and those of one value
are that value.

The interval of a median runs from the k-th smallest to the k-th largest value; its confidence
follows from the binomial distribution alone, whatever the values' own one is. See Conover,
"Practical Nonparametric Statistics" (3rd edition, 1999), section 3.2.

Stabilised quartiles are the statistic of SUPERCOP since version 20260214. Each of n values is
repeated 8 times and the 8n are sorted; the three quartiles are the means of positions n to 3n,
3n to 5n and 5n to 7n. The middle one, StQ2, is the mean of the central quarter of the data. See
https://cr.yp.to/papers.html#rsrst.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from math import comb
from statistics import median
from typing import NamedTuple, TypeVar

CONFIDENCE = 0.95
T = TypeVar("T", int, float)

COPIES = 8


class Quartiles(NamedTuple):
    """The three values that cut sorted data into quarters."""

    q1: float
    median: float
    q3: float


def quartiles(values: Sequence[float]) -> Quartiles:
    """Cut `values` (at least one, in any unit) into quarters."""
    if len(values) == 1:
        return Quartiles(values[0], values[0], values[0])
    data = sorted(values)
    found = [(data[at] * (4 - part) + data[at + 1] * part) / 4 for at, part in _places(len(data))]
    return Quartiles(*found)


@cache  # `statistics.quantiles` takes twice as long, which is seen in the making of sites
def _places(count: int) -> tuple[tuple[int, int], ...]:
    """Return where the quartiles of so many values are: which is below each, and quarters on."""
    return tuple(divmod(cut * (count - 1), 4) for cut in (1, 2, 3))


def median_interval(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return the narrowest such interval for the median; None where there are too few values."""
    within = _within(len(values), confidence)
    if not within:
        return None
    data = sorted(values)
    return data[within - 1], data[-within]


@lru_cache(maxsize=256)
def _within(count: int, confidence: float) -> int:
    """Return which smallest and largest of so many values bound the interval; 0 for none."""
    outside, within = 0.0, 0
    for below in range(count // 2):
        outside += 2.0 * comb(count, below) / 2.0**count
        if outside > 1.0 - confidence:
            break
        within = below + 1
    return within


def precision_percent(values: Sequence[float]) -> float | None:
    """Return half the interval's width in per cent of the median; None without an interval."""
    interval = median_interval(values)
    if interval is None:
        return None
    low, high = interval
    return 100.0 * (high - low) / 2.0 / median(values)


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

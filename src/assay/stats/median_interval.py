# SPDX-License-Identifier: MIT
"""How far the median over launches is known: an interval from order statistics.

The interval runs from the k-th smallest to the k-th largest value; its confidence follows
from the binomial distribution alone, whatever the values' own one is. See Conover,
"Practical Nonparametric Statistics" (3rd edition, 1999), section 3.2.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from statistics import median

CONFIDENCE = 0.95


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

# SPDX-License-Identifier: MIT
"""How far the median over launches is known: an interval from order statistics.

The interval runs from the k-th smallest to the k-th largest value; its confidence follows
from the binomial distribution alone, whatever the values' own one is. See Conover,
"Practical Nonparametric Statistics" (3rd edition, 1999), section 3.2.
"""

from collections.abc import Sequence
from math import comb
from statistics import median

CONFIDENCE = 0.95


def median_interval(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return the narrowest such interval for the median; None where there are too few values."""
    data = sorted(values)
    outside, within = 0.0, 0
    for below in range(len(data) // 2):
        outside += 2.0 * comb(len(data), below) / 2.0 ** len(data)
        if outside > 1.0 - confidence:
            break
        within = below + 1
    return (data[within - 1], data[-within]) if within else None


def precision_percent(values: Sequence[float]) -> float | None:
    """Return half the interval's width in per cent of the median; None without an interval."""
    interval = median_interval(values)
    if interval is None:
        return None
    low, high = interval
    return 100.0 * (high - low) / 2.0 / median(values)

# SPDX-License-Identifier: MIT
"""The smallest change that a comparison would have seen.

It is the change that the Mann-Whitney test, with these numbers of launches and at this
level, finds with a probability of 80 %. The probability is simulated: pairs of samples
are drawn from the normal distribution, 10,000 times with a fixed seed. A sample moved by
d is told apart from the other if the (c + 1)-th smallest of all differences between the
two is above 0, where c is the critical value of the test; so the d that suffices in
80 % of the draws is the 80 % quantile of that difference, with its sign turned. It comes
in standard deviations and is multiplied by the one of the launches at hand: that of
logarithms, pooled over both sides.

For many launches it agrees with the formula of Noether, "Sample Size Determination for
Some Common Nonparametric Tests", Journal of the American Statistical Association 82
(1987), at the efficiency 3/pi of this test for normal data (Lehmann, "Nonparametrics:
Statistical Methods Based on Ranks", 1975, section 2.4), which is used from there on.

Launches with rare far outliers make the deviation larger than what the test feels: then
less would have been seen than is said here.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import pi, sqrt
from statistics import NormalDist, variance

from assay.stats.rank_sum import EXACT_PAIRS, critical
from assay.stats.shift import logarithms, percent

POWER = 0.8
DRAWS = 10_000
SEED = 1_947


def detectable_percent(
    first: Sequence[float], second: Sequence[float], level: float
) -> float | None:
    """Give the change that would have been seen in 80 % of cases; None where none would.

    It is in per cent of the first side's time. The sides need two launches together more
    than there are sides, or there is no spread to take it from.
    """
    spread = pooled_deviation(logarithms(first), logarithms(second))
    steps = detectable_deviations(len(first), len(second), level)
    return None if spread is None or steps is None else percent(steps * spread)


def pooled_deviation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Give the common standard deviation of two samples; None where nothing is repeated."""
    freedom = len(first) + len(second) - 2
    if freedom < 1:
        return None
    squares = sum((len(side) - 1) * variance(side) for side in (first, second) if len(side) > 1)
    return sqrt(squares / freedom)


@lru_cache(maxsize=256)
def detectable_deviations(first: int, second: int, level: float) -> float | None:
    """Give the shift, in standard deviations, that is found in 80 % of cases."""
    limit = critical(first, second, level)
    if limit is None:
        return None
    if first * second > EXACT_PAIRS:
        normal = NormalDist()
        reach = normal.inv_cdf(1.0 - level / 2.0) + normal.inv_cdf(POWER)
        return reach * sqrt(pi / 3.0) * sqrt(1.0 / first + 1.0 / second)
    return _simulated(first, second, limit)


def _simulated(first: int, second: int, limit: int) -> float:
    """Draw both sides many times and look from which shift on they are told apart."""
    import numpy as np  # noqa: PLC0415 - not needed where nothing is compared

    draw = np.random.default_rng(SEED)
    early = draw.standard_normal((DRAWS, first, 1))
    late = draw.standard_normal((DRAWS, 1, second))
    steps = (late - early).reshape(DRAWS, -1)
    deciding = np.partition(steps, limit, axis=1)[:, limit]
    return float(np.quantile(-deciding, POWER))

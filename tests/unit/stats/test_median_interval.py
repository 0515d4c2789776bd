# SPDX-License-Identifier: MIT
"""Intervals of medians against SciPy's, and against their own promise."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import quantile_test

from assay.stats.quartiles import median_interval, precision_percent


@given(st.lists(st.floats(1.0, 1e6), min_size=6, max_size=80, unique=True))
def test_it_is_the_interval_that_scipy_gives(values: list[float]) -> None:
    """SciPy inverts the quantile test, which is another way to the same order statistics."""
    both = quantile_test(values, q=min(values), p=0.5).confidence_interval(0.95)
    low, high = median_interval(values) or (0.0, 0.0)
    # SciPy's is never narrower: it takes both tails apart.
    assert both.low <= low <= high <= both.high


@pytest.mark.parametrize("count", range(6))
def test_too_few_launches_have_no_interval(count: int) -> None:
    """Five values miss the median on one side in one case of 16: that is not 95 %."""
    values = [float(n) for n in range(1, count + 1)]
    assert median_interval(values) is None
    assert precision_percent(values) is None


def test_six_launches_are_known_within_their_extremes() -> None:
    """All six on one side of the median: 2 of 64 cases, 3.1 %."""
    assert median_interval([3.0, 1.0, 2.0, 6.0, 5.0, 4.0]) == (1.0, 6.0)
    assert precision_percent([99.0, 99.5, 100.0, 100.0, 100.5, 101.0]) == pytest.approx(1.0)


def test_the_interval_holds_the_median_as_often_as_promised() -> None:
    """Skewed values with a known median: at least 95 % of 2,000 intervals have it inside."""
    dice = random.Random(5)
    held = 0
    for _ in range(2000):
        low, high = median_interval([dice.lognormvariate(0.0, 0.3) for _ in range(15)]) or (0, 0)
        held += low <= 1.0 <= high
    assert held / 2000 >= 0.95

# SPDX-License-Identifier: MIT
"""The Mann-Whitney distribution against SciPy and the tables of textbooks."""

from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import PermutationMethod, mannwhitneyu

from assay.stats.rank_sum import (
    critical,
    launches_needed,
    orders,
    p_smaller,
    p_value,
    smallest_p,
)

counts = st.integers(min_value=1, max_value=12)


@given(counts, counts, st.randoms(use_true_random=False))
def test_probabilities_are_those_of_scipy(first: int, second: int, random: Random) -> None:
    """The own recurrence and the library's agree on samples without ties."""
    values = random.sample(range(1000), first + second)
    left, right = values[:first], values[first:]
    known = mannwhitneyu(left, right, method="exact")
    assert p_value(left, right) == pytest.approx(known.pvalue, rel=1e-9)
    less = mannwhitneyu(left, right, method="exact", alternative="less").pvalue
    assert p_smaller(left, right) == pytest.approx(less, rel=1e-9)


few = st.lists(st.integers(1, 6), min_size=2, max_size=5)  # SciPy wants two


@given(few, few)
@settings(deadline=None, max_examples=60)
def test_with_equal_values_all_permutations_are_counted(
    first: list[int], second: list[int]
) -> None:
    """SciPy tries them one by one, and gives no number where all values are the same."""
    method = PermutationMethod(1_000)  # more than the 252 orders of 5 and 5, so all of them
    if len({*first, *second}) == 1:
        assert p_value(first, second) == 1.0
        return
    known = mannwhitneyu(first, second, method=method).pvalue
    assert p_value(first, second) == pytest.approx(known, rel=1e-9)
    less = mannwhitneyu(first, second, method=method, alternative="less").pvalue
    assert p_smaller(first, second) == pytest.approx(less, rel=1e-9)


def test_many_equal_values_use_the_approximation_that_scipy_uses() -> None:
    """The normal distribution with the variance that ties leave, and a correction."""
    random = Random(5)
    left = [random.randrange(20) for _ in range(40)]
    right = [random.randrange(3, 20) for _ in range(35)]
    known = mannwhitneyu(left, right, method="asymptotic")
    assert p_value(left, right) == pytest.approx(known.pvalue, rel=1e-9)


@given(counts, counts)
def test_every_order_is_counted_once(first: int, second: int) -> None:
    """The counts are those of all orders, and symmetric."""
    found = orders(first, second)
    assert sum(found) == comb(first + second, first)
    assert found == found[::-1] == orders(second, first)


def test_critical_values_are_those_of_the_tables() -> None:
    """Two-sided 5 % and 1 % for n = m, as printed in textbooks since Mann and Whitney."""
    five = [critical(n, n, 0.05) for n in (3, 4, 5, 6, 7, 8, 9, 10, 15, 20)]
    assert five == [None, 0, 2, 5, 8, 13, 17, 23, 64, 127]
    assert [critical(n, n, 0.01) for n in (4, 5, 6, 10, 20)] == [None, 0, 2, 16, 105]


@given(counts, counts, st.sampled_from([0.2, 0.1, 0.05, 0.01, 0.001]))
def test_a_critical_value_is_the_last_that_is_rejected(
    first: int, second: int, level: float
) -> None:
    """At the critical value p is within the level, and one further it is not."""
    limit = critical(first, second, level)
    if limit is None:
        assert smallest_p(first, second) > level
        return
    every, found = comb(first + second, first), orders(first, second)
    assert 2 * sum(found[: limit + 1]) / every <= level * (1 + 1e-9)
    if limit < first * second // 2:
        assert 2 * sum(found[: limit + 2]) / every > level


def test_many_launches_use_an_approximation_that_scipy_shares() -> None:
    """Beyond the exact range the probabilities are close to those of the exact method."""
    random = Random(4)
    left = [random.gauss(0, 1) for _ in range(40)]
    right = [random.gauss(0.6, 1) for _ in range(35)]
    known = mannwhitneyu(left, right, method="exact").pvalue
    assert p_value(left, right) == pytest.approx(known, abs=1e-3)


def test_three_launches_can_show_nothing_and_four_can() -> None:
    """With three and three the smallest p is 0.1; the cure is the number of launches."""
    assert smallest_p(3, 3) == pytest.approx(0.1)
    assert launches_needed(0.05) == 4
    assert launches_needed(0.01) == 5
    assert launches_needed(0.05 / 7) == 6

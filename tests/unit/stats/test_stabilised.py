# SPDX-License-Identifier: MIT
"""Stabilised quartiles against their definition, written out."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from assay.stats.quartiles import listed_median, stabilised, stabilised_integer

TICKS = st.integers(-(2**63), 2**63 - 1)


def _defined(values: list[int], first: int) -> Fraction:
    """Repeat each value 8 times, sort, and take the mean of the positions: the definition."""
    count = len(values)
    repeated = sorted(value for value in values for _ in range(8))
    part = repeated[first * count : (first + 2) * count]
    return Fraction(sum(part), len(part))


@given(st.lists(TICKS, min_size=1, max_size=70))
def test_quartiles_are_those_of_the_definition(values: list[int]) -> None:
    """For any number of samples, exactly: one rounding to a float, and no other."""
    found = stabilised(values)
    assert found == tuple(float(_defined(values, first)) for first in (1, 3, 5))


@given(st.lists(TICKS, min_size=1, max_size=70))
def test_the_written_integer_is_the_nearest_one(values: list[int]) -> None:
    """At most half away, and of two equally near ones the one that is nearer to zero."""
    exact = _defined(values, 3)
    found = stabilised_integer(values)
    assert abs(found - exact) <= Fraction(1, 2)
    if abs(found - exact) == Fraction(1, 2):
        assert abs(found) < abs(exact)


def test_sixteen_timings_of_a_published_line() -> None:
    """One outlier does not move the middle: `936 +0+0+0+0+0+0-26+0...` has StQ2 936."""
    assert stabilised_integer([936] * 6 + [910] + [936] * 9) == 936
    assert stabilised([936] * 6 + [910] + [936] * 9) == (936, 936, 936)


def test_four_values_by_hand() -> None:
    """Of 1, 2, 3, 10: positions 4 to 12, 12 to 20 and 20 to 28 of 32."""
    assert stabilised([10, 3, 2, 1]) == (1.5, 2.5, 6.5)
    assert stabilised_integer([10, 3, 2, 1]) == 2
    assert stabilised_integer([-10, -3, -2, -1]) == -2


def test_one_value_is_its_own_quartiles() -> None:
    """Nothing else could be."""
    assert stabilised([7]) == (7, 7, 7)


def test_the_older_median_is_one_of_the_values() -> None:
    """The middle one; where two different values share the middle, the last of the list."""
    assert listed_median([5, 1, 9]) == 5
    assert listed_median([4, 4, 1, 9]) == 4
    assert listed_median([1, 9, 3, 2]) == 2

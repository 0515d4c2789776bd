# SPDX-License-Identifier: MIT
"""Quartiles, against published values and by their properties."""

from hypothesis import given
from hypothesis import strategies as st

from assay.stats.quartiles import Quartiles, quartiles

values = st.lists(st.floats(0, 1e9), min_size=1, max_size=40)


def test_quartiles_are_those_of_r_and_numpy() -> None:
    """R: quantile(c(6,7,15,36,39,40,41,42,43,47,49)) gives 25.5, 40, 42.5 (type 7)."""
    data = [6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49]
    assert quartiles(data) == Quartiles(25.5, 40, 42.5)


def test_one_value_is_all_its_quartiles() -> None:
    """A single launch has no spread that could be known."""
    assert quartiles([4.5]) == Quartiles(4.5, 4.5, 4.5)


@given(values)
def test_quartiles_are_ordered_and_inside_the_data(data: list[float]) -> None:
    """Minimum <= q1 <= median <= q3 <= maximum, up to rounding."""
    q1, median, q3 = quartiles(data)
    slack = 1e-9 * max(data) + 1e-12
    assert min(data) - slack <= q1 <= median + slack
    assert median - slack <= q3 <= max(data) + slack


@given(values, st.randoms())
def test_the_order_of_launches_does_not_matter(data: list[float], random: object) -> None:
    """Shuffled data give the same quartiles."""
    shuffled = list(data)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert quartiles(shuffled) == quartiles(data)

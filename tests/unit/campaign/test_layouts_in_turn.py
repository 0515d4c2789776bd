# SPDX-License-Identifier: MIT
"""Launches of a code are spread evenly over its layouts: short setups depend on them."""

from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from assay.measure.launch import LinkedCode
from assay.model import Cell

CODE = LinkedCode(Cell("x/ref", 1, "gcc"), "o", Path("0"), (Path("1"), Path("2"), Path("3")))


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(0, 9))
def test_no_layout_counts_twice_more_often_than_another(
    seed: int, launches: int, disturbed_of_ten: int
) -> None:
    """Also where some launches are disturbed: those do not count, and their layout comes again."""
    random = Random(seed)
    counted: list[int] = []
    for _ in range(launches):
        number, agent = CODE.placed(random.getrandbits(63), counted)
        assert agent == Path(str(number))
        if random.randrange(10) >= disturbed_of_ten:
            counted.append(number)
    often = Counter(counted)
    shares = [often[number] for number in range(4)]
    assert max(shares) - min(shares) <= 1


def test_the_order_of_layouts_follows_from_the_seeds_and_is_not_always_the_same() -> None:
    """Otherwise the first layout would stand for the first minute."""
    first = {CODE.placed(seed)[0] for seed in range(100)}
    assert first == {0, 1, 2, 3}
    assert CODE.placed(7, (0, 1, 2))[0] == 3

# SPDX-License-Identifier: MIT
"""Ways to split messages into calls."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from assay.check.routine import at_random, here_and_there


@given(st.integers(1, 5_000), st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_pieces_are_whole_units_and_the_rest_of_the_message(
    unit: int, length: int, random: Random
) -> None:
    """Of cryptmt v3 one block has 1,248 bytes, more than a length that its code compares with."""
    for each in (*here_and_there(random, unit, length), *at_random(random, unit, length, 4)):
        *whole, rest = each
        assert sum(each) == length
        assert rest >= 0
        assert all(one >= 0 and one % unit == 0 for one in whole)

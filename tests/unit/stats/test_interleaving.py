# SPDX-License-Identifier: MIT
"""Whether launches were taken in turn."""

from random import Random

from assay.stats.comparison import one_after_the_other


def test_all_of_one_side_first_is_one_after_the_other() -> None:
    """In either order, however few there are."""
    assert one_after_the_other([1, 2, 3], [4, 5, 6])
    assert one_after_the_other([4, 5], [1, 2])


def test_taken_in_turn_is_in_turn() -> None:
    """Strictly, or in pairs, or at the same second."""
    assert not one_after_the_other([1, 3, 5, 7], [2, 4, 6, 8])
    assert not one_after_the_other([1, 1, 2], [1, 2, 2])
    assert not one_after_the_other([], [1.0])


def test_a_late_overlap_does_not_hide_an_order() -> None:
    """Ten launches, then ten others of which one came early."""
    assert one_after_the_other(list(range(10)), [8.5, *range(11, 20)])


def test_random_order_is_seldom_taken_for_an_order() -> None:
    """Of 2,000 shuffled campaigns of five and five at most 1 % and three standard errors."""
    random = Random(5)
    wrong = 0
    for _ in range(2_000):
        moments = list(range(10))
        random.shuffle(moments)
        wrong += one_after_the_other(moments[:5], moments[5:])
    assert wrong <= 2_000 * 0.01 + 3 * (2_000 * 0.01 * 0.99) ** 0.5

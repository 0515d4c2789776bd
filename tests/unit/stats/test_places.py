# SPDX-License-Identifier: MIT
"""Places in a table: shared by what is not separated."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from assay.stats.places import Place, exact_places, places

sides = st.lists(
    st.lists(st.floats(min_value=1.0, max_value=100.0), max_size=6).map(tuple), max_size=12
)


def texts(table: list[list[float]]) -> list[str]:
    """Write the places of a table."""
    return [str(place) for place in places(table)]


def test_separated_sides_have_a_place_each() -> None:
    """Five launches each, none of which overlap."""
    table = [[base + 0.1 * step for step in range(5)] for base in (3.0, 1.0, 2.0)]
    assert texts(table) == ["3", "1", "2"]


def test_what_is_not_separated_shares_its_places() -> None:
    """Three that overlap before one that does not."""
    near = [[1.0, 1.2, 1.4, 1.6, 1.8], [1.1, 1.3, 1.5, 1.7, 1.9], [1.05, 1.25, 1.45, 1.65, 1.85]]
    assert texts([*near, [9.0, 9.1, 9.2, 9.3, 9.4]]) == ["1-3", "1-3", "1-3", "4"]


def test_three_launches_separate_nothing() -> None:
    """However far apart they are: six values have too few orders. So nobody has a place."""
    assert places([[1.0, 1.1, 1.2], [900.0, 901.0, 902.0]]) == (None, None)


def test_a_side_with_few_launches_does_not_blur_the_places_of_others() -> None:
    """Two launches against five can never be separated; three against five can."""
    slow, fast = [9.0, 9.1, 9.2, 9.3, 9.4], [1.0, 1.1, 1.2, 1.3, 1.4]
    assert places([slow, [5.0, 5.1], fast]) == (Place(2, 2), None, Place(1, 1))
    assert places([slow, [5.0, 5.1, 5.2], fast]) == (Place(3, 3), Place(2, 2), Place(1, 1))


def test_a_side_that_no_launches_of_its_own_could_separate_has_no_place() -> None:
    """Nobody reads "1-20" beside a "2": three launches are too few in such a table.

    Nineteen sides overlap in six launches each; a twentieth with three would need p <= 0.05 of
    its own nineteen pairs among 190, that is 0.005, and three against six allow 0.024.
    """
    rng = Random(7)
    near = [tuple(rng.uniform(4.0, 5.0) for _ in range(6)) for _ in range(19)]
    found = places([*near, (1.0, 1.1, 1.2)])
    assert found[-1] is None
    assert all(place is not None and place.last <= 19 for place in found[:-1])


def test_the_same_launches_share_a_place() -> None:
    """Cells with identical machine code have one measurement."""
    slow, fast = [9.0, 9.1, 9.2, 9.3, 9.4], [1.0, 1.1, 1.2, 1.3, 1.4]
    assert texts([slow, fast, slow]) == ["2-3", "1", "2-3"]


def test_what_was_not_launched_has_no_place_and_is_not_counted() -> None:
    """Places are those among the sides that have one."""
    slow, fast = [9.0, 9.1, 9.2, 9.3, 9.4], [1.0, 1.1, 1.2, 1.3, 1.4]
    assert places([slow, [], fast]) == (Place(2, 2), None, Place(1, 1))


@given(sides, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table: list[tuple[float, ...]], random: Random) -> None:
    """Each side keeps its place when the table is shuffled."""
    numbers = list(range(len(table)))
    random.shuffle(numbers)
    before, after = places(table), places([table[number] for number in numbers])
    assert [before[number] for number in numbers] == list(after)


@given(sides)
def test_there_is_room_for_everybody(table: list[tuple[float, ...]]) -> None:
    """A place lies within the table, and begins before it ends."""
    for place in places(table):
        assert place is None or 1 <= place.first <= place.last <= len(table)


def test_equal_code_is_seldom_separated() -> None:
    """In 300 tables of eight equal sides at most 5 % have a place that is not 1-8."""
    random = Random(12)
    wrong = 0
    for _ in range(300):
        table = [[random.gauss(100, 1) for _ in range(8)] for _ in range(8)]
        wrong += any(place != Place(1, 8) for place in places(table))
    assert wrong <= 300 * 0.05 + 3 * (300 * 0.05 * 0.95) ** 0.5


def test_true_ranks_lie_within_the_places() -> None:
    """With real differences at most 5 % of 2,000 places miss the true rank."""
    random = Random(13)
    missed = 0
    for _ in range(100):
        table = [[random.gauss(100 + 0.5 * rank, 1) for _ in range(6)] for rank in range(20)]
        found = places(table)
        missed += sum(
            place is None or not place.first <= rank <= place.last
            for rank, place in enumerate(found, start=1)
        )
    assert missed <= 2_000 * 0.05


def test_exact_counts_share_a_place_only_where_they_are_equal() -> None:
    """Instructions are counted, not sampled: one more is slower."""
    found = exact_places([(one, one) for one in (7.0, 5.0, 7.0, 8.0)])
    assert found == (Place(2, 3), Place(1, 1), Place(2, 3), Place(4, 4))


def test_counts_that_depend_on_the_inputs_share_a_place_where_their_quartiles_meet() -> None:
    """As those of a rejection sampling, which takes more instructions with one key in two."""
    found = exact_places([(10.0, 14.0), (13.0, 15.0), (15.5, 16.0)])
    assert found == (Place(1, 2), Place(1, 2), Place(3, 3))

# SPDX-License-Identifier: MIT
"""Comparisons: known values, properties, and how often they are wrong."""

from math import exp
from random import Random
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from assay.errors import AssayError, UsageError
from assay.stats.comparison import (
    Answer,
    compare,
    compare_all,
    detectable_percent,
    simulated,
    slower_by_more,
    widths_needed,
)
from assay.stats.places import places
from assay.stats.rank_sum import adjusted_p, p_smaller, p_value
from assay.stats.shift import change_interval, change_percent, percent

# Hollander and Wolfe, "Nonparametric Statistical Methods", example 4.1; R's ?wilcox.test.
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]

times = st.lists(st.floats(min_value=1.0, max_value=1e6), min_size=4, max_size=7)


def drawn(random: Random, count: int, mean: float = 100.0, spread: float = 1.0) -> list[float]:
    """Draw launches of one machine code."""
    return [random.gauss(mean, spread) for _ in range(count)]


def test_the_textbooks_example_has_the_textbooks_answers() -> None:
    """P, estimate and interval of the book, whose differences are not those of logarithms."""
    logs = [exp(value) for value in EARLY], [exp(value) for value in TERM]
    assert p_value(EARLY, TERM) == pytest.approx(0.2544, abs=5e-5)
    assert p_smaller(EARLY, TERM) == pytest.approx(0.1272, abs=5e-5)
    assert change_percent(*logs) == pytest.approx(percent(0.305))
    interval = change_interval(*logs, 0.05)
    assert interval is not None
    assert interval.low_percent == pytest.approx(percent(-0.15))
    assert interval.high_percent == pytest.approx(percent(0.76))


def test_adjusted_probabilities_are_those_of_the_first_paper() -> None:
    """Benjamini and Hochberg's table 1: at 5 % the first four of fifteen are rejected."""
    table = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    table += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert [one <= 0.05 for one in adjusted_p(table)] == [True] * 4 + [False] * 11


def test_separated_sides_are_faster_and_slower() -> None:
    """The answer is about the second side, with the size of the change."""
    slow, fast = [100.0, 101.0, 102.0, 103.0, 104.0], [90.0, 90.9, 91.8, 92.7, 93.6]
    assert compare(slow, fast).answer is Answer.FASTER
    assert compare(slow, fast).change_percent == pytest.approx(-10.0, abs=0.01)
    assert compare(fast, slow).answer is Answer.SLOWER
    assert compare(fast, slow).change_percent == pytest.approx(100 / 9, abs=0.01)


@pytest.mark.parametrize(("count", "needed"), [(1, 4), (2, 4), (3, 4)])
def test_too_few_launches_are_no_answer_and_name_the_number_needed(
    count: int, needed: int
) -> None:
    """However far apart the sides are."""
    found = compare([1.0, 1.1, 1.2][:count], [900.0, 901.0, 902.0][:count])
    assert (found.answer, found.needed) == (Answer.UNKNOWN, needed)
    assert found.interval is None
    assert found.detectable_percent is None


def test_a_long_table_needs_more_launches_than_one_measure() -> None:
    """Five launches answer for one measure, and not for seven that do not differ."""
    same = ([100.0, 101.0, 102.0, 103.0, 104.0], [100.5, 101.5, 102.5, 103.5, 99.5])
    assert compare(*same).answer is Answer.SAME
    assert {(one.answer, one.needed) for one in compare_all([same] * 7)} == {(Answer.UNKNOWN, 6)}
    six = ([*same[0], 100.2], [*same[1], 101.7])
    assert {one.answer for one in compare_all([six] * 7)} == {Answer.SAME}


@given(times, times)
@settings(deadline=None, max_examples=40)
def test_exchanging_the_sides_turns_the_answer(first: list[float], second: list[float]) -> None:
    """Faster becomes slower with the same probability, and the interval its inverse."""
    there, back = compare(first, second), compare(second, first)
    turned = {Answer.FASTER: Answer.SLOWER, Answer.SLOWER: Answer.FASTER}
    assert back.answer is turned.get(there.answer, there.answer)
    assert back.p == pytest.approx(there.p)
    assert there.interval is not None
    assert back.interval is not None
    ratio = 1 + there.interval.low_percent / 100
    assert 1 + back.interval.high_percent / 100 == pytest.approx(1 / ratio)


coarse = st.lists(st.integers(1, 12).map(float), min_size=1, max_size=8)


@given(coarse, coarse)
@settings(deadline=None, max_examples=300)
def test_a_comparison_and_a_table_give_the_same_answer(
    first: list[float], second: list[float]
) -> None:
    """Coarse clocks give equal values; a table of two sides has one comparison, as this has."""
    one, other = places([first, second])
    answers = {True: Answer.SLOWER, False: Answer.FASTER}
    expected = Answer.UNKNOWN
    if one and other:
        expected = Answer.SAME if one == other else answers[one.first < other.first]
    assert compare(first, second).answer is expected


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
@settings(deadline=None)
def test_adjusted_probabilities_are_those_of_scipy(values: list[float]) -> None:
    """Also where a value stands for several tests."""
    assert adjusted_p(values) == pytest.approx(list(false_discovery_control(values)))
    times = [1 + number % 3 for number in range(len(values))]
    every = [value for value, count in zip(values, times, strict=True) for _ in range(count)]
    known = dict(zip(every, false_discovery_control(every), strict=True))
    assert adjusted_p(values, times) == pytest.approx([known[value] for value in values])


@given(times, times, st.floats(min_value=1e-3, max_value=1e3))
@settings(deadline=None, max_examples=40)
def test_the_unit_does_not_matter(first: list[float], second: list[float], unit: float) -> None:
    """Ticks or seconds: changes are relative."""
    there = compare(first, second)
    here = compare([unit * one for one in first], [unit * one for one in second])
    assert here.change_percent == pytest.approx(there.change_percent, rel=1e-6, abs=1e-9)


@given(times, times)
@settings(deadline=None, max_examples=40)
def test_interval_and_verdict_say_the_same(first: list[float], second: list[float]) -> None:
    """Without ties no difference is seen exactly if the interval holds 0."""
    values = [*first, *second]
    if len({*values}) < len(values):
        return
    found = compare(first, second)
    assert found.interval is not None
    holds = found.interval.low_percent <= 0 <= found.interval.high_percent
    assert holds == (found.answer is Answer.SAME)


def test_equal_launches_are_no_difference() -> None:
    """Also where every value is the same one, as coarse clocks give."""
    found = compare([7.0] * 5, [7.0] * 5)
    assert found.answer is Answer.SAME
    assert (found.change_percent, found.p) == (0.0, 1.0)


def test_what_is_no_time_is_refused() -> None:
    """A ratio needs values above 0."""
    with pytest.raises(AssayError, match="above 0"):
        compare([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0])


def test_a_threshold_is_passed_by_what_is_within_it() -> None:
    """Slower by 3 % fails 1 % and passes 5 %, and faster passes everything."""
    base = [100.0, 100.1, 100.2, 100.3, 100.4, 100.5]
    slow = [1.03 * one for one in base]
    assert slower_by_more([(base, slow)], 1.0) == (True,)
    assert slower_by_more([(base, slow)], 5.0) == (False,)
    assert slower_by_more([(slow, base)], 0.0) == (False,)
    assert slower_by_more([(base, base), (base, slow)], 1.0) == (False, True)


def test_a_threshold_that_nothing_can_fail_is_refused() -> None:
    """A gate that always opens would be taken for a test."""
    few = [1.0, 2.0], [3.0, 4.0]
    with pytest.raises(UsageError, match="cannot show") as raised:
        slower_by_more([few], 1.0)
    assert "at least 3 launches" in raised.value.cure


@pytest.mark.parametrize(("first", "second"), [(5, 5), (4, 7), (10, 10)])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_false_alarms_stay_below_the_level(first: int, second: int, level: float) -> None:
    """10,000 comparisons of equal code, spread as badly as times are: skewed, with outliers."""
    random = Random(first * 100 + second)

    def launch() -> float:
        return 100.0 + random.expovariate(1.0) + (50.0 if random.random() < 0.05 else 0.0)

    alarms = 0
    for _ in range(10_000):
        left = [launch() for _ in range(first)]
        right = sorted(launch() for _ in range(second))
        alarms += p_value(left, right) <= level
    # Three standard errors of 10,000 draws.
    assert alarms / 10_000 <= level + 3 * (level * (1 - level) / 10_000) ** 0.5


def test_a_table_without_differences_stays_without_answers() -> None:
    """In 200 tables of seven equal measures at most 5 % have a false one."""
    random = Random(8)
    alarms = 0
    for _ in range(200):
        table = [(drawn(random, 6), drawn(random, 6)) for _ in range(7)]
        alarms += any(one.answer is not Answer.SAME for one in compare_all(table))
    assert alarms <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize(("count", "level"), [(5, 0.05), (10, 0.05), (30, 0.05), (8, 0.01)])
def test_the_simulated_change_is_seen_in_four_of_five_cases(count: int, level: float) -> None:
    """Drawn again, by other means than those of the simulation."""
    moved, _ = simulated(count, count, level)
    random = Random(count)
    seen = 0
    for _ in range(4_000):
        left = drawn(random, count, 0.0)
        right = sorted(drawn(random, count, moved))
        seen += p_value(left, right) <= level
    assert seen / 4_000 == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("count", "level"), [(6, 0.05), (12, 0.05 / 14), (40, 0.05)])
def test_the_change_said_to_be_detectable_is_seen_so_often(count: int, level: float) -> None:
    """What launches that do not differ say of themselves: in the middle the right change."""
    random = Random(count)
    said = []
    for _ in range(101):
        found = detectable_percent(drawn(random, count), drawn(random, count), level)
        assert found is not None
        said.append(found)
    factor = 1 + median(said) / 100
    seen = 0
    for _ in range(1_000):
        left = drawn(random, count)
        right = sorted(one * factor for one in drawn(random, count))
        seen += p_value(left, right) <= level
    assert seen / 1_000 == pytest.approx(0.8, abs=0.08)


def test_an_outlier_does_not_hide_what_the_test_would_see() -> None:
    """One launch of twelve that took twice as long changes the answer by less than half."""
    random = Random(20)
    quiet = drawn(random, 12), drawn(random, 12)
    noisy = [200.0, *quiet[0][1:]]
    before = detectable_percent(*quiet, 0.05)
    after = detectable_percent(noisy, quiet[1], 0.05)
    assert before is not None
    assert after is not None
    assert after < 1.5 * before


def test_simulation_and_formula_meet() -> None:
    """Where the one is exchanged for the other they differ by less than 5 %."""
    assert widths_needed(30, 30, 0.05) == pytest.approx(widths_needed(31, 31, 0.05), rel=0.05)


def test_power_grows_with_the_change_in_whole_comparisons() -> None:
    """With ten launches that spread by 0.5 %, 2 % is always seen and 0.1 % seldom."""
    random = Random(3)

    def share(factor: float) -> float:
        pairs = (
            (drawn(random, 10, 100.0, 0.5), drawn(random, 10, 100.0 * factor, 0.5))
            for _ in range(100)
        )
        return sum(compare(*pair).answer is Answer.SLOWER for pair in pairs) / 100

    assert share(1.02) == 1.0
    assert share(1.001) < 0.25


@pytest.mark.parametrize("count", [5, 10, pytest.param(30, marks=pytest.mark.slow)])
def test_intervals_hold_the_truth_as_often_as_they_say(count: int) -> None:
    """Exact ones at least that often, bootstrapped ones within their error."""
    random = Random(count)
    rounds = 30 if count == 30 else 2_000
    held = 0
    for _ in range(rounds):
        found = change_interval(drawn(random, count), drawn(random, count, 103.0, 1.03), 0.05)
        assert found is not None
        held += found.low_percent <= 3.0 <= found.high_percent
    assert held / rounds >= 0.95 - 3 * (0.95 * 0.05 / rounds) ** 0.5


def test_the_interval_of_many_launches_is_bootstrapped_and_repeatable() -> None:
    """It is near the exact one, and the same each time."""
    random = Random(6)
    left, right = drawn(random, 30), drawn(random, 30, 102.0)
    found = change_interval(left, right, 0.05)
    assert found is not None
    assert found == change_interval(left, right, 0.05)
    near = change_interval(left[:24], right[:24], 0.05)
    assert near is not None
    assert found.low_percent == pytest.approx(near.low_percent, abs=0.5)
    assert change_interval([5.0] * 30, [6.0] * 30, 0.05) == change_interval(
        [5.0] * 4, [6.0] * 4, 0.05
    )


def test_spread_hides_changes() -> None:
    """Twice the spread doubles what would have been seen; a single launch has none."""
    random = Random(2)
    quiet = drawn(random, 6, 0.0), drawn(random, 6, 0.0)
    narrow = [[exp(0.001 * one) for one in side] for side in quiet]
    wide = [[exp(0.002 * one) for one in side] for side in quiet]
    small = detectable_percent(narrow[0], narrow[1], 0.05)
    large = detectable_percent(wide[0], wide[1], 0.05)
    assert small is not None
    assert large == pytest.approx(2 * small, rel=0.01)
    assert detectable_percent([1.0], [2.0], 0.05) is None

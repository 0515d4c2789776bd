# SPDX-License-Identifier: MIT
"""Who drops out of a race, on simulated launches whose true speed is known."""

import random

import pytest
from tests.unit.mock.standing import stand_in

from assay.measure.candidate import Candidate
from assay.measure.policies.race import evidence
from assay.measure.policies.racing import ENOUGH, FINALISTS, falling, survivors
from assay.model import Launch


def launched(true: float, launches: int, dice: random.Random, scatter: float) -> list[float]:
    """Draw launches of a code: a log-normal scatter, as layouts and neighbours make it."""
    return [true * dice.lognormvariate(0.0, scatter) for _ in range(launches)]


def raced(true: dict[str, float], dice: random.Random, scatter: float) -> tuple[set[str], int]:
    """Race codes of known speed to the end; give who is left and how many launches it took."""
    race: dict[str, list[list[float]]] = {name: [[]] for name in true}
    spent = 0
    while True:
        for name, values in race.items():
            values[0] += launched(true[name], 1, dice, scatter)
            spent += 1
        stay, _ = survivors(race)
        race = {name: race[name] for name in stay}
        if len(race) <= FINALISTS:
            return set(race), spent


def test_one_launch_drops_only_what_is_slower_by_far() -> None:
    """A first launch may be unlucky by a fifth; twice the time is no luck."""
    fallen = falling([[[10.0]], [[12.0]], [[20.0]]])
    assert set(fallen) == {2}
    assert fallen[2].against == 0
    # 20 is twice 10; a quarter is what one launch is not believed: 2 / 1.25 = 1.6.
    assert fallen[2].percent == pytest.approx(60.0)


def test_a_code_that_is_best_at_one_size_stays() -> None:
    """Slower at a key of 256 bits, faster at 128: nobody knows what a reader wants."""
    assert falling([[[10.0], [50.0]], [[50.0], [10.0]]]) == {}


def test_who_is_slower_by_more_than_chance_goes_with_its_percentage() -> None:
    """Launches that agree within 0.1 % separate 10.0 from 10.5, and not from 10.001."""
    steady = [[[10.0, 10.01, 9.99]], [[10.001, 9.995, 10.006]], [[10.5, 10.51, 10.49]]]
    fallen = falling(steady)
    assert set(fallen) == {2}
    assert 4.0 < fallen[2].percent < 5.0


def test_the_better_half_stays_where_chance_explains_everything() -> None:
    """Eight that cannot be told apart become four; none is called slower."""
    dice = random.Random(1)
    race = [[launched(10.0, 2, dice, 0.05)] for _ in range(8)]
    fallen = falling(race)
    assert len(fallen) == 4
    assert {fall.percent for fall in fallen.values()} == {0.0}
    middles = [sum(values[0]) for values in race]
    assert max(middles[n] for n in range(8) if n not in fallen) <= min(middles[n] for n in fallen)


def test_one_of_two_that_cannot_be_told_apart_goes_after_enough_launches() -> None:
    """One launch more may tell them apart; five that do not leave it to the better median."""
    dice = random.Random(2)
    race = [[launched(10.0, ENOUGH, dice, 0.05)] for _ in range(2)]
    assert falling([[values[0][:-1]] for values in race]) == {}
    (fall,) = falling(race).values()
    assert fall.percent == 0.0
    assert falling([[[10.0]]]) == {}


def test_the_winner_of_a_race_is_as_fast_as_the_best() -> None:
    """300 codes within a factor of 3 and launches that scatter by 1 %: within 1 % in all of 40."""
    worst = 0.0
    for seed in range(40):
        dice = random.Random(seed)
        true = {f"code{n}": 1.0 + 2.0 * dice.random() ** 2 for n in range(300)}
        left, spent = raced(true, dice, 0.01)
        best = min(true.values())
        worst = max(worst, min(true[name] for name in left) / best)
        assert spent < 5 * len(true) / 2  # five launches each, and half of that
    assert worst <= 1.01


def test_nobody_is_wrongly_called_slower_more_often_than_promised() -> None:
    """Twenty equal codes: a round that calls any of them slower comes once in twenty times."""
    wrong = 0
    for seed in range(400):
        dice = random.Random(seed)
        race = [[launched(10.0, 3, dice, 0.02)] for _ in range(20)]
        wrong += any(fall.percent > 0.0 for fall in falling(race).values())
    assert wrong / 400 <= 0.05


@pytest.mark.parametrize(
    ("heard", "compared"),
    [
        (["d", "d", "q", "d"], ["d", "d", "", "d"]),
        (["q", "q", "d", "qd"], ["q", "q", "", "q"]),
        (["d", "q"], ["", "q"]),
        (["qddd", "qdd", "qdd"], ["ddd", "dd", "dd"]),
        (["qqd", "qqd"], ["qq", "qq"]),
    ],
)
def test_launches_of_one_sort_are_compared_that_which_more_codes_have(
    heard: list[str], compared: list[str]
) -> None:
    """Disturbed ones on a machine that stays busy, though some code had a quiet moment."""
    runners: list[Candidate] = []
    for one in heard:
        launches = [stand_in(Launch, counts=sort == "q") for sort in one]
        quiet = [each for each in launches if each.counts]
        runners.append(stand_in(Candidate, heard=launches, quiet=quiet))
    found = ["".join("dq"[each.counts] for each in one) for one in evidence(runners)]
    assert found == compared

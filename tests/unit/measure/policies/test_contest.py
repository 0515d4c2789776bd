# SPDX-License-Identifier: MIT
"""Contests with figures that the tests invent: who is timed again, who wins, what is kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from inspect import getclosurevars
from random import Random
from types import FunctionType
from typing import Any

import pytest
from msgspec.structs import replace
from tests.unit.mock.cells import FakeWorkshop, Heard, Recipes
from tests.unit.mock.engine import codes_that_pass

from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.execute.patience import Patience
from assay.measure.candidate import Group
from assay.measure.disturbance import Quiet
from assay.measure.gauge import Gauge
from assay.measure.launch import LinkedCode
from assay.measure.operation.measures import OperationTaken
from assay.measure.operation.task import ScoreTask
from assay.measure.policies.contest import winners
from assay.measure.policies.policy import Measuring
from assay.measure.policies.turns import measure_all
from assay.model import Cell, Configuration, Counter, Launch, Sample, SizeChoice, Verdict
from assay.model.operation import SCORE
from assay.plan.plan import Plan
from assay.store import Store
from assay.summary.footnotes import footnotes
from assay.timing.clock import CounterOption

Entered = tuple[Measuring, Plan, list[Group]]
Enter = Callable[..., Entered]
Hold = Callable[..., list[str]]
Lengths = tuple[tuple[int, int], ...]
SAFE, LEAKY = "constbranchindex", "timingleaks"
COUNTER = CounterOption(
    1, "toy", usable=True, core_cycles=True, step_ticks=1, ticks_per_second=1e9
)
TIMER = Counter("toy", 1, 1e9, 1.0, 0.0)


@dataclass
class Clockwork:
    """Stands for launches: scores by code, in turn; a code whose scores are used up fails."""

    scores: dict[str, list[int]]
    launched: list[tuple[str, str]] = field(default_factory=list)
    fails_when_measured: str = ""
    failure: AgentError = field(default_factory=lambda: AgentError("it wrote something else"))

    def measure_once(
        self,
        _: object,
        launched: LinkedCode,
        __: object,
        taken: FunctionType,
        seed: int,
        ___: object = (),
    ) -> tuple[Launch, OperationTaken]:
        """Return a launch with the next figures of a code."""
        task = getclosurevars(taken).nonlocals["task"]
        scoring = isinstance(task, ScoreTask)
        code = launched.object_hash
        self.launched.append((code, "score" if scoring else "measure"))
        if not scoring and code == self.fails_when_measured:
            raise self.failure
        lengths = () if scoring else task.lengths
        samples = tuple(_samples(self._next(code) if scoring else None, lengths))
        return launch_of(launched.cell, code, seed, samples), OperationTaken()

    def _next(self, code: str) -> int:
        if not self.scores[code]:
            raise AgentError("it gave up")
        return self.scores[code].pop(0)

    def times(self, what: str) -> dict[str, int]:
        """Count launches of a kind by code."""
        codes = [code for code, kind in self.launched if kind == what]
        return {code: codes.count(code) for code in dict.fromkeys(codes)}


def _samples(score: int | None, lengths: Lengths) -> Iterator[Sample]:
    nothing = SizeChoice(0, 0)
    if score is not None:
        yield Sample(SCORE, nothing, 1, 1, 0, (score,) * 3)
        return
    for size, _ in lengths:
        yield Sample(f"cycles/{size}", nothing, 1, 1, size, (size,) * 3)


def launch_of(cell: Cell, code: str, seed: int, samples: tuple[Sample, ...]) -> Launch:
    """Make an undisturbed launch."""
    quiet = (1.0, 1.0)
    return Launch(
        cell, code, seed, "2026-01-01T00:00:00", TIMER, quiet, quiet, 0.1, 0.2, "none", samples
    )


@pytest.fixture
def clockwork() -> Clockwork:
    """Put figures of the test in the place of launches."""
    return Clockwork({})


def of_one_primitive(recipe: Recipe) -> Recipe:
    """Return the recipe of a package that competes with all others."""
    return replace(recipe, package=replace(recipe.package, primitive="one"))


@pytest.fixture
def enter(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard, clockwork: Clockwork
) -> Enter:
    """Give the function that enters codes into a contest: leagues and scores by package."""
    listed: dict[str, list[Recipe]] = {}

    def run(
        scores: dict[str, list[int]], leagues: dict[str, str] | None = None, **more: Any
    ) -> Entered:
        workshop.leagues = leagues or {}
        names = " ".join(scores)
        if names not in listed:
            listed[names] = [of_one_primitive(one) for one in recipes(names)]
        clockwork.scores = {f"{name}-O3": list(values) for name, values in scores.items()}
        clockwork.launched.clear()
        passed = codes_that_pass(workshop, store, listed[names], 1, heard)
        packages = tuple(recipe.package for recipe in listed[names])
        confirm = more.pop("confirm", list)
        more.setdefault("configurations", ())
        plan = Plan(packages, compilers={}, launches=more.pop("launches", 3), **more)
        measuring = Measuring(workshop, store, plan, heard, confirm)
        launcher = measuring.launcher
        launcher.gauge, launcher.random = Gauge(COUNTER), Random(1)
        launcher.measure = clockwork.measure_once
        return measuring, plan, passed

    return run


@pytest.fixture
def hold(enter: Enter, heard: Heard) -> Hold:
    """Give the function that holds a contest, measures who wins, and names these."""

    def run(*arguments: object, **more: object) -> list[str]:
        measuring, plan, passed = enter(*arguments, **more)
        chosen = measuring.chosen(passed)
        measure_all(measuring.launcher, plan, chosen, heard)
        return [one.code.object_hash for one in chosen]

    return run


def two_configurations(recipes: Recipes) -> tuple[Configuration, ...]:
    """Return configurations, so that the first has to say who is far behind."""
    return tuple(one.configuration for one in recipes("z/other", "O3 O2"))


def test_the_fastest_is_measured_and_nobody_else(hold: Hold, clockwork: Clockwork) -> None:
    """One score each; the winner's figures come from launches of their own."""
    assert hold({"a/ref": [100], "b/ref": [200], "c/ref": [300]}) == ["a/ref-O3"]
    assert sorted(clockwork.times("score").values()) == [1, 1, 1]
    assert clockwork.times("measure") == {"a/ref-O3": 3}


def test_who_is_near_the_best_is_timed_again_and_the_median_decides(
    hold: Hold, clockwork: Clockwork
) -> None:
    """One lucky launch does not make a winner."""
    scores = {"a/ref": [100, 120, 121], "b/ref": [109, 108, 110], "c/ref": [150]}
    assert hold(scores) == ["b/ref-O3"]
    assert clockwork.times("score") == {"a/ref-O3": 3, "b/ref-O3": 3, "c/ref-O3": 1}
    assert clockwork.times("measure") == {"b/ref-O3": 3}


def test_no_more_than_four_are_timed_again(hold: Hold, clockwork: Clockwork) -> None:
    """However many are near the best."""
    scores = {f"{name}/ref": [100 + n] * 3 for n, name in enumerate("abcdef")}
    hold(scores)
    assert sorted(clockwork.times("score").values()) == [1, 1, 3, 3, 3, 3]


def test_both_leagues_have_a_winner_if_the_one_that_leaks_is_faster(hold: Hold) -> None:
    """Ordered by the league's name."""
    leagues = {"a/ref": SAFE, "b/ref": LEAKY}
    assert hold({"a/ref": [200], "b/ref": [100]}, leagues) == ["a/ref-O3", "b/ref-O3"]


def test_what_leaks_and_is_slower_is_not_measured(hold: Hold) -> None:
    """Nobody would choose it."""
    leagues = {"a/ref": SAFE, "b/ref": LEAKY}
    assert hold({"a/ref": [100], "b/ref": [200]}, leagues) == ["a/ref-O3"]


def test_what_leaks_wins_alone_where_nothing_else_is(hold: Hold) -> None:
    """There is nothing safe to compare it with."""
    assert hold({"a/ref": [100], "b/ref": [200]}, dict.fromkeys(("a/ref", "b/ref"), LEAKY)) == [
        "a/ref-O3"
    ]


def test_near_is_what_is_near_in_its_own_league(hold: Hold, clockwork: Clockwork) -> None:
    """The best of the other league does not matter."""
    leagues = {"a/ref": SAFE, "b/ref": LEAKY, "c/ref": LEAKY}
    hold({"a/ref": [105], "b/ref": [100], "c/ref": [150]}, leagues)
    assert set(clockwork.times("score").values()) == {1}


def test_everything_is_measured_where_that_is_asked_for(hold: Hold, clockwork: Clockwork) -> None:
    """Not only the winners."""
    chosen = hold({"a/ref": [100], "b/ref": [200]}, everything=True)
    assert chosen == ["a/ref-O3", "b/ref-O3"]
    assert clockwork.times("measure") == {"a/ref-O3": 3, "b/ref-O3": 3}


def test_code_that_fails_while_the_score_is_taken_is_out(
    hold: Hold, clockwork: Clockwork, store: Store
) -> None:
    """The store says why, and the next best wins."""
    assert hold({"a/ref": [], "b/ref": [200]}) == ["b/ref-O3"]
    failed = [one for cell in store.cells() for one in cell.checks if one.verdict is Verdict.FAIL]
    assert [(one.check, one.reason) for one in failed] == [("measures/run", "it gave up")]
    assert "a/ref-O3" not in clockwork.times("measure")


def test_code_that_fails_while_it_is_measured_is_out_for_good(
    hold: Hold, clockwork: Clockwork, store: Store
) -> None:
    """The next contest begins without it."""
    clockwork.fails_when_measured = "a/ref-O3"
    hold({"a/ref": [100], "b/ref": [200]})
    assert clockwork.times("measure") == {"a/ref-O3": 1}
    assert hold({"a/ref": [100], "b/ref": [200]}) == ["b/ref-O3"]
    assert clockwork.times("measure") == {"b/ref-O3": 3}
    failed = [one for cell in store.cells() for one in cell.checks if one.verdict is Verdict.FAIL]
    assert [one.reason for one in failed] == ["it wrote something else"]


def test_code_that_takes_too_long_to_measure_is_asked_again(
    hold: Hold, clockwork: Clockwork, store: Store
) -> None:
    """It is open, and with --patience the same command may end otherwise."""
    clockwork.fails_when_measured = "a/ref-O3"
    clockwork.failure = Patience(600.0).error()
    hold({"a/ref": [100], "b/ref": [200]})
    ended = [one for cell in store.cells() for one in cell.checks if one.verdict is Verdict.OPEN]
    assert [one.check for one in ended] == ["agent/patience"]
    clockwork.fails_when_measured = ""
    assert hold({"a/ref": [100], "b/ref": [200]}) == ["a/ref-O3"]


def test_who_is_far_behind_with_the_first_configuration_is_not_tried_with_others(
    enter: Enter, recipes: Recipes, clockwork: Clockwork, store: Store
) -> None:
    """Scouts are timed once and not measured; who is near, or leaks and is faster, goes on.

    Tables name who does not.
    """
    scores = {"a/ref": [100], "b/ref": [120], "c/ref": [130], "d/ref": [99], "e/ref": [140]}
    leagues = {"d/ref": LEAKY, "e/ref": LEAKY} | dict.fromkeys(("a/ref", "b/ref", "c/ref"), SAFE)
    measuring, plan, passed = enter(scores, leagues, configurations=two_configurations(recipes))
    listed = [group[0].recipe for group in passed]
    assert list(measuring.contending(listed)) == listed
    measuring.round(passed, scouting=True)
    assert clockwork.times("measure") == {}
    left = [one.package.selector for one in measuring.contending(listed)]
    assert left == ["crypto_hash/a/ref", "crypto_hash/b/ref", "crypto_hash/d/ref"]
    assert plan.scouts
    assert "crypto_hash/c/ref, crypto_hash/e/ref." in " ".join(footnotes(store, "crypto_hash"))
    assert not footnotes(store, "crypto_sign")
    measuring.unfit = {passed[1][0].recipe.package.place}
    left = [one.package.selector for one in measuring.contending(listed)]
    assert left == ["crypto_hash/a/ref", "crypto_hash/d/ref"]
    measuring.wrong = {passed[0][0].recipe.package.place}
    assert [one.package.selector for one in measuring.contending(listed)] == ["crypto_hash/d/ref"]
    measuring.round([])
    assert set(clockwork.times("measure")) == {"a/ref-O3", "d/ref-O3"}


def test_who_wins_a_contest_after_a_glance_and_then_fails_does_not_win(
    enter: Enter, recipes: Recipes
) -> None:
    """Winners of several configurations are examined in full, and the next best wins."""
    asked: list[list[str | None]] = []

    def confirm(groups: Sequence[Group]) -> list[Group]:
        asked.append([group[0].build.object_hash for group in groups])
        return [one for one in groups if one[0].build.object_hash != "a/ref-O3"]

    scores = {"a/ref": [100], "b/ref": [200]}
    several = two_configurations(recipes)
    measuring, _, passed = enter(scores, configurations=several, confirm=confirm)
    assert [one.code.object_hash for one in measuring.chosen(passed)] == ["b/ref-O3"]
    assert asked == [["a/ref-O3"], ["b/ref-O3"]]


def test_the_same_contest_measures_nothing_twice(hold: Hold, clockwork: Clockwork) -> None:
    """Neither scores nor figures."""
    scores = {"a/ref": [100, 100, 100], "b/ref": [105, 105, 105]}
    assert hold(scores) == ["a/ref-O3"]
    assert hold(scores) == ["a/ref-O3"]
    assert clockwork.launched == []


def test_more_launches_are_added_to_those_that_are_there(hold: Hold, clockwork: Clockwork) -> None:
    """Three after one are two more."""
    hold({"a/ref": [100]}, launches=1)
    hold({"a/ref": [100]}, launches=3)
    assert clockwork.launched == [("a/ref-O3", "measure")] * 2


def test_launches_of_other_sizes_count_for_those_only(
    hold: Hold, clockwork: Clockwork, store: Store
) -> None:
    """Neither do they spoil those of before."""
    hold({"a/ref": [100]}, launches=1)
    (cell,) = store.cells()
    other = Sample("cycles/4095", SizeChoice(0, 0), 1, 1, 4095, (1,) * 3)
    store.put_launch(launch_of(cell.build.cell, "a/ref-O3", 1, (other,)))
    hold({"a/ref": [100]}, launches=1)
    assert clockwork.launched == []
    hold({"a/ref": [100]}, launches=1, curve=True)
    assert clockwork.launched == [("a/ref-O3", "measure")]


def test_a_disturbed_launch_is_repeated_as_often_as_the_plan_allows(
    hold: Hold, clockwork: Clockwork, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    """Twice for one launch wanted; all are kept, and marked."""
    monkeypatch.setattr(
        Quiet, "judged", lambda _, launch: replace(launch, disturbed="a neighbour")
    )
    hold({"a/ref": [100]}, launches=1)
    assert clockwork.times("measure") == {"a/ref-O3": 3}
    assert {one.disturbed for one in store.launch_heads()} == {"a neighbour"}


def test_disturbed_launches_are_not_repeated_while_the_machine_stays_busy(
    hold: Hold, clockwork: Clockwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the 40th in a row on, that for the score among them; the plan allows 50."""
    monkeypatch.setattr(
        Quiet, "judged", lambda _, launch: replace(launch, disturbed="a neighbour")
    )
    hold({"a/ref": [100]}, launches=100)
    assert clockwork.times("measure") == {"a/ref-O3": 100 + 38}


def test_without_scores_nobody_wins() -> None:
    """It is no error."""
    assert winners([]) == []

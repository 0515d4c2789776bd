# SPDX-License-Identifier: MIT
"""A campaign compares what its cells compute, those of earlier rounds and campaigns as well."""

import pytest
from tests.unit.mock.cells import (
    FakeWorkshop,
    Heard,
    Recipes,
    hash_tree,
    heard,
    package,
    recipes,
    store,
    workshop,
)

from assay.check.engine.agreeing import Agreeing
from assay.check.engine.cells import passed
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.model import Verdict
from assay.model.compared import CONFIGURATIONS
from assay.store import Store

__all__ = ["hash_tree", "heard", "package", "recipes", "store", "workshop"]

WANTED = Wanted(keep=True, outputs=True)
ONE, OTHER = (("question 0", "aa"),), (("question 0", "bb"),)


@pytest.fixture(autouse=True)
def _no_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no agent that could be asked for the smallest input."""
    monkeypatch.setattr("assay.check.engine.agreeing.smallest", lambda *_: "m = 00\n")


def verdict(store: Store, recipe: Recipe) -> Verdict:
    """Return the stored verdict on a cell's agreement with others."""
    checks = store.checks(recipe.cell) or ()
    (one,) = [one for one in checks if one.check == CONFIGURATIONS]
    return one.verdict


def test_a_later_round_that_disagrees_fails_the_cells_of_the_earlier_one(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """What was measured already must not be ranked; a warning says so once."""
    first, second, third = recipes("toy/ref", "O1 O2 O3")
    workshop.digests = {"toy/ref-O1": ONE, "toy/ref-O2": ONE, "toy/ref-O3": OTHER}
    engine, agreeing = Engine(workshop, store, 1, heard), Agreeing(workshop, progress=heard)
    rows = agreeing.stored(list(engine.examine([first, second], WANTED)), store)
    assert len(passed(rows)) == 2
    assert verdict(store, first) is Verdict.PASS
    rows = agreeing.stored(list(engine.examine([third], WANTED)), store)
    assert passed(rows) == []
    assert [verdict(store, one) for one in (first, second, third)] == [Verdict.FAIL] * 3
    assert agreeing.changed >= {first.cell, second.cell}
    assert sum("O1 and O2 / O3 disagree" in note for note in heard.notes) == 1


def test_a_campaign_is_compared_with_what_the_store_has_of_another(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """Both are in one table."""
    first, second = recipes("toy/ref", "O1 O3")
    workshop.digests = {"toy/ref-O1": ONE, "toy/ref-O3": OTHER}
    engine = Engine(workshop, store, 1, heard)
    Agreeing(workshop).stored(list(engine.examine([first], WANTED)), store)
    rows = Agreeing(workshop).stored(list(engine.examine([second], WANTED)), store)
    assert passed(rows) == []
    assert verdict(store, first) is Verdict.FAIL


def test_verdicts_of_the_store_are_compared_again(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """A campaign that goes on finds the same."""
    both = recipes("toy/ref", "O1 O3")
    workshop.digests = {"toy/ref-O1": ONE, "toy/ref-O3": OTHER}
    for _ in range(2):
        engine = Engine(workshop, store, 1, heard)
        rows = Agreeing(workshop).stored(list(engine.examine(both, WANTED)), store)
        assert passed(rows) == []
    assert len(workshop.examined) == 2

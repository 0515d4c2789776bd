# SPDX-License-Identifier: MIT
"""Building and checking together: what is asked once, in which order, and after an interrupt."""

import pytest
from tests.unit.mock.cells import FakeWorkshop, Heard, Recipes
from tests.unit.mock.engine import codes_that_pass

from assay.check.depth import Depth, Extent
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.measure.candidate import Group
from assay.model import CheckResult, Verdict
from assay.store import Store

FAILED = CheckResult("toy/works", Verdict.FAIL, "it does not")
SKIPPED = CheckResult("build/fits", Verdict.SKIPPED, "it is for another machine")


def named(groups: list[Group]) -> list[list[tuple[str, str]]]:
    """Write groups of cells as tests name them."""
    return [
        [(one.recipe.package.selector.removeprefix("crypto_hash/"), one.recipe.configuration.name)
         for one in group]
        for group in groups
    ]  # fmt: skip


def test_identical_code_is_examined_once(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """All cells with the code have the verdict and the subject."""
    workshop.codes = {("a/ref", "O3"): "same", ("a/ref", "O2"): "same"}
    listed = recipes("a/ref", "O3 O2 Os")
    groups = codes_that_pass(workshop, store, listed, 2, heard)
    assert named(groups) == [[("a/ref", "O3"), ("a/ref", "O2")], [("a/ref", "Os")]]
    assert sorted(workshop.examined) == [("a/ref", "O3", True), ("a/ref", "Os", False)]
    assert len(workshop.built) == 3
    subjects = [store.subject(recipe.cell) for recipe in listed]
    assert all(one is not None for one in subjects)


def test_identical_code_of_two_packages_is_examined_for_each(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """What is expected of them may differ."""
    workshop.codes = {("a/ref", "O3"): "same", ("b/ref", "O3"): "same"}
    assert len(codes_that_pass(workshop, store, recipes("a/ref b/ref"), 2, heard)) == 2
    assert len(workshop.examined) == 2


def test_the_order_is_that_of_the_recipes_whoever_is_ready_first(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """The first build here ends after the second one."""
    workshop.waits = {("a/ref", "O3"): ("a/ref", "O2")}
    groups = codes_that_pass(workshop, store, recipes("a/ref b/ref", "O3 O2"), 2, heard)
    assert named(groups) == [
        [("a/ref", "O3")], [("a/ref", "O2")], [("b/ref", "O3")], [("b/ref", "O2")]
    ]  # fmt: skip
    assert workshop.built.index(("a/ref", "O2")) < workshop.built.index(("a/ref", "O3"))


def test_the_first_configuration_is_the_one_checked_thoroughly_whoever_is_ready_first(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """The same tree and tools give the same verdicts twice."""
    workshop.codes = {("a/ref", "O3"): "same", ("a/ref", "O2"): "same"}
    workshop.waits = {("a/ref", "O3"): ("a/ref", "O2")}
    codes_that_pass(workshop, store, recipes("a/ref", "O3 O2"), 2, heard)
    assert workshop.examined == [("a/ref", "O3", True)]


def test_what_does_not_build_leaves_the_thorough_check_to_the_next(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """One thorough check of every package that builds at all."""
    workshop.codes = {("a/ref", "O3"): None}
    codes_that_pass(workshop, store, recipes("a/ref", "O3 O2 Os"), 2, heard)
    assert sorted(workshop.examined) == [("a/ref", "O2", True), ("a/ref", "Os", False)]


def test_every_cell_that_does_not_build_has_its_own_reason(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """No code is not the same code."""
    workshop.codes = {("a/ref", "O3"): None, ("a/ref", "O2"): None}
    listed = recipes("a/ref", "O3 O2")
    assert codes_that_pass(workshop, store, listed, 2, heard) == []
    reasons = [one[0].reason for recipe in listed if (one := store.checks(recipe.cell))]
    assert reasons == ["O3 does not compile it", "O2 does not compile it"]


def test_only_what_passed_goes_on(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """Neither failures nor what was skipped."""
    workshop.verdicts = {"b/ref-O3": FAILED, "c/ref-O3": SKIPPED}
    groups = codes_that_pass(workshop, store, recipes("a/ref b/ref c/ref"), 2, heard)
    assert named(groups) == [[("a/ref", "O3")]]


def test_the_same_call_does_nothing_twice(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """It gives the same groups."""
    workshop.codes = {("a/ref", "O3"): "same", ("a/ref", "O2"): "same", ("b/ref", "O2"): None}
    listed = recipes("a/ref b/ref", "O3 O2")
    first = named(codes_that_pass(workshop, store, listed, 2, heard))
    workshop.built.clear()
    workshop.examined.clear()
    assert named(codes_that_pass(workshop, store, listed, 2, heard)) == first
    assert (workshop.built, workshop.examined) == ([], [])
    assert heard.stages[-1] == ("building and checking", 0)


@pytest.mark.parametrize("examined", [0, 1, 3])
def test_after_an_interrupt_the_rest_is_done_in_the_order_of_before(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard, examined: int
) -> None:
    """The same cells are the thorough ones."""
    listed = recipes("a/ref b/ref", "O3 O2")
    workshop.interrupt_after = examined
    with pytest.raises(KeyboardInterrupt):
        codes_that_pass(workshop, store, listed, 1, heard)
    workshop.interrupt_after = None
    groups = named(codes_that_pass(workshop, store, listed, 1, heard))
    assert groups == [
        [("a/ref", "O3")], [("a/ref", "O2")], [("b/ref", "O3")], [("b/ref", "O2")]
    ]  # fmt: skip
    thorough = {one[:2] for one in workshop.examined if one[2]}
    assert thorough == {("a/ref", "O3"), ("b/ref", "O3")}


def test_agents_that_nothing_comes_after_are_thrown_away(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """Thousands of them would fill the disk."""
    workshop.codes = {("b/ref", "O3"): None}
    codes_that_pass(workshop, store, recipes("a/ref b/ref"), 2, heard, keep=False)
    assert sorted(workshop.discarded) == ["crypto_hash/a/ref", "crypto_hash/b/ref"]


def test_a_kept_agent_that_is_gone_is_built_again(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """And only that one."""
    listed = recipes("a/ref", "O3 O2")
    ((first,), _) = codes_that_pass(workshop, store, listed, 1, heard)
    assert first.build.agent is not None
    first.build.agent.unlink()
    workshop.built.clear()
    codes_that_pass(workshop, store, listed, 1, heard)
    assert workshop.built == [("a/ref", "O3")]


def test_who_scouts_is_examined_briefly_and_who_wins_thoroughly(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """A short examination is no answer to whoever wants a full one; a full one answers both."""
    engine = Engine(workshop, store, 1, heard)
    listed = recipes("a/ref b/ref", "O3")
    short = Wanted(Extent(Depth.SHORT), keep=True)
    list(engine.examine(listed, short))
    list(engine.examine(listed, short))
    assert workshop.examined == [("a/ref", "O3", False), ("b/ref", "O3", False)]
    list(engine.examine(listed[:1], Wanted(keep=True)))
    assert workshop.examined[2:] == [("a/ref", "O3", True)]
    list(engine.examine(listed, short))
    list(engine.examine(listed, Wanted(Extent(Depth.GLANCE), keep=True)))
    assert len(workshop.examined) == 3

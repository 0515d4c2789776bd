# SPDX-License-Identifier: MIT
"""Examining in several calls: what one of them found out, the next does not ask again."""

import pytest
from msgspec.structs import replace
from tests.unit.mock.cells import FakeWorkshop, Heard, Recipes
from tests.unit.mock.engine import codes_that_pass

from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.model import CheckResult, Verdict
from assay.store import Store
from assay.targets.catalogue import catalogue, choose

UNFINISHED = CheckResult("agent/patience", Verdict.FAIL, "it took too long")
STOPS = "the code stops with #error: nothing here"


def on(target: str, listed: list[Recipe]) -> list[Recipe]:
    """Return the recipes for another target."""
    (chosen,) = choose([target], catalogue())
    return [replace(one, target=chosen) for one in listed]


def test_builds_for_another_target_are_taken_from_the_store(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """A campaign on an emulated target compiles nothing twice either."""
    listed = on("qemu-mips", recipes("a/ref b/ref"))
    codes_that_pass(workshop, store, listed, 1, heard)
    workshop.built.clear()
    workshop.examined.clear()
    assert len(codes_that_pass(workshop, store, listed, 1, heard)) == 2
    assert (workshop.built, workshop.examined) == ([], [])


def test_a_build_for_one_target_is_not_taken_for_another(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """Their code has nothing in common."""
    listed = recipes("a/ref")
    codes_that_pass(workshop, store, listed, 1, heard)
    codes_that_pass(workshop, store, on("qemu-mips", listed), 1, heard)
    assert workshop.built == [("a/ref", "O3")] * 2


def test_verdicts_on_the_same_code_of_an_earlier_round_are_taken_over(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """The next configurations may give the code that the first ones gave."""
    workshop.codes = {("a/ref", "O3"): "same", ("a/ref", "O2"): "same"}
    first, second = recipes("a/ref", "O3 O2")
    codes_that_pass(workshop, store, [first], 1, heard)
    ((one,),) = codes_that_pass(workshop, store, [second], 1, heard)
    assert workshop.examined == [("a/ref", "O3", True)]
    assert store.checks(one.build.cell) == store.checks(first.cell)
    assert store.subject(one.build.cell) is not None


def test_only_the_first_round_examines_thoroughly(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """A variant of a package is examined thoroughly once."""
    first, second = recipes("a/ref", "O3 O2")
    codes_that_pass(workshop, store, [first], 1, heard)
    codes_that_pass(workshop, store, [second], 1, heard)
    assert workshop.examined == [("a/ref", "O3", True), ("a/ref", "O2", False)]


def test_verdicts_for_want_of_patience_are_not_taken_over(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """With more time the same code may pass; its twins of this call then share the answer."""
    levels: dict[tuple[str, str], str | None] = {
        ("a/ref", level): "same" for level in ("O3", "O2", "Os")
    }
    workshop.codes, workshop.verdicts = levels, {"same": UNFINISHED}
    first, *others = recipes("a/ref", "O3 O2 Os")
    assert codes_that_pass(workshop, store, [first], 1, heard) == []
    workshop.verdicts, workshop.examined = {}, []
    assert [len(each) for each in codes_that_pass(workshop, store, others, 2, heard)] == [2]
    assert [one[:2] for one in workshop.examined] == [("a/ref", "O2")]


@pytest.mark.parametrize(("missing", "verdict"), [(2, Verdict.FAIL), (1, Verdict.SKIPPED)])
def test_variants_that_all_stop_with_an_error_fail_everywhere(
    workshop: FakeWorkshop,
    store: Store,
    recipes: Recipes,
    heard: Heard,
    missing: int,
    verdict: Verdict,
) -> None:
    """One that builds excuses the others; the store has what is yielded, for every report."""
    (one,) = recipes("a/ref")
    package = replace(one.package, variants=2)
    listed = [replace(one, package=package, variant=variant) for variant in (1, 2)]
    workshop.stops = {("a/ref", variant): STOPS for variant in range(1, missing + 1)}
    for _ in range(2):
        found = list(Engine(workshop, store, 1, heard).examine(listed, Wanted()))
        assert found[0].verdict is verdict
        assert store.checks(listed[0].cell) == found[0].checks
        assert [each.recipe.variant for each in found] == [1, 2]
    assert found[1].passed is (missing == 1)

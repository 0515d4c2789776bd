# SPDX-License-Identifier: MIT
"""Cells that take long begin first, and every processor has something to do."""

import os
import sys
from typing import cast

import pytest
from msgspec.structs import replace
from tests.unit.mock.cells import FakeWorkshop, Heard, Recipes, Write
from tests.unit.mock.engine import codes_that_pass

from assay.check.engine.cells import Examination
from assay.check.engine.examine import in_parallel, quick_switches, threads
from assay.check.engine.order import Turn, expected, longest_first, slow_first
from assay.compile.recipe import Recipe
from assay.machine.threads import readable
from assay.model import Build, OperationDetails
from assay.store import Store


def of_operation(recipe: Recipe, operation: str) -> Recipe:
    """Give the same recipe of another operation."""
    details = recipe.package.details
    assert isinstance(details, OperationDetails)
    changed = replace(details, operation=operation)
    return replace(recipe, package=replace(recipe.package, details=changed))


def test_more_to_compile_is_expected_to_take_longer(package: Write, recipes: Recipes) -> None:
    """What compilers take grows with the sources."""
    (short,) = recipes("a/ref")
    longer = replace(short, package=package("b/ref", "int b;\n" * 100))
    assert expected(longer) > expected(short)


@pytest.mark.parametrize("operation", ["crypto_sign", "crypto_kem", "crypto_scalarmult"])
def test_public_keys_are_expected_to_take_longest(
    package: Write, recipes: Recipes, operation: str
) -> None:
    """A hash with many tables is compiled and checked in less time than they are checked in."""
    (short,) = recipes("a/ref")
    longer = replace(short, package=package("b/ref", "int b;\n" * 100))
    assert expected(of_operation(short, operation)) > expected(longer)


def test_a_source_that_is_gone_is_no_failure(recipes: Recipes) -> None:
    """The build says what is missing."""
    (one,) = recipes("a/ref")
    (one.package.root / "hash.c").unlink()
    assert expected(one) == (False, 0)


def test_the_longest_is_built_first(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, package: Write, heard: Heard
) -> None:
    """The order of what is given stays that of the recipes."""
    (short,) = recipes("a/ref")
    longer = replace(short, package=package("b/ref", "int b;\n" * 100))
    groups = codes_that_pass(workshop, store, [short, longer], 1, heard)
    assert [name for name, _ in workshop.built] == ["b/ref", "a/ref"]
    assert [group[0].recipe.package.selector for group in groups] == [
        short.package.selector,
        longer.package.selector,
    ]


def test_packages_begin_before_others_go_on_and_what_took_longest_goes_on_first(
    recipes: Recipes,
) -> None:
    """A short source may be slow code: its first turn tells what the others will take."""
    small, slow, large = recipes("a/ref b/ref c/ref", "O3 O2")[::2]
    turns = [
        Turn(replace(one, configuration=replace(one.configuration, name=name)))
        for one in (small, slow, large)
        for name in ("O3", "O2", "O1")
    ]
    seconds = {small.package.selector: 3.0, slow.package.selector: 90.0}
    begun: list[str] = []
    for turn in longest_first(turns):
        name = turn.recipe.package.selector
        begun.append(f"{name.removeprefix('crypto_hash/')} {turn.recipe.configuration.name}")
        if name in seconds:  # the third one is never done
            turn.seconds = seconds[name]
            turn.settle(cast("Build", None), Examination(None, ()))
    assert begun[:3] == ["a/ref O3", "b/ref O3", "c/ref O3"]
    assert begun[3:7] == ["b/ref O2", "b/ref O1", "a/ref O2", "a/ref O1"]
    assert begun[7:] == ["c/ref O2", "c/ref O1"]


def test_slow_operations_begin_first_where_verdicts_alone_are_wanted(recipes: Recipes) -> None:
    """And implementations of one primitive stay together."""
    hashes = recipes("a/ref b/ref c/ref")
    sign = of_operation(hashes[1], "crypto_sign")
    turns = slow_first(Turn(one) for one in (hashes[0], sign, hashes[2]))
    assert [turn.recipe for turn in turns] == [sign, hashes[0], hashes[2]]


def test_one_processor_has_one_thread_and_several_have_more() -> None:
    """With one worker cells are done one after the other."""
    assert threads(1) == 1
    assert threads(2) > 2


def test_threads_switch_sooner_for_a_while() -> None:
    """And as before in the end."""
    before = sys.getswitchinterval()
    with quick_switches():
        assert sys.getswitchinterval() < before
    assert sys.getswitchinterval() == before


def test_every_item_comes_back_with_its_result() -> None:
    """In whatever order they are done."""
    done = dict(in_parallel(lambda number: number * number, range(20), 2))
    assert done == {number: number * number for number in range(20)}


def test_an_error_is_the_callers_and_the_rest_is_not_begun() -> None:
    """An interrupt is such an error, too."""
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_parallel(work, range(100), 1))
    assert len(begun) < 5


def test_whoever_leaves_early_does_not_wait_for_what_threads_wait_for() -> None:
    """An agent may be silent for minutes."""
    ours, theirs = os.pipe()

    def work(number: int) -> bool:
        return number == 0 or readable(ours, None)

    for number, _ in (going := in_parallel(work, range(2), 2)):
        assert number == 0
        going.close()
    os.close(ours)
    os.close(theirs)

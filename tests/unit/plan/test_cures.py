# SPDX-License-Identifier: MIT
"""Known cures of leaks: options, and the recipes that try them."""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from assay.compile.recipe import Recipe
from assay.plan.recipes import CURES, cures_of


def test_each_option_is_tried_behind_those_of_a_recipe_under_a_name_of_its_own(
    recipes: Callable[..., list[Recipe]],
) -> None:
    """Cells are told apart by names of configurations; the mock's compiler is a gcc."""
    (recipe, *_) = recipes("one/ref", "O2")
    tried = list(cures_of(recipe))
    assert [one for one, _ in tried] == [one for one in CURES if one.family == "gcc"]
    assert all(made.configuration.opt == f"-O2 {one.option}" for one, made in tried)
    names = {made.configuration.name for _, made in tried}
    assert len(names - {recipe.configuration.name}) == len(tried)


def test_an_option_is_tried_with_the_versions_that_have_it(
    recipes: Callable[..., list[Recipe]],
) -> None:
    """Others refuse it, which says nothing."""
    (recipe, *_) = recipes("one/ref", "O2")
    for version, more in (("Debian clang version 14.0.6", 0), ("clang version 19.1.7", 1)):
        compiler = replace(recipe.compiler, family="clang", version=version)
        tried = [one.option for one, _ in cures_of(replace(recipe, compiler=compiler))]
        assert tried.count("-mllvm -disable-select-optimize") == more


def test_the_guide_lists_every_option_with_what_it_turns_off() -> None:
    """Who reads the page sees what is tried."""
    guide = (Path(__file__).parents[3] / "docs/guide/constant-time.md").read_text()
    for one in CURES:
        assert f"| {one.family} | `{one.option}` | {one.undoes} |" in guide

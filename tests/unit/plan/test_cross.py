# SPDX-License-Identifier: MIT
"""Which compilers make code for other targets, and with what options."""

import pytest
from msgspec.structs import replace
from tests.unit.mock.cells import Recipes

from assay.cli.ct import _elsewhere
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.plan.choice import made_for_target
from assay.plan.spread import TargetCells
from assay.targets.catalogue import catalogue, choose


def on(recipes: Recipes, name: str) -> Recipe:
    """Return a recipe for a target; the mock's compiler stands for the target's gcc."""
    (recipe, *_) = recipes("one/ref", "O2")
    (target,) = choose([name], catalogue())
    configuration = replace(recipe.configuration, arch=" ".join(target.options))
    return replace(recipe, configuration=configuration, target=target)


def test_a_named_clang_makes_code_for_a_target_and_a_named_gcc_stands_for_its_own(
    recipes: Recipes,
) -> None:
    """`assay ct --target qemu-amd64 --compiler clang` asked about gcc, without a word."""
    recipe = on(recipes, "qemu-armv4")
    gcc, clang = recipe.compiler, replace(recipe.compiler, family="clang", command="clang-15")
    other = replace(gcc, command="gcc-11")
    assert [one for _, one in made_for_target(recipe, (other,))] == [gcc]
    ((made, compiler),) = made_for_target(recipe, (clang,))
    assert compiler is clang
    assert made.configuration.arch.startswith("--target=arm-linux-gnueabi ")
    assert [one for _, one in made_for_target(recipe, (clang, gcc))] == [gcc, clang]


def test_a_target_that_a_named_compiler_knows_nothing_of_is_an_error(recipes: Recipes) -> None:
    """Silence would look like an answer about clang."""
    recipe = on(recipes, "qemu-alpha")
    place = TargetCells(recipe.target, (recipe,))
    clang = replace(recipe.compiler, family="clang", command="clang")
    with pytest.raises(UsageError, match="clang makes no code for qemu-alpha"):
        _elsewhere(place, (clang,), ("-O2",))
    assert [one.configuration.opt for one in _elsewhere(place, (), ("-Os",)).recipes] == ["-Os"]

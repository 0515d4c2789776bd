# SPDX-License-Identifier: MIT
"""Assembly for 32-bit x86 assembles for x86-64, too, and crashes there: a named reason instead."""

import platform
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.model import Configuration, Package
from assay.plan.choice import fitted

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="about x86-64 only")
X86 = "32-bit x86"


def test_a_64_bit_build_of_32_bit_assembly_fails_with_a_cure(
    builder: Builder, write_package: Callable[..., Package], recipe: Callable[..., Recipe]
) -> None:
    """It neither runs nor crashes; the author is told which option to choose."""
    package = replace(write_package(), architecture=X86)
    build = builder.build(recipe(package, "gcc"))
    assert not build.ok
    assert build.reason.startswith("the package is assembly for 32-bit x86")
    assert "-m32" in build.cure


def test_the_default_configuration_fits_itself_and_a_chosen_one_stays(
    write_package: Callable[..., Package],
) -> None:
    """`check` works at once; who names a configuration gets that one."""
    package = replace(write_package(), architecture=X86)
    default = Configuration("gcc", "gcc", "", "-O2", "gcc_default", "gcc_default")
    chosen = replace(default, name="gcc_default_O2")
    assert fitted(default, package).arch == "-m32"
    assert fitted(chosen, package) == chosen
    assert fitted(default, write_package()) == default

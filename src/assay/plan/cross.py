# SPDX-License-Identifier: MIT
"""Configurations for targets other than this machine: the target's own compilers and options."""

import shutil
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from assay.compile.recipe import Recipe
from assay.model import NATIVE_NAME, Compiler, Configuration, Target
from assay.plan.choice import compiler_of, default_configuration

DEFAULT_LEVEL = "-O2"
CLANG = "clang"
FOREIGN_LEVELS = ("-O2", "-O3", "-Os")
# What gcc alone takes; clang does the same without being told.
GCC_ONLY = frozenset({"-mthumb-interwork", "-mabi=32", "-mlittle-endian", "-mbig-endian"})


def target_configuration(
    target: Target, options: str = DEFAULT_LEVEL, family: str = "gcc"
) -> tuple[Configuration, Compiler]:
    """Return a configuration for a target and its compiler.

    On this machine without further wishes it is the usual default. MachineError if the
    compiler is not there.
    """
    if target.name == NATIVE_NAME and (options, family) == (DEFAULT_LEVEL, "gcc"):
        return default_configuration()
    clang = family == CLANG
    command = CLANG if clang else target.compiler
    arch = " ".join(_clang_options(target) if clang else target.options)
    name = "_".join((command, target.name, options.replace(" ", "").lstrip("-")))
    configuration = Configuration(family, command, arch, options, name, name)
    return configuration, compiler_of(configuration)


def foreign_configurations(target: Target) -> tuple[tuple[Configuration, Compiler], ...]:
    """Return a target's compilers with a few levels, each level with all compilers."""
    return tuple(
        target_configuration(target, level, family)
        for level in FOREIGN_LEVELS
        for family in families(target)
    )


def families(target: Target) -> Iterator[str]:
    """Name the compilers that can make code for the target here."""
    if shutil.which(target.compiler):
        yield "gcc"
    if (target.clang_triple or target.is_native) and shutil.which(CLANG):
        yield CLANG


def made_for_target(
    recipe: Recipe, compilers: Iterable[Compiler]
) -> Iterator[tuple[Recipe, Compiler]]:
    """Yield a target's recipe with its own gcc if one of them is a gcc, and with each clang.

    A clang makes code for all targets of which it is known what it calls them.
    """
    asked = tuple(compilers)
    if any(one.family != CLANG for one in asked):
        yield recipe, recipe.compiler
    arch = " ".join(_clang_options(recipe.target))
    changed = replace(recipe, configuration=replace(recipe.configuration, arch=arch))
    if recipe.target.clang_triple:
        yield from ((changed, one) for one in asked if one.family == CLANG)


def _clang_options(target: Target) -> tuple[str, ...]:
    if target.is_native:
        return ()
    kept = tuple(option for option in target.options if option not in GCC_ONLY)
    return (f"--target={target.clang_triple}", *kept)

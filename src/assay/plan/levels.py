# SPDX-License-Identifier: MIT
"""The recipes of a package with every compiler of this machine, at every level."""

import functools
from dataclasses import replace

from assay.compile.recipe import Recipe
from assay.model import Compiler
from assay.toolchain.remembered import examine

COMMANDS = ("gcc", "clang")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")


def at_every_level(recipe: Recipe) -> tuple[Recipe, ...]:
    """Return recipes like this one, and not the same; they differ in compiler and level."""
    opt = recipe.configuration.opt.split()
    others = [word for word in opt if not word.startswith("-O")]
    made = (
        _compiled(recipe, compiler, " ".join((level, *others)), level)
        for compiler in _compilers()
        for level in LEVELS
    )
    now = recipe.configuration.command, recipe.configuration.opt
    return tuple(o for o in made if (o.configuration.command, o.configuration.opt) != now)


def _compiled(recipe: Recipe, compiler: Compiler, opt: str, level: str) -> Recipe:
    name = f"{compiler.command}_{level.removeprefix('-')}"
    own = {"family": compiler.family, "command": compiler.command, "opt": opt}
    configuration = replace(recipe.configuration, **own, name=name, tag=name)
    return replace(recipe, configuration=configuration, compiler=compiler)


@functools.cache
def _compilers() -> tuple[Compiler, ...]:
    asked = (examine(command) for command in COMMANDS)
    return tuple(one for one in asked if isinstance(one, Compiler))

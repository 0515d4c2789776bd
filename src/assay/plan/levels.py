# SPDX-License-Identifier: MIT
"""The recipes of a package with every compiler of this machine, at every level."""

import functools
import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from assay.compile.recipe import Recipe
from assay.model import Compiler
from assay.toolchain.remembered import examine
from assay.toolchain.search import candidates

COMMANDS = ("gcc", "clang")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
WIDTHS = ("-m32", "-m64")
MATRIX = (*LEVELS, "-Ofast")


def at_every_level(recipe: Recipe) -> tuple[Recipe, ...]:
    """Return recipes like this one, and not the same; they differ in compiler and level.

    Compilers take turns, so that each of them is among those for which there is time.
    """
    compilers = _compilers(COMMANDS)
    made = [one for level in LEVELS for one in compiled(recipe, compilers, (level,))]
    now = recipe.configuration.command, recipe.configuration.opt
    return tuple(o for o in made if (o.configuration.command, o.configuration.opt) != now)


def compiled(
    recipe: Recipe, compilers: Iterable[Compiler], levels: Sequence[str], *, plain: bool = False
) -> tuple[Recipe, ...]:
    """Return recipes like this one: each compiler at each level, which may be several options.

    With `plain`, also those without the options that choose a processor.
    """
    opt, own = recipe.configuration.opt.split(), recipe.configuration.arch
    others = [word for word in opt if not word.startswith("-O")]
    widths = " ".join(word for word in own.split() if word in WIDTHS)
    archs = dict.fromkeys((own, widths)) if plain else (own,)
    return tuple(
        _compiled(recipe, compiler, " ".join((level, *others)), level, arch)
        for compiler in compilers
        for arch in archs
        for level in levels
    )


def every_compiler() -> tuple[Compiler, ...]:
    """Return each gcc and clang of the path, in all versions; one with two names once."""
    named = tuple(one.command for one in candidates() if one.family in COMMANDS)
    found: dict[str, Compiler] = {}
    for one in _compilers(named):
        found.setdefault(one.identity, one)
    return tuple(found.values())


def _compiled(recipe: Recipe, compiler: Compiler, opt: str, level: str, arch: str) -> Recipe:
    name = f"{compiler.command}_{re.sub(r'[^A-Za-z0-9]+', '-', level).strip('-')}"
    if arch != recipe.configuration.arch:
        name += "_plain"
    own = {"family": compiler.family, "command": compiler.command, "opt": opt, "arch": arch}
    configuration = replace(recipe.configuration, **own, name=name, tag=name)
    return replace(recipe, configuration=configuration, compiler=compiler)


@functools.cache
def _compilers(commands: tuple[str, ...]) -> tuple[Compiler, ...]:
    asked = (examine(command) for command in commands)
    return tuple(one for one in asked if isinstance(one, Compiler))

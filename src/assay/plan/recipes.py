# SPDX-License-Identifier: MIT
"""Recipes beyond a plan's own: every compiler at every level, and options that take leaks away.

Each of these options undoes one thing that a compiler does to code without branches and tables
of its own.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
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


class Cure(Struct, frozen=True):
    """An option, the family of compilers that has it, what it turns off, and who says so.

    `since` is the first version that has it.
    """

    option: str
    family: str
    undoes: str
    source: str
    since: int = 0


def _gcc(option: str, undoes: str, source: str = "gcc manual, Optimize Options") -> Cure:
    return Cure(option, "gcc", undoes, source)


def _clang(option: str, undoes: str, source: str, since: int = 0) -> Cure:
    return Cure(option, "clang", undoes, source, since)


CURES = (
    _clang(
        "-mllvm -x86-cmov-converter=false",
        "conditional moves of the back end become branches",
        "LLVM, X86CmovConversion.cpp; PQClean issues 556 and 608",
    ),
    _clang(
        "-mllvm -disable-select-optimize",
        "selects of rare operands become branches",
        "LLVM, SelectOptimize.cpp",
        since=15,
    ),
    _clang(
        "-mllvm -enable-nontrivial-unswitch=false",
        "a condition moves out of a loop as a branch",
        "LLVM, SimpleLoopUnswitch.cpp",
    ),
    _clang(
        "-mllvm -enable-dfa-jump-thread=false -mllvm -jump-threading-threshold=0",
        "a known condition jumps past its tests",
        "LLVM, JumpThreading.cpp",
    ),
    _clang("-fno-jump-tables", "a switch jumps through a table", "clang manual"),
    _clang("-fno-builtin", "calls such as memcmp are replaced by code", "clang manual"),
    _clang("-fno-inline-functions", "a function shows its caller a mask's values", "clang manual"),
    _clang("-fvectorize", "(turns on) loops of masks become vectors", "clang manual"),
    _gcc("-fno-split-paths", "paths behind a condition are doubled"),
    _gcc("-fno-thread-jumps", "a known condition jumps past its tests"),
    _gcc("-fno-unswitch-loops", "a condition moves out of a loop as a branch"),
    _gcc("-fno-tree-switch-conversion", "a switch becomes a table"),
    _gcc("-fno-jump-tables", "a switch jumps through a table"),
    _gcc("-fno-builtin", "calls such as memcmp are replaced by code"),
    _gcc("-fno-inline", "a function shows its caller a mask's values"),
    _gcc("-fno-tree-vrp -fno-tree-ccp -fno-tree-bit-ccp", "ranges and bits of values are known"),
    _gcc("-fif-conversion -fif-conversion2", "(turns on) branches become conditional moves"),
)


def cures_of(recipe: Recipe) -> Iterator[tuple[Cure, Recipe]]:
    """Yield what is known for a recipe's compiler, each with the recipe that tries it."""
    for cure in CURES:
        major = re.search(r"\d+(?=\.)", recipe.compiler.version)
        has = major is None or int(major[0]) >= cure.since
        if cure.family == recipe.compiler.family and has:
            yield cure, with_options(recipe, cure.option)


def with_options(recipe: Recipe, options: str) -> Recipe:
    """Return a recipe with further options behind its own."""
    old = recipe.configuration
    name = f"{old.name}_{re.sub(r'[^A-Za-z0-9]+', '-', options).strip('-')}"
    configuration = replace(old, opt=f"{old.opt} {options}", name=name, tag=name)
    return replace(recipe, configuration=configuration)

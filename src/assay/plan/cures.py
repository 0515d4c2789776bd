# SPDX-License-Identifier: MIT
"""Options that are known to take leaks away which compilers make, and recipes that try them.

Each undoes one thing that a compiler does to code without branches and tables of its own.
"""

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay.compile.recipe import Recipe


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

# SPDX-License-Identifier: MIT
"""Calls of `randombytes` where `size_t` has fewer bits than SUPERCOP's length.

SUPERCOP's function takes `unsigned long long`, PQClean's and others' `size_t`. On machines of 64
bits both are called alike; on others the callee would look for the length elsewhere. Which one a
source declares its compiler says: a constant that needs more bits overflows. Such a source calls
a function of the harness that takes what it gives (harness/supercop/narrow/randombytes.c).
"""

import re
import shlex
from collections.abc import Mapping, Sequence

from assay.compile.recipe import Recipe
from assay.compile.supercop.names import details_of
from assay.model import Package
from assay.package.text import code_of, defines, read_text

NAME = "randombytes"
SERVICE = "../provided/narrow/randombytes.c"
WIDTHS = (16, 32)
OVERFLOWS = {"gcc": "overflow", "clang": "constant-conversion"}
UNDECLARED = "implicit-function-declaration"
NARROW = ("-m32", "-mx32")
C = (".c", ".cc", ".cpp")
HEADERS = (".h", ".hpp", ".inc")
DECLARING = ("randombytes.h", "rng.h", "api.h")
_CALLED = re.compile(rf"\b{NAME}\b")


def is_narrow(recipe: Recipe) -> bool:
    """Return whether a recipe's machine has less than 64 bits, and its compiler can be asked."""
    of_32 = recipe.target.bits < 64 or any(one in recipe.arch for one in NARROW)
    return of_32 and recipe.compiler.family in OVERFLOWS


def drawing_sources(package: Package) -> frozenset[str]:
    """Name the sources that may call `randombytes`: all, if a header's macro may call it for them.

    None do where the package defines it: then `object/names` refuses it.
    """
    places = package.places
    texts = {one: code_of(read_text(path)) for one, path in places.items()
             if one.endswith((*C, *HEADERS))}  # fmt: skip
    calling = {one for one, text in texts.items() if _CALLED.search(text)}
    sources = {one for one in package.sources if one.endswith(C)}
    given = {one for one, macro in details_of(package).defines if macro.startswith(f"{NAME}=")}
    if any(defines(texts[one], NAME) for one in calling & sources - given):
        return frozenset()
    by_macro = any(_named(one) not in DECLARING for one in calling if one.endswith(HEADERS))
    return frozenset((sources if by_macro else calling & sources) - given)


def _named(file: str) -> str:
    return file.rsplit("/", 1)[-1]


def asking_lines(
    recipe: Recipe, package: Package, words: Sequence[str], more: Mapping[str, list[str]]
) -> dict[str, str]:
    """Return for each source that may draw the line that sets `length`, an option or nothing.

    `words` and `more` are what `compile_lines` takes.
    """
    if not is_narrow(recipe):
        return {}
    standing = "c++" if details_of(package).language == "c++" else "c"
    refused = f"-Werror={OVERFLOWS[recipe.compiler.family]}", f"-Werror={UNDECLARED}"
    ended = (*refused, "-fsyntax-only", "-x", standing, "-")
    return {
        source: _asking(source, shlex.join([*words, *more.get(source, ()), *ended]))
        for source in sorted(drawing_sources(package))
    }


def _asking(source: str, line: str) -> str:
    including = shlex.quote(f'#include "{source}"')
    asked = f'"void assay_asks(void) {{ {NAME}(0, 1ULL << $bits); }}"'
    chosen = f'length="${{length:--D{NAME}=assay_{NAME}_$bits}}"'
    return (
        f"length=; for bits in {' '.join(map(str, WIDTHS))}; do "
        f"printf '%s\\n' {including} {asked} | {line} >/dev/null 2>&1 || {chosen}; done"
    )

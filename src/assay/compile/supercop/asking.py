# SPDX-License-Identifier: MIT
"""What a package's own compiler alone can tell: a length's type, and which headers it opens.

Calls of `randombytes` are narrow where `size_t` has fewer bits than SUPERCOP's length. SUPERCOP's
function takes `unsigned long long`, PQClean's and others' `size_t`. On machines of 64 bits both
are called alike; on others the callee would look for the length elsewhere. Which one a source
declares its compiler says: a constant that needs more bits overflows. Such a source calls a
function of the harness that takes what it gives (harness/supercop/narrow/randombytes.c).

Which headers of libraries that are missing here it would open, text alone does not tell: sources
choose between systems by macros of compilers and of headers. So the preprocessor is asked, with an
empty file in the place of every header that the text names and nothing has. It is asked only where
a library is missing, as most packages need none.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from assay.compile.files import is_regular
from assay.compile.recipe import Recipe
from assay.compile.supercop.lines import script
from assay.compile.supercop.names import details_of
from assay.execute.command import run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over
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
ABSENT, TEXTS = "absent", "opened"
LAST = "api.h"
LONGEST_TEXT_BYTES = 64 << 20
_MARKER = re.compile(r'^#(?:line)? \d+ "([^"\n]+)"', re.MULTILINE)
_ASKED_FOR = re.compile(r"__has_include(?:_next)?[ \t]*\([ \t]*[<\"]([^>\"\n]+)")
_MISSING = re.compile(r"No such file or directory|file not found")


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
    headers = (PurePath(one).name for one in calling if one.endswith(HEADERS))
    by_macro = any(one not in DECLARING for one in headers)
    return frozenset((sources if by_macro else calling & sources) - given)


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


def opened_headers(
    package: Package,
    headers: frozenset[str],
    words: Sequence[str],
    more: Mapping[str, list[str]],
    home: Path,
    jail: Jail,
) -> frozenset[str]:
    """Return which of `headers`, as an #include writes them, a compiler opens for a package.

    `words` and `more` are what `compile_lines` takes, and `home` is laid out for it. All of them
    are returned if the preprocessor does not get through.
    """
    stand_ins = headers - set(_asked_for(package))
    _place(home / ABSENT, stand_ins)
    hand_over(home)
    line = [*words, "-idirafter", f"../{ABSENT}", "-w", "-E"]
    lines = [f"mkdir {TEXTS}", "cd package"]
    sources = [one for one in (*package.sources, LAST) if not one.endswith(".s")]
    for number, source in enumerate(sources):
        language = ["-x", "c"] if source == LAST else []
        own = shlex.join([*line, *more.get(source, ()), *language, source])
        lines.append(f"{own} > ../{TEXTS}/{number} || :")
    ended = run_jailed(script(lines), home, jail, LONG_COMPILE_LIMITS)
    places = [home / TEXTS / str(number) for number in range(len(sources))]
    whole = all(is_regular(one) and one.stat().st_size <= LONGEST_TEXT_BYTES for one in places)
    if not ended.ok or _MISSING.search(ended.output) or not whole:
        return headers
    texts = (one.read_bytes().decode("utf-8", "replace") for one in places)
    opened = {f"/{one}" for text in texts for one in _MARKER.findall(text)}
    return frozenset(one for one in headers if any(path.endswith(f"/{one}") for path in opened))


def _asked_for(package: Package) -> Iterable[str]:
    """Yield the headers of which a package asks whether they are there."""
    for path in package.places.values():
        with suppress(OSError, UnicodeError):
            yield from _ASKED_FOR.findall(code_of(read_text(path)))


def _place(folder: Path, names: Iterable[str]) -> None:
    """Write empty headers; a name that leaves the folder, or is a folder's, gets none."""
    folder.mkdir()
    for name in names:
        parts = PurePath(name).parts
        if parts and not {"..", "/"} & set(parts):
            with suppress(OSError):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).touch()

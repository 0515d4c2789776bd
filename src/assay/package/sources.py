# SPDX-License-Identifier: MIT
"""Which files of a package are compiled.

With a Makefile the original compiles `$(name).c`, `.S` or `.s`, the first that
exists. A raw submission has no such line but test programs, framework files
and parts that are included; those are told apart by what they define.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from assay.errors import PackageError
from assay.model.apis import STREAM_HEADERS
from assay.package.builds.makefile import MakefileSettings
from assay.package.text import defines, has_main, includes
from assay.package.tree import Contents

SUFFIXES = (".c", ".S", ".s")
_KEYSETUP = ("ECRYPT_keysetup", "ECRYPT_AE_keysetup")
_FRAMEWORK = re.compile(r"ecrypt-[a-z-]+\.c", re.IGNORECASE)


def choose_sources(contents: Contents, settings: MakefileSettings) -> tuple[str, ...]:
    """Name the sources to compile and link, or raise a PackageError."""
    if settings.sources:
        return _listed(contents, settings.sources)
    if settings.name:
        for suffix in SUFFIXES:
            if settings.name + suffix in contents.files:
                return (settings.name + suffix,)
    found = _without_rivals(contents, candidates(contents))
    if not found:
        raise PackageError(
            f"{contents.folder} has no source file",
            "Put the .c, .S or .s file next to the header (suffixes are case-sensitive).",
        )
    return found


def _listed(contents: Contents, names: tuple[str, ...]) -> tuple[str, ...]:
    """Check the names of a `sources` line."""
    for name in names:
        if name not in contents.files or not name.endswith(SUFFIXES):
            raise PackageError(
                f"{contents.folder} has no source {name!a}, which the Makefile lists",
                "Fix the `sources` line.",
            )
    return names


def candidates(contents: Contents) -> tuple[str, ...]:
    """Name the sources of a folder that are neither framework, test program nor included part."""
    names = [n for n in contents.top(*SUFFIXES) if not _FRAMEWORK.fullmatch(n)]
    included = {part for name in names for part in includes(contents.text(name))}
    names = [n for n in names if n not in included]
    cipher = [n for n in names if not _is_program(contents, n)]
    return tuple(cipher if any(exports_keysetup(contents, n) for n in cipher) else names)


def _is_program(contents: Contents, name: str) -> bool:
    """Return whether a file has a main() that does not vanish inside the framework."""
    return has_main(contents.code(name)) and "ECRYPT_API" not in contents.code(name)


def exports_keysetup(contents: Contents, name: str) -> bool:
    """Return whether a file, or a part that it includes, defines the key setup."""
    parts = [p for p in includes(contents.text(name)) if p in contents.files]
    code = "\n".join(contents.code(part) for part in (name, *parts) if not part.endswith(".h"))
    return any(defines(code, function) for function in _KEYSETUP)


def _without_rivals(contents: Contents, names: Iterable[str]) -> tuple[str, ...]:
    """Keep one implementation: `x.c` before `x.S`; two different ones are an error."""
    names = tuple(names)
    rivals = [n for n in names if exports_keysetup(contents, n)]
    if len(rivals) < 2:
        return names
    stems = {name.rsplit(".", 1)[0] for name in rivals}
    if len(stems) > 1:
        raise PackageError(
            f"{contents.folder} has several implementations: {', '.join(rivals)}",
            f"Give each a folder of its own, or write `name = {min(stems)}` into a Makefile.",
        )
    best = min(rivals, key=lambda n: SUFFIXES.index("." + n.rsplit(".", 1)[1]))
    return tuple(n for n in names if n == best or n not in rivals)


def reached(contents: Contents, names: Iterable[str]) -> set[str]:
    """Name the files given and all that they include in quotes, inside the package."""
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in contents.files and name not in found:
            found.add(name)
            queue += includes(contents.text(name))
    return found


_HEAD = re.compile(
    r"^((?:[A-Za-z_][^;{}()=#\n]{0,200}?\b)?)([A-Za-z_]\w*)[ \t]*[\[(=]", re.MULTILINE
)
_WORD = re.compile(r"[A-Za-z_]\w*")


class Parts(Struct, frozen=True):
    """The sources to link, the cipher's first, and all files that they include, themselves too."""

    linked: tuple[str, ...]
    reached: tuple[str, ...]


def needed_parts(contents: Contents, main: str) -> Parts:
    """Name the sources to link and the files they include, starting from the cipher's source.

    Another source is needed if it defines a function that needed text mentions
    and is no test program.
    """
    headers = [n for n in contents.top("") if n.lower() in STREAM_HEADERS]
    others = [n for n in candidates(contents) if n != main and not exports_keysetup(contents, n)]
    linked = [main]
    while True:
        files = reached(contents, [*linked, *headers])
        words = {word for n in files for word in _WORD.findall(contents.code(n))}
        more = [n for n in others if n not in linked and _defines_any(contents.code(n), words)]
        if not more:
            return Parts(tuple(linked), tuple(sorted(files)))
        linked += more


def _defines_any(code: str, words: Iterable[str]) -> bool:
    """Return whether the text defines one of the functions or objects named."""
    heads = {name for before, name in _HEAD.findall(code) if "static" not in before.split()}
    return bool(heads.intersection(words))

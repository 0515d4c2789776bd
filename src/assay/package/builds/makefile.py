# SPDX-License-Identifier: MIT
"""The Makefile of an eSTREAM package: three lines that matter, read and written.

make is never run on a submitted Makefile: `$(shell ...)` would execute.
"""

import re
import shlex

from msgspec import Struct

from assay.errors import PackageError

_STANDARDS = (
    *("c89", "c90", "c9x", "c99", "c1x", "c11", "c17", "c18", "c2x", "c23"),
    *("iso9899:1990", "iso9899:199409", "iso9899:1999", "iso9899:199x"),
    *("iso9899:2011", "iso9899:2017", "iso9899:2018", "iso9899:2024"),
)
_GNU = tuple(name.replace("c", "gnu", 1) for name in _STANDARDS if name.startswith("c"))

# What code may need to be right. None lets a compiler do more than it may without it.
SEMANTICS = (
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fsigned-char",
    "-funsigned-char",
    "-fgnu89-inline",
    "-trigraphs",
)

_ALLOWED = re.compile(
    "|".join(
        (
            "-ansi",
            "-pedantic(-errors)?",
            f"-std=({'|'.join(map(re.escape, (*_STANDARDS, *_GNU)))})",
            *map(re.escape, SEMANTICS),
            r"-Wa,-Av[789][a-z]?",  # which instructions the assembler of SPARC knows
            r"-W(?![alp]$)([a-z][a-z0-9+-]*(=[a-z0-9-]+)?)?",  # -Wa, -Wl and -Wp pass things on
            r"-D[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_ .,:;+*/%()<>=&|^~!?\"'-]*)?",
            r"-U[A-Za-z_][A-Za-z0-9_]*",
        )
    )
)


def is_allowed(option: str) -> bool:
    """Return whether an option of a `std` line is passed to the compiler."""
    return _ALLOWED.fullmatch(option) is not None


NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_EXPANSION = re.compile(r"\$(?:\([^()\n]*\)|\{[^{}\n]*\})")
_NO_BLANK = "\0"  # stands for a blank inside an expansion
_LINE = re.compile(r"^ *(name|type|std|sources)[ \t]*(\+|\?|:{0,2})=[ \t]*([^#\n]*)", re.MULTILINE)

OUTSIDE = (
    "this package is outside of a clone of Assay: there, `assay check .` and "
    "`assay vectors . -o unverified.test-vectors` do what make does"
)
_TEMPLATE = """\
name = {name}
type = {type}
std = {std}
{extra}
srcdir = .
root := $(shell cd '$(srcdir)' && \\
  until [ -r test/ecrypt-test.mk ] || [ "$$PWD" = / ]; do cd ..; done; pwd)

$(if $(wildcard $(root)/test/ecrypt-test.mk),,$(error {outside}))
include $(root)/test/ecrypt-test.mk
"""


class MakefileSettings(Struct, frozen=True):
    """What a package's Makefile sets; None where it has no such line.

    `sources` is an addition of Assay: the original compiles `$(name).c` alone.
    """

    name: str | None = None
    type: str | None = None
    std: tuple[str, ...] | None = None
    sources: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def parse_makefile(text: str) -> MakefileSettings:
    """Read the `name`, `type`, `std` and `sources` lines; the last of a kind counts.

    Words of `std` that make would have to expand are left out and kept in
    `expanded`, options that are not passed on in `refused`. A name or type with a word to
    expand is a PackageError.
    """
    values: dict[str, str] = {}
    for key, operator, value in _LINE.findall(text.replace("\\\n", " ")):
        if operator == "?" and key in values:
            continue
        values[key] = f"{values.get(key, '')} {value}" if operator == "+" else value
    words = _words(values.get("std", ""))
    plain = [word for word in words if "$" not in word]
    return MakefileSettings(
        name=_plain("name", values.get("name", "")),
        type=_plain("type", values.get("type", "")),
        std=tuple(filter(is_allowed, plain)) if "std" in values else None,
        sources=tuple(values.get("sources", "").split()),
        expanded=tuple(word for word in words if "$" in word),
        refused=tuple(word for word in plain if not is_allowed(word)),
    )


def _words(value: str) -> list[str]:
    """Split as a shell would, what make expands kept whole; unbalanced quotes as blanks."""
    value = _EXPANSION.sub(lambda found: found[0].replace(" ", _NO_BLANK), value)
    try:
        words = shlex.split(value)
    except ValueError:
        words = value.split()
    return [word.replace(_NO_BLANK, " ") if "$" in word else word for word in words]


def _plain(key: str, value: str) -> str | None:
    """Accept an empty value or a plain file name."""
    value = value.strip()
    if value and not NAME.fullmatch(value):
        raise PackageError(
            f"the Makefile's {key} is {value!a}, which is no plain name",
            f"Write `{key} = ` and a word of letters, digits, dots and dashes.",
        )
    return value or None


def makefile_text(name: str, type: str, std: str, sources: tuple[str, ...] = ()) -> str:  # noqa: A002 - the Makefile's own word
    """Write a package's Makefile.

    It finds the framework by looking for test/ecrypt-test.mk upwards. `sources`
    is written only where `$(name).c` is not all there is.
    """
    extra = f"sources = {' '.join(sources)}\n" if sources else ""
    return _TEMPLATE.format(name=name, type=type, std=std, extra=extra, outside=OUTSIDE)

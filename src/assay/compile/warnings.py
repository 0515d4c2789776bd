# SPDX-License-Identifier: MIT
"""What compilers warn of that makes code crash or compute something else.

The wordings are those of gcc, clang and tcc. Of warnings in the package's own files the grave
ones are kept; most of the others (unused variables, comments) say nothing of what code does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

_WARNING = re.compile(r"^([^\s:][^\n:]*):(\d+):(?:\d+:)? warning: ([^\n]*)", re.MULTILINE)
_OURS = ("/", "../")  # headers of the system, and what the harness offers packages
_PLACE, _FLAG = re.compile(r"^(?:\./)*(?:package/)?"), re.compile(r" \[-W[^\]\n]*\]$")
_QUOTES = str.maketrans("\u2018\u2019`", "'''")
_UNDECLARED = re.compile(r"implicit declaration of function '(\w+)|to undeclared function '(\w+)")
_LIBRARY = re.compile(
    r"implicit declaration of built-in function '(\w+)|declaring library function '(\w+)"
)
_POINTER = re.compile(
    r"makes pointer from integer|integer to pointer conversion|cast to pointer from integer"
    r"|cast to '[^'\n]*\*' from smaller integer"
)
_AMBIGUOUS = "cast between pointer and integer of different size"  # so tcc says it of both ways
_WRONG_TYPE = re.compile(
    r"makes integer from pointer|pointer to integer conversion|incompatible(?: \S+)? pointer"
    r"|reaches end of non-void|does not return a value|should return a value"
    r"|might return no value|'return' with no value"
    r"|\[-W(?:int-conversion|incompatible(?:-function)?-pointer-types|return-type)\]"
)
_SUSPECT = re.compile(
    r"\[-W(?:(?:maybe-|sometimes-)?uninitialized|array-bounds|stringop-over\w+|overflow"
    r"|integer-overflow|shift-[\w-]+|sizeof-[\w-]+|return-(?:local-addr|stack-address)"
    r"|aggressive-loop-optimizations|dangling-pointer|free-nonheap-object|restrict"
    r"|constant-conversion|pointer-to-int-cast)\b"
)


class Danger(IntEnum):
    """How surely a warning tells why code fails; the gravest first."""

    CUT = 0  # a pointer goes through an int, so half of it is lost
    UNDECLARED = 1
    WRONG_TYPE = 2
    SUSPECT = 3  # compilers warn of correct code, too


@dataclass(frozen=True, slots=True)
class Warned:
    """A grave warning: file and line in the package, and what it says, in one line."""

    danger: Danger
    place: str
    text: str

    def __str__(self) -> str:
        """Return the place and the text."""
        return f"{self.place}: {self.text}"


def warnings_of(diagnostics: str) -> list[Warned]:
    """Return what compilers warned of in the package's own files, the gravest first."""
    lines: dict[str, list[str]] = {}
    for file, line, text in _WARNING.findall(diagnostics.translate(_QUOTES)):
        if not file.startswith(_OURS):
            lines.setdefault(f"{_PLACE.sub('', file)}:{line}", []).append(text)
    found = (one for place, texts in lines.items() for one in _of_line(place, texts))
    return sorted(found, key=lambda one: one.danger)


def _of_line(place: str, texts: list[str]) -> Iterator[Warned]:
    """Yield the grave warnings of a line; all that a missing declaration causes is one."""
    together = "\n".join(texts)
    library, undeclared = _LIBRARY.search(together), _UNDECLARED.search(together)
    pointer = _POINTER.search(together) is not None
    if library:
        name = library[1] or library[2]
        yield Warned(Danger.WRONG_TYPE, place, f"no header declares the library's {name}")
    elif undeclared:
        name = undeclared[1] or undeclared[2]
        cut = pointer or _AMBIGUOUS in together
        result = "its pointer is cut to int" if cut else "its result is taken for an int"
        text = f"implicit declaration of function '{name}'; {result}"
        yield Warned(Danger.CUT if cut else Danger.UNDECLARED, place, text)
    for text in dict.fromkeys(texts):
        short = _FLAG.sub("", text)
        if _POINTER.search(text) and not undeclared:
            yield Warned(Danger.CUT, place, f"{short}; a pointer does not fit into an int")
        elif _WRONG_TYPE.search(text):
            yield Warned(Danger.WRONG_TYPE, place, short)
        elif _SUSPECT.search(text):
            yield Warned(Danger.SUSPECT, place, short)

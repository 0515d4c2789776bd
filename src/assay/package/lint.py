# SPDX-License-Identifier: MIT
"""What PQClean and others ask of sources, and what compilers warn of when they are asked to.

Nothing here is a defect by itself: plain `char` is signed on one machine and not on the next,
branches of the preprocessor are code that most builds do not see, memory that is allocated may not
be there, and so on. Rules on text look at code without its comments and strings.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from assay.errors import PackageError
from assay.model import Package
from assay.package.text import read_text

SOURCES = (".c", ".cc", ".cpp")
WARNINGS = (
    *("-Wall", "-Wextra", "-Wvla", "-Walloca", "-Wshadow", "-Wcast-align=strict"),
    *("-Wpointer-arith", "-Wundef", "-Wwrite-strings", "-Wredundant-decls"),
)
# Comments, strings and characters, whose text no rule is about; lines keep their numbers.
_BLANK = re.compile(
    r"""/\*.*?(?:\*/|\Z)|//[^\n]*|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""", re.DOTALL
)
_TEXT = re.compile(r"[^\n]")
_WARNING = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? warning: (?P<text>.*?) \[-W(?P<rule>[^\]\n]+)\]$",
    re.MULTILINE,
)
# A rule, what it looks for, and why.
RULES = (
    ("plain-char", r"(?<!signed )(?<!const )\bchar\b", "`char` is signed on some machines only"),
    ("bool", r"\b(?:bool|_Bool)\b", "ANSI C has no such type"),
    (
        "conditional",
        r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b",
        "code that most builds do not see",
    ),
    ("allocation", r"\b(?:malloc|calloc|realloc|alloca|free)[ \t]*\(", "memory may not be there"),
    ("goto", r"\bgoto\b", "readers lose their way"),
    ("output", r"\b(?:printf|fprintf|puts|exit|abort|assert)[ \t]*\(", "a library says nothing"),
)
_RULES = tuple((name, re.compile(pattern, re.MULTILINE)) for name, pattern, _ in RULES)
REASONS = {name: why for name, _, why in RULES}


class LintFinding(Struct, frozen=True):
    """A place in a source that a rule, or a compiler's warning, is about."""

    rule: str
    file: str
    line: int
    text: str


def of_text(package: Package) -> Iterator[LintFinding]:
    """Yield what rules find in the sources of a package."""
    for name in package.sources:
        if not name.endswith(SOURCES):
            continue
        with suppress(PackageError):
            yield from _in_text(name, read_text(package.root / name))


def _in_text(name: str, text: str) -> Iterator[LintFinding]:
    lines = text.split("\n")
    code = _BLANK.sub(lambda one: _TEXT.sub(" ", one[0]), text)
    for rule, pattern in _RULES:
        for found in pattern.finditer(code):
            line = code.count("\n", 0, found.start()) + 1
            yield LintFinding(rule, name, line, lines[line - 1].strip()[:100])


def of_compiler(diagnostics: str) -> Iterator[LintFinding]:
    """Yield the warnings among a compiler's messages, each once."""
    pairs = ((one["rule"], one["file"], int(one["line"]), one["text"][:100])
             for one in _WARNING.finditer(diagnostics))  # fmt: skip
    for rule, file, line, said in dict.fromkeys(pairs):
        yield LintFinding(rule, file.removeprefix("package/"), line, said)

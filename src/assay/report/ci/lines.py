# SPDX-License-Identifier: MIT
"""Where in a package's source a verdict points: the line that its report names.

Compilers, sanitizers and valgrind name files and lines; a reason may name a function, which is
looked for in the source. What names nothing points at the first line of the package's first file.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from msgspec import Struct

from assay.model import CheckResult
from assay.report.ci.records import CellVerdict

NAMED = re.compile(r"([\w.+/-]+\.(?:c|h|cc|cpp|S|s|asm|inc))[:(](\d+)(?::(\d+))?")
SOURCES = (".c", ".cc", ".cpp", ".S", ".s", ".asm")
WORD = re.compile(r"\b[A-Za-z_]\w{3,}\b")
MOST_BYTES = 1 << 20  # of a file that is searched for a function


class SourceLine(Struct, frozen=True):
    """A line of a file; `path` is relative to the working folder where it lies below it."""

    path: str
    line: int = 1
    column: int | None = None


def source_line(cell: CellVerdict, check: CheckResult, base: Path) -> SourceLine:
    """Return the line that a verdict is about, its path relative to `base`."""
    named = next(_named(cell, f"{check.reason}\n{check.evidence}"), None)
    file, line, column = named or _defined(cell, check.reason) or (_first(cell), 1, None)
    return SourceLine(_relative(cell.root / file, base), line, column)


def _named(cell: CellVerdict, text: str) -> Iterator[tuple[str, int, int | None]]:
    """Yield the lines of the package's own files that a text names."""
    for found in NAMED.finditer(text):
        asked = PurePosixPath(found[1]).parts
        for file in cell.files:
            own = PurePosixPath(file).parts
            short = min(len(own), len(asked))
            if own[-short:] == asked[-short:]:
                yield file, max(1, int(found[2])), int(found[3]) if found[3] else None
                break


def _defined(cell: CellVerdict, reason: str) -> tuple[str, int, int | None] | None:
    """Return where a function is defined that a reason names."""
    words = set(WORD.findall(reason))
    pattern = re.compile(r"^(?!\s|#|//|/\*)[^;=\n]*?\b(\w+)\s*\(", re.MULTILINE)
    for file in (one for one in cell.files if one.endswith(SOURCES)):
        text = ""
        with suppress(OSError):
            text = (cell.root / file).read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
        for found in pattern.finditer(text):
            ends = re.compile(r"[;{]").search(text, found.end())
            if found[1] in words and ends and ends[0] == "{":
                return file, text.count("\n", 0, found.start()) + 1, None
    return None


def _first(cell: CellVerdict) -> str:
    """Return the first source of a package, or whatever it has."""
    return next((one for one in cell.files if one.endswith(SOURCES)), "".join(cell.files[:1]))


def _relative(path: Path, base: Path) -> str:
    """Write a path as seen from a folder, if it lies below it."""
    whole, top = path.resolve(), base.resolve()
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else whole.as_posix()

# SPDX-License-Identifier: MIT
"""The files `candidates`, `compilers` and `.skip-slow` of a reports folder, read and written.

A line of `compilers` is
`comp='gcc'; cc='gcc'; archs="{'','-march=k8'}"; opts="{'-O0','-O1'}";`
and one of `candidates` ends after `cc`. They were shell assignments in the
original; here they are read as data and never executed. Users edit both.

`.skip-slow` holds one number, in core cycles per byte of the long stream: slower ciphers are
skipped. Without it none is.
"""

import math
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from assay.errors import UsageError
from assay.toolchain.probe import Supported
from assay.toolchain.search import CompilerCandidate

_FIELD = re.compile(
    r"\s*(?P<name>comp|cc|archs|opts)=(?:'(?P<single>[^']*)'|\"(?P<list>[^\"]*)\");?"
)
_WORD = re.compile(r"'([^']*)'")
SKIP_SLOW = ".skip-slow"


def render_candidates(candidates: Iterable[CompilerCandidate]) -> str:
    """Write the file `candidates`."""
    return "".join(f"comp='{each.family}'; cc='{each.command}';\n" for each in candidates)


def render_compilers(compilers: Iterable[Supported]) -> str:
    """Write the file `compilers`."""
    return "".join(
        f"comp='{each.family}'; cc='{each.command}'; "
        f'archs="{_braces(each.archs)}"; opts="{_braces(each.opts)}";\n'
        for each in compilers
    )


def read_candidates(path: Path) -> tuple[CompilerCandidate, ...]:
    """Read what render_candidates wrote and the user edited; `#` starts a comment."""
    cure = f"Fix the line, or delete {path} and run `assay configure` again."
    rows = _rows(path, {"comp", "cc"}, cure)
    return tuple(CompilerCandidate(row["comp"], row["cc"]) for row in rows)


def read_compilers(path: Path) -> tuple[Supported, ...]:
    """Read the compilers and options found before."""
    cure = f"Delete {path} and run `assay configure` again."
    rows = _rows(path, {"comp", "cc", "archs", "opts"}, cure)
    return tuple(
        Supported(row["comp"], row["cc"], _words(row["archs"]), _words(row["opts"]))
        for row in rows
    )


def _rows(path: Path, wanted: set[str], cure: str) -> list[dict[str, str]]:
    """Take every line apart; a line with other fields is an error."""
    rows = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        fields = {
            match["name"]: match["single"] if match["list"] is None else match["list"]
            for match in _FIELD.finditer(line)
        }
        if set(fields) != wanted or not _is_command(fields["cc"]) or _FIELD.sub("", line).strip():
            raise UsageError(f"{path}, line {number} cannot be read: {line.strip()[:100]}", cure)
        rows.append(fields)
    return rows


def _is_command(text: str) -> bool:
    """Return whether the text can be split into words, and has any."""
    try:
        return bool(shlex.split(text))
    except ValueError:
        return False


def _words(text: str) -> tuple[str, ...]:
    """Take `{'','-m32'}` apart."""
    return tuple(_WORD.findall(text))


def _braces(words: Iterable[str]) -> str:
    """Put words together as `{'','-m32'}`."""
    return "{" + ",".join(f"'{word}'" for word in words) + "}"


def parse_rate(text: str) -> float | None:
    """Read a rate in cycles/byte; None for an empty answer or 0, which skip nothing."""
    try:
        rate = float(text.strip() or 0)
    except ValueError:
        rate = math.nan
    if not 0 <= rate < math.inf:
        raise UsageError(
            f"{text.strip()[:40]!r} is no rate in cycles/byte", "Enter a number such as 50, or 0."
        )
    return rate or None


def slow_rate(reports: Path) -> float | None:
    """Return the rate that `configure` was given, in cycles/byte; None if it was given none."""
    path = reports / SKIP_SLOW
    return parse_rate(path.read_text(errors="replace")) if path.is_file() else None

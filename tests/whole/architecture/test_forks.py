# SPDX-License-Identifier: MIT
"""Which kind a package is of is asked where kinds live; elsewhere their records have the answer.

A line outside of the kinds that compares a kind, or looks whose subject or details it has, is
a fork: the next kind would need a branch there. There may only be fewer.
"""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[3] / "src" / "assay"
OF_KINDS = re.compile(r"(check|measure)/(stream|hash|operation)/|model/")
FORK = re.compile(
    r"kind (==|!=|is|is not) PackageKind\.|kind == (STREAM|HASH|OPERATION)\b"
    r"|isinstance\([^()]*, \(?(Stream|Hash|Operation)(Subject|Details)\b"
    r"|startswith\(\(?\"crypto_\""
)
MOST_FORKS = 5


def forks() -> list[str]:
    """Return the lines that ask for a kind, each with its place."""
    return [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not OF_KINDS.match(path.relative_to(SOURCE).as_posix())
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if FORK.search(line)
    ]


def test_no_more_lines_ask_for_a_kind_than_before() -> None:
    """Whoever takes some away lowers the number."""
    found = forks()
    assert len(found) <= MOST_FORKS, "\n".join(found)

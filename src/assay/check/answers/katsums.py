# SPDX-License-Identifier: MIT
"""Digests that stand for KAT files of post-quantum schemes, which are too large to ship.

liboqs has them in `tests/KATs/*/kats.json`, by the names of algorithms; PQClean and trees that
follow it in a line `nistkat-sha256` of META.yml. Compared is the digest of the first answer,
which liboqs calls `single`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from assay.check.answers.records import AnswerTask, KnownAnswer

SINGLE = "single"
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_NAME = re.compile(r"\s*(?:- )?name:\s*(\S+)")
_LINE = re.compile(r"\s*nistkat-sha256:\s*['\"]?([0-9a-fA-F]{64})\b")


def is_kats(document: object) -> bool:
    """Return whether a JSON document has a digest of the first answer for each of some names."""
    return isinstance(document, dict) and bool(document) and all(map(_is_row, document.values()))


def _is_row(row: object) -> bool:
    single = row.get(SINGLE) if isinstance(row, dict) else None
    return isinstance(single, str) and _SHA256.fullmatch(single) is not None


def answers_of_kats(document: dict[str, Any], name: str) -> Iterator[KnownAnswer]:
    """Yield the answer of each algorithm; the digest of all its answers (`all`) is left."""
    for algorithm, row in document.items():
        yield _answer(row[SINGLE], f"{name} {algorithm}", algorithm)


def is_meta(lines: Iterable[str]) -> bool:
    """Return whether a text has a line with the digest of a first answer."""
    return any(_LINE.match(line) for line in lines)


def answers_of_meta(lines: Iterable[str], name: str) -> Iterator[KnownAnswer]:
    """Yield the answers of META.yml; a single one is that of whatever lies beside the file."""
    found: list[tuple[int, str, str]] = []
    algorithm = ""
    for number, line in enumerate(lines, 1):
        if named := _NAME.match(line):
            algorithm = named[1]
        elif digest := _LINE.match(line):
            found.append((number, algorithm, digest[1]))
    for number, algorithm, text in found:
        yield _answer(text, f"{name}:{number}", algorithm if len(found) > 1 else "")


def _answer(digest: str, place: str, algorithm: str) -> KnownAnswer:
    values = {"sha256": bytes.fromhex(digest)}
    return KnownAnswer(AnswerTask.FIRST, place, values, of=algorithm)

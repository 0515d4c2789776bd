# SPDX-License-Identifier: MIT
"""NIST's text files as blocks of `name = value` lines, before anybody knows what they mean.

A block ends at an empty line, at a line in brackets, and where a name comes a second
time. Lines in brackets (`[Keylen = 128]`) hold for the blocks below them. A word alone
on its line (`FAIL`) belongs to its block. `#` begins a comment.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.errors import VectorFormatError

SHOWN = 60
CURE = "docs/reference/known-answers.md shows the formats."
_LINE = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_ ]*?)\s*[=:]\s*(?P<value>.*)")
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(slots=True)
class Block:
    """Names (in small letters) and values as they stand; `place` names the first line.

    `spelled` has the names as the file writes them.
    """

    place: str
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    section: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is anything in it."""
        return bool(self.values or self.words)


def blocks(lines: Iterable[str], name: str) -> Iterator[Block]:
    """Split a file into blocks; VectorFormatError names a line that is none of the above."""
    section: dict[str, str] = {}
    block = Block("")
    heading = False
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if line.startswith("#"):
            continue
        spelled, value = _take_apart(line, f"{name}:{number}")
        key = spelled.lower()
        if not line or line.startswith("[") or key in block.values:
            if block:
                yield block
            block = Block("")
        if line.startswith("["):
            section = {**(section if heading else {}), key: value}
            heading = True
        elif line:
            heading = False
            _add(block, key, value, number, f"{name}:{number}")
            block.spelled[key] = spelled
            block.section = section
    if block:
        yield block


def _take_apart(line: str, place: str) -> tuple[str, str]:
    """Return name and value as they stand; no value for a word or a heading without one."""
    inner = line.strip("[]") if line.startswith("[") else line
    match = _LINE.fullmatch(inner)
    if match is not None:
        return match["name"].strip(), match["value"].strip()
    if not line or line.startswith("[") or _WORD.fullmatch(line):
        return inner, ""
    raise VectorFormatError(f"{place} is no `name = value`: {line[:SHOWN]!a}", CURE)


def _add(block: Block, key: str, value: str, number: int, place: str) -> None:
    block.place = block.place or place
    if key == "fail":
        block.words.add(key)
    else:
        block.values[key] = value
        block.lines[key] = number

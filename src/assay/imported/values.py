# SPDX-License-Identifier: MIT
"""The parts of database lines: heads, numbers, timings and compiler words."""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from assay.model.supercop import Source, Subject

HEAD_WORDS = 6
DATE = re.compile(r"[0-9]{8}")
OPERATION = re.compile(r"crypto_[a-z0-9]+")
# Reports make file names of these words, so none may lead out of a folder.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+.-]*")
NUMBER = re.compile(r"-?[0-9]{1,19}")
DEVIATIONS = re.compile(r"(?:[+-][0-9]{1,19})+")
DEVIATION = re.compile(r"[+-][0-9]+")
LARGEST = 2**63 - 1

# The start of an option, or the argument of one that takes it as a word of its own.
GAPS = re.compile(r"_(?=-)|(?<=_-[Cx])_|(?<=_-Xclang)_|(?<=_-mllvm)_|(?<=_-target)_")


class BadLine(Exception):
    """A line that no version of SUPERCOP would write; the message says why."""


def number(word: str) -> int:
    """Read a signed decimal number of at most 64 bits."""
    if not NUMBER.fullmatch(word) or abs(value := int(word)) > LARGEST:
        raise BadLine(f"{word[:40]!r} is no number of 64 bits")
    return value


def timings(middle: int, words: Sequence[str]) -> tuple[int, ...]:
    """Read the timings behind the middle one.

    They are one word of deviations from it since version 20260214, a list of numbers
    before, and absent where there was one timing only.
    """
    if not words:
        return (middle,)
    if len(words) == 1 and DEVIATIONS.fullmatch(words[0]):
        found = [middle + int(part) for part in DEVIATION.findall(words[0])]
        if max(found) > LARGEST or min(found) < -LARGEST:
            raise BadLine("a timing exceeds 64 bits")
        return tuple(found)
    return tuple(number(word) for word in words)


def command_of(word: str) -> str:
    """Turn a compiler word back into a command line.

    A blank was written as an underscore. Those before an option, and after one whose
    argument is a word of its own, become blanks again; the others belong to names.
    """
    return "" if word == "-" else GAPS.sub(" ", word)


class Head(Struct, frozen=True):
    """What a line is about; the league is empty in lines from before there were any."""

    source: Source
    operation: str
    primitive: str
    league: str

    def subject(self, implementation: str, compiler: str) -> Subject:
        """Complete it with an implementation and a command line."""
        return Subject(self.operation, self.primitive, self.league, implementation, compiler)


def split(line: str) -> tuple[str, str, str]:
    """Cut a line into head, key and rest; BadLine without a key.

    The rest is kept with all its blanks, as a compiler's message may have many.
    """
    words = line.split(" ", HEAD_WORDS + 1)
    if len(words) <= HEAD_WORDS or not words[HEAD_WORDS]:
        raise BadLine("it has fewer than seven words")
    rest = words[HEAD_WORDS + 1] if len(words) > HEAD_WORDS + 1 else None
    head = " ".join(words[:HEAD_WORDS])
    return head, words[HEAD_WORDS], "" if rest is None else f" {rest}"


@lru_cache(maxsize=64)
def head_of(text: str) -> Head:
    """Read a head: `VERSION HOST ABI DATE OPERATION PRIMITIVE[/LEAGUE]`."""
    version, machine, abi, date, operation, name = text.split(" ")
    primitive, slash, league = name.partition("/")
    words = {"version": version, "machine": machine, "ABI": abi, "primitive": primitive}
    for what, word in {**words, **({"league": league} if slash else {})}.items():
        if not NAME.fullmatch(word):
            raise BadLine(f"{word[:40]!r} is no name of a {what}")
    if not DATE.fullmatch(date):
        raise BadLine(f"{date[:40]!r} is no date YYYYMMDD")
    if not OPERATION.fullmatch(operation):
        raise BadLine(f"{operation[:40]!r} is no operation")
    return Head(Source(machine, abi, date, version), operation, primitive, league)

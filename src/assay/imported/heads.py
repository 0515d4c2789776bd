# SPDX-License-Identifier: MIT
"""The first six words of a database line: who measured what, where and when."""

import re
from dataclasses import dataclass
from functools import lru_cache

from assay.imported.values import BadLine
from assay.model.supercop import Source, Subject

HEAD_WORDS = 6
DATE = re.compile(r"[0-9]{8}")
OPERATION = re.compile(r"crypto_[a-z0-9]+")
# Reports make file names of these words, so none may lead out of a folder.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+.-]*")


@dataclass(frozen=True, slots=True)
class Head:
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

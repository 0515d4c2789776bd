# SPDX-License-Identifier: MIT
"""Members of JSON vectors as what they should be; a wrong one is named with its line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.check.answers.records import KnownAnswer, Skip
from assay.errors import VectorFormatError

SHOWN = 40
DESCRIPTIVE = frozenset(("comment", "reason", "flags", "result", "source"))
EXPANDED = frozenset(  # what follows from other members, or is written once more
    ("ek", "dk", "pk", "sk", "d", "q", "publicKey", "privateKey", "privateSeed", "seed", "mu")
)
REPEATING = ("der", "pkcs8", "pem", "jwk")
"""Endings of fields that repeat a key of the same answer in another encoding."""
_BYTES = re.compile(r"(?:[0-9a-fA-F]{2})+")
DIGITS = re.compile(r"-?[0-9]{1,18}")
CURE = "docs/reference/known-answers.md shows the formats."


def _hex(text: str) -> bool:
    return _BYTES.fullmatch(text) is not None


def whole_number(text: str) -> int:
    """Return a number of at most 18 digits; VectorFormatError for more: no length has as many."""
    if not DIGITS.fullmatch(text):
        raise VectorFormatError(f"{text[:SHOWN]}... is no number of at most 18 digits", CURE)
    return int(text)


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a JSON file, with what its group says; `text` is the whole file.

    `known` collects the names of members that somebody asked for.
    """

    name: str
    text: str
    members: Mapping[str, Any]
    known: set[str] = field(default_factory=set, compare=False)

    @property
    def place(self) -> str:
        """Where it stands: the file and the test's number in it."""
        return f"{self.name} tcId {self.members.get('tcId', '?')}"

    def has(self, *names: str) -> bool:
        """Return whether all these are there."""
        self.known.update(names)
        return all(name in self.members for name in names)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a member as JSON has it."""
        self.known.add(name)
        return self.members.get(name, default)

    @property
    def unfed(self) -> tuple[str, ...]:
        """Name the members with bytes that nobody has asked for, less those that follow.

        Keys in other encodings are named whatever they look like.
        """
        spared = self.known | DESCRIPTIVE | EXPANDED
        return tuple(
            name
            for name, value in self.members.items()
            if name not in spared
            and (name.lower().endswith(REPEATING) or (isinstance(value, str) and _hex(value)))
        )

    def data(self, *names: str) -> bytes:
        """Return the first of these that is there, as bytes; VectorFormatError if it is wrong."""
        self.known.update(names)
        name = next((one for one in names if one in self.members), None)
        if name is None:
            raise VectorFormatError(f"{self._line()}: there is no {' or '.join(names)}", CURE)
        value = self.members[name]
        try:
            return bytes.fromhex(value)
        except (TypeError, ValueError):
            said = str(value)[:SHOWN]
            raise VectorFormatError(
                f"{self._line()}: {name} = {said!a} is not hexadecimal", CURE
            ) from None

    def values(self, spellings: Mapping[str, str]) -> dict[str, bytes]:
        """Return those of our names whose member is there: `{"public": "ek"}`."""
        return {ours: self.data(name) for ours, name in spellings.items() if self.has(name)}

    def _line(self) -> str:
        """Name the line of the test's number, counted in the text."""
        number = re.escape(str(self.get("tcId")))
        found = re.search(rf'"tcId"\s*:\s*{number}\b', self.text)
        line = self.text.count("\n", 0, found.start()) + 1 if found else "?"
        return f"{self.name}:{line} (tcId {self.get('tcId', '?')})"


def complete(test: Test, found: Iterable[KnownAnswer | Skip]) -> Iterator[KnownAnswer | Skip]:
    """Name in each answer the members of its test that its reader does not know."""
    every = tuple(found)  # the last of them may be the one that asks for a member
    for one in every:
        yield replace(one, unfed=test.unfed) if isinstance(one, KnownAnswer) else one

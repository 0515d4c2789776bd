# SPDX-License-Identifier: MIT
"""Numbers, timings and compiler words of database lines."""

import re
from collections.abc import Sequence

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

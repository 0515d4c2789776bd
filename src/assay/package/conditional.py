# SPDX-License-Identifier: MIT
"""The lines of a source that its own macros leave in: conditions on what a package defines.

A compiler decides all conditions; here those are decided that ask whether a macro is defined
which the text defined before, itself or in an included header of the package. Of the others
both branches stay.
"""

import re
from collections.abc import Callable, Iterator

from assay.package.text import code_of

_LINE = re.compile(r"[ \t]*#[ \t]*(\w+)[ \t]*(.*)")
_ASKED = re.compile(r"(!?)[ \t]*defined[ \t]*\(?[ \t]*(\w+)[ \t]*\)?[ \t]*")
_MOST_FILES = 200


def active_text(name: str, read: Callable[[str], str | None]) -> str:
    """Return the text of a file with its headers, without branches known not to be compiled.

    `read` returns the text of a file of the package; None where there is none.
    """
    return "\n".join(_Reader(read).lines(name))


class _Reader:
    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read, self._left = read, _MOST_FILES
        self._known: set[str] = set()

    def lines(self, name: str) -> Iterator[str]:
        text = self._read(name) if self._left else None
        if text is None:
            return
        self._left -= 1
        stack: list[bool | None] = []  # of each condition: holds, does not, or who knows
        for line in code_of(text).replace("\\\n", " ").splitlines():
            found = _LINE.match(line)
            if found:
                yield from self._directive(found[1], found[2].strip(), stack)
            elif False not in stack:
                yield line

    def _directive(self, word: str, rest: str, stack: list[bool | None]) -> Iterator[str]:
        if word in ("if", "ifdef", "ifndef"):
            stack.append(self._holds(word, rest))
        elif word == "elif" and stack:
            stack[-1] = None
        elif word == "else" and stack:
            stack[-1] = None if stack[-1] is None else not stack[-1]
        elif word == "endif" and stack:
            stack.pop()
        elif False not in stack:
            yield from self._kept(word, rest)

    def _kept(self, word: str, rest: str) -> Iterator[str]:
        name = re.match(r"\w+", rest)
        if word == "define" and name:
            self._known.add(name[0])
        elif word == "undef" and name:
            self._known.discard(name[0])
        elif word == "include" and rest.startswith('"'):
            yield from self.lines(rest[1:].partition('"')[0])

    def _holds(self, word: str, rest: str) -> bool | None:
        """Return whether a condition holds; None if the text does not decide it."""
        asked = _ASKED.fullmatch(rest) if word == "if" else re.match(r"()(\w+)", rest)
        if not asked or asked[2] not in self._known:
            return None
        return not (asked[1] or word == "ifndef")

# SPDX-License-Identifier: MIT
"""Reading `CMakeLists.txt` as far as it says what is compiled: targets, folders and macros.

Nothing is executed. Of conditions, options of the project (`PREFIX_ENABLE_...`) are taken as
set, and all that ask for the machine, the compiler or the system as not set.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct, field

_COMMAND = re.compile(r"([A-Za-z_]\w*)[ \t]*\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)")
_WORD = re.compile(r'[^\s"]*"[^"]*"|[^\s"]+')
_COMMENT = re.compile(r"(?m)^[ \t]*#[^\n]*")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_KEYWORDS = frozenset({"PUBLIC", "PRIVATE", "INTERFACE", "OBJECT", "STATIC", "SHARED", "BEFORE"})
_MOST_WORDS = 20_000


class CMakeLibrary(Struct):
    """What `add_library` names: sources, folders of headers, macros and forced headers.

    `wanted` are the words of the conditions around it that were taken as set, and `under` those
    around a word that a variable was set to. Paths are as written, with variables of the
    project's folders left in.
    """

    name: str
    sources: tuple[str, ...]
    wanted: tuple[str, ...]
    under: dict[str, tuple[str, ...]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)
    forced: list[str] = field(default_factory=list)


def targets(text: str, option: re.Pattern[str]) -> tuple[CMakeLibrary, ...]:
    """Return the libraries of a file, those in branches that are not taken left out.

    `option` matches the conditions that are taken as set.
    """
    return tuple(_Reader(option).read(text).values())


class _Reader:
    """The commands of one file, one after another."""

    def __init__(self, option: re.Pattern[str]) -> None:
        self._option = option
        self._variables: dict[str, list[str]] = {}
        self._taken: list[tuple[bool, bool, tuple[str, ...]]] = []
        self._forced: list[str] = []
        self._under: dict[str, tuple[str, ...]] = {}
        self._targets: dict[str, CMakeLibrary] = {}

    def read(self, text: str) -> dict[str, CMakeLibrary]:
        """Read a whole file."""
        for name, words in _commands(text):
            if name in ("if", "elseif", "else", "endif"):
                self._branch(name, words)
            elif all(now for now, _, _ in self._taken):
                self._command(name, self._expanded(words))
        return self._targets

    def _branch(self, name: str, words: list[str]) -> None:
        """Follow a condition: whether it is taken, whether one before it was, and its options."""
        before = False
        if name != "if" and self._taken:
            now, before, _ = self._taken.pop()
            before = before or now
        if name == "endif":
            return
        options = tuple(word for word in words if self._option.fullmatch(word))
        asked = [word for word in words if word not in ("OR", "AND")]
        holds = name == "else" or (bool(options) and len(options) == len(asked))
        self._taken.append((holds and not before, before, options))

    def _command(self, name: str, words: list[str]) -> None:
        first, rest = (words[0], words[1:]) if words else ("", [])
        plain = [word for word in rest if word not in _KEYWORDS]
        if name == "set":
            self._set(first, rest)
        elif name == "list" and first == "APPEND" and rest:
            self._set(rest[0], [*self._variables.get(rest[0], []), *rest[1:]])
        elif name == "add_library":
            self._targets[first] = CMakeLibrary(
                first, tuple(plain), self._wanted(), self._under, forced=[*self._forced]
            )
        elif name == "add_compile_options":
            self._forced += _forced(words)
        elif first in self._targets:
            _describe(self._targets[first], name, plain)

    def _wanted(self) -> tuple[str, ...]:
        return tuple(word for _, _, options in self._taken for word in options)

    def _set(self, variable: str, words: list[str]) -> None:
        """Set a variable; words that are new in it depend on the conditions around."""
        for word in Counter(words) - Counter(self._variables.get(variable, ())):
            self._under[word] = (*self._under.get(word, ()), *self._wanted())
        self._variables[variable] = words

    def _expanded(self, words: list[str]) -> list[str]:
        """Replace variables that the file sets; those of the project's folders stay."""
        found: list[str] = []
        for word in words:
            name = _VARIABLE.fullmatch(word)
            known = self._variables.get(name[1]) if name else None
            found += [word] if known is None else known
        return found[:_MOST_WORDS]


def _describe(target: CMakeLibrary, command: str, words: list[str]) -> None:
    if command == "target_include_directories":
        target.folders += words
    elif command == "target_compile_definitions":
        target.macros += [word for word in words if "$" not in word]
    elif command == "target_compile_options":
        target.macros += [word[2:] for word in words if word.startswith("-D")]


def _forced(words: list[str]) -> list[str]:
    """Name the headers that are included before all else."""
    return [after for word, after in pairwise(words) if word == "-include"]


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    for found in _COMMAND.finditer(_COMMENT.sub("", text)):
        yield found[1].lower(), _WORD.findall(found[2])


def in_folders(path: str, folders: Mapping[str, str]) -> str | None:
    """Replace the variables of the project's folders in a path; None if others are left."""
    for name, folder in folders.items():
        path = path.replace(f"${{{name}}}", folder)
    return None if "$" in path else path

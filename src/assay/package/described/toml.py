# SPDX-License-Identifier: MIT
"""Reading `assay.toml`: keys, types and words, with the line of what is wrong."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import UsageError, meant
from assay.fence import named
from assay.model.operations import OPERATIONS
from assay.package.text import MARK, read_text

FILE_NAME = "assay.toml"
MOST_BYTES = 1 << 20  # the longest that Assay comes with has a hundredth of it
LISTS = ("sources", "exclude", "include", "headers", "defines", "answers", "goals",
         "architectures", "sets", "libraries")  # fmt: skip
TEXTS = ("operation", "header", "lengths", "pieces")
TABLES = ("functions", "constants", "words", "generated", "defines_of")
WHOLE = ("root", "about", "upstream", "tested", "marks", "set", "implementation")
GUIDE = "docs/guide/trees.md lists the keys."
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
MACRO = re.compile(r"[A-Za-z_]\w*(\([\w, ]*\))?(=[^\n]*)?", re.ASCII)
_BRACES = re.compile(r"\{\w+\}")
GOALS = ("constbranch", "constindex")


class DescribedTree(Struct, frozen=True):
    """A description as it was read: its file, the tree, and what every package of it shares.

    `sets` are the parameter sets and `implementations` the alternatives, each with keys that
    add to `common`. `marks` are files by which the tree is known. `rooted` says that the file
    itself has the way to its tree.
    """

    path: Path
    text: str
    root: str
    common: Mapping[str, Any]
    sets: Mapping[str, Mapping[str, Any]]
    implementations: Mapping[str, Mapping[str, Any]]
    marks: tuple[str, ...] = ()
    rooted: bool = False

    def wrong(self, what: str, cure: str, key: str = "", table: str = "") -> UsageError:
        """Return the error for a key, with its line."""
        line = line_of(self.text, key, table) if key else 0
        line = line or (line_of(self.text, table) if table else 0)  # it may stand on one line
        where = f"{self.path}:{line}" if line else str(self.path)
        return UsageError(f"{where}: {what}", cure)


def read_description(path: Path) -> DescribedTree:
    """Read a description; UsageError with line and cure if something in it is wrong."""
    text = read_text(path, MOST_BYTES).removeprefix(MARK)
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        place = f"{path}:{found[1]}" if found else str(path)
        raise UsageError(f"{place}: it is no TOML: {error}", GUIDE) from None
    except (RecursionError, ValueError) as error:  # brackets, digits: there are limits
        raise UsageError(f"{path}: it cannot be read: {named(error)}", GUIDE) from None
    common = {key: value for key, value in given.items() if key not in WHOLE}
    sets, implementations = given.get("set", {}), given.get("implementation", {"main": {}})
    made = DescribedTree(
        path, text, str(given.get("root", ".")), common, sets, implementations,
        _texts_of(given.get("marks")), "root" in given,
    )  # fmt: skip
    _check(made, given)
    return made


def _texts_of(value: object) -> tuple[str, ...]:
    """Return a list of texts as it is, and nothing of what is none; `_check` refuses that."""
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _is_text(value: object) -> bool:
    """Return whether a value is a text that may name a file: on one line, without a NUL."""
    return isinstance(value, str) and value.isprintable()


def _check(made: DescribedTree, given: Mapping[str, Any]) -> None:
    for key in ("root", "upstream"):
        if not isinstance(given.get(key, ""), str):
            raise made.wrong(f"{key} is no text", GUIDE, key)
    _check_list(made, "marks", given.get("marks", []), "")
    for kind, tables in (("set", made.sets), ("implementation", made.implementations)):
        if not isinstance(tables, dict) or not tables:
            raise made.wrong(f"there is no [{kind}.NAME]", _WANTS[kind], kind)
        for name, table in tables.items():
            where = f"{kind}.{name}"
            if not NAME.fullmatch(name) or not isinstance(table, dict):
                raise made.wrong(
                    f"{where!a} is no table with a plain name",
                    "Use letters, digits, dots and dashes.", name, kind,
                )  # fmt: skip
            _check_table(made, table, where)
    _check_table(made, made.common, "")


_WANTS = {
    "set": "Each parameter set is a table such as [set.mlkem768]; one is enough.",
    "implementation": "Leave `implementation` out, or write tables such as [implementation.ref].",
}


def _check_table(made: DescribedTree, table: Mapping[str, Any], where: str) -> None:
    for key, value in table.items():
        if key in LISTS:
            _check_list(made, key, value, where)
        elif key in TABLES:
            _check_texts(made, key, value, where)
        elif key not in TEXTS:
            keys = (*LISTS, *TEXTS, *TABLES)
            cure = f"{meant(key, keys, most=1)}Keys are {', '.join(keys)}."
            raise made.wrong(f"{key!a} is no key that is known", cure, key, where)
        elif not _is_text(value):
            raise made.wrong(f"{key} is no text on one line", f'Write {key} = "...".', key, where)
    _check_words(made, table, where)


def _check_words(made: DescribedTree, table: Mapping[str, Any], where: str) -> None:
    operation, lengths = table.get("operation"), table.get("lengths")
    if operation is not None and operation not in OPERATIONS:
        cure = f"{meant(str(operation), OPERATIONS, most=1)}Known: {', '.join(OPERATIONS)}."
        raise made.wrong(f"there is no operation {operation!a}", cure, "operation", where)
    if lengths not in (None, "size_t", "unsigned long long"):
        cure = 'Write "size_t" or "unsigned long long".'
        raise made.wrong(f"lengths of type {lengths!a} are not known", cure, "lengths", where)
    for one in (*table.get("defines", ()), *([table["pieces"]] if "pieces" in table else ())):
        if not MACRO.fullmatch(_BRACES.sub("X", one)):
            raise made.wrong(
                f"{one!a} defines no macro", 'Write "NAME" or "NAME=VALUE".', "defines", where
            )
    for one in table.get("goals", ()):
        if one not in GOALS:
            raise made.wrong(
                f"{one!a} is no goal", f"Goals are {' and '.join(GOALS)}.", "goals", where
            )


def _check_list(made: DescribedTree, key: str, value: object, where: str) -> None:
    if not isinstance(value, list) or not all(map(_is_text, value)):
        raise made.wrong(
            f"{key} is no list of texts", f'Write {key} = ["...", "..."].', key, where
        )


def _check_texts(made: DescribedTree, key: str, value: object, where: str) -> None:
    if not isinstance(value, dict) or not all(map(_is_text, (*value, *value.values()))):
        raise made.wrong(
            f"{key} is no table of texts", f'Write {key} = {{ name = "..." }}.', key, where
        )


def line_of(text: str, key: str, table: str = "") -> int:
    """Return the line of a key in a table; that of the table if it is not there, or 0."""
    found, current = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        if header:
            current = header[1].replace('"', "").replace("'", "").replace(" ", "")
            found = found or (number if current == table and table else 0)
            if f"{table}.{key}".strip(".") == current:
                return number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return found

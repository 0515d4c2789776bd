# SPDX-License-Identifier: MIT
"""One package of a description: common keys, its parameter set's and its implementation's."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from assay.model.api import Api
from assay.model.operations import OPERATIONS
from assay.package.described.toml import LISTS, TABLES, TEXTS, DescribedTree

_WORD = re.compile(r"\{(\w+)\}")


class Described(Struct, frozen=True):
    """A package: lists of globs and macros, and tables, with all words put in."""

    tree: DescribedTree
    name: str
    implementation: str
    lists: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str]
    tables: Mapping[str, Mapping[str, str]]

    @property
    def operation(self) -> Api:
        """Return the operation that it implements."""
        return OPERATIONS[self.texts["operation"]]

    @property
    def place(self) -> str:
        """Return `crypto_kem/mlkem768/ref`."""
        return f"{self.texts['operation']}/{self.name}/{self.implementation}"

    @property
    def functions(self) -> tuple[tuple[str, str], ...]:
        """Return what is called for each suffix: a name, or an expression of the parameters."""
        named = self.tables["functions"]
        full = ((one.suffix, self.operation.name + one.suffix) for one in self.operation.functions)
        return tuple((suffix, named.get(name, name)) for suffix, name in full)


def packages_of(tree: DescribedTree) -> Iterator[Described]:
    """Yield every package: each implementation of each parameter set, none left out."""
    for other, more in tree.implementations.items():
        for one in more.get("sets", ()):
            if one not in tree.sets:
                raise tree.wrong(
                    f"there is no parameter set {one!a}",
                    f"Those described are {', '.join(tree.sets)}.",
                    "sets",
                    f"implementation.{other}",
                )
    for name, table in tree.sets.items():
        for other, more in tree.implementations.items():
            if name in more.get("sets", tree.sets):
                yield _merged(tree, name, other, (tree.common, table, more))


def _merged(
    tree: DescribedTree, name: str, other: str, parts: tuple[Mapping[str, Any], ...]
) -> Described:
    words = {"set": name, "implementation": other}
    for part in parts:
        words |= part.get("words", {})

    def put_in(text: str) -> str:
        return _WORD.sub(lambda found: words.get(found[1], found[0]), text)

    lists = {
        key: tuple(dict.fromkeys(put_in(one) for part in parts for one in part.get(key, ())))
        for key in LISTS
    }
    texts = {key: put_in(part[key]) for part in parts for key in TEXTS if key in part}
    tables = {
        key: {put_in(k): put_in(v) for part in parts for k, v in part.get(key, {}).items()}
        for key in TABLES
    }
    if "operation" not in texts:
        raise tree.wrong("it names no operation", 'Write operation = "crypto_kem", say.')
    made = Described(tree, name, other, lists, texts, tables)
    _check_functions(made)
    return made


def _check_functions(made: Described) -> None:
    known = [made.operation.name + one.suffix for one in made.operation.functions]
    for name in made.tables["functions"]:
        if name not in known:
            raise made.tree.wrong(
                f"{made.operation.name} has no function {name!a}",
                f"Its functions are {', '.join(known)}.",
                name,
                "functions",
            )

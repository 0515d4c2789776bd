# SPDX-License-Identifier: MIT
"""One package of a description: its keys, and the files that it has.

Keys are common ones, its parameter set's and its implementation's. Files are its sources, and all
that they may include in the tree.
"""

import glob
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from assay.errors import PackageError
from assay.model.api import Api
from assay.model.operations import OPERATIONS
from assay.package.described.toml import LISTS, TABLES, TEXTS, DescribedTree
from assay.package.supercop.files import facts_of, is_below, is_inside
from assay.package.tree import LIMIT_BYTES, LIMIT_FILES

MOST_MATCHES = 20_000
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


class SeenTree(Struct):
    """The tree below `root`, as it is while a description is loaded.

    Packages of a description have most globs and files in common, so each glob is matched once,
    and the files of the same sources and folders are found once.
    """

    root: Path
    globs: dict[str, list[str]] = field(default_factory=dict)
    closures: dict[tuple[tuple[str, ...], ...], dict[str, str]] = field(default_factory=dict)


def matched(one: Described, seen: SeenTree, key: str) -> tuple[str, ...]:
    """Return the files that the globs of a key match, without those that are excluded.

    PackageError with the line for a glob that matches nothing, or leaves the tree.
    """
    without = {name for each in one.lists["exclude"] for name in _glob(one, seen, each, "exclude")}
    found: dict[str, None] = {}
    for pattern in one.lists[key]:
        names = _glob(one, seen, pattern, key)
        if not names:
            raise missing(one, pattern, key)
        found |= dict.fromkeys(name for name in names if name not in without)
    return tuple(found)


def _glob(one: Described, seen: SeenTree, pattern: str, key: str) -> list[str]:
    if pattern not in seen.globs:
        seen.globs[pattern] = _glob_anew(one, seen.root, pattern, key)
    return seen.globs[pattern]


def _glob_anew(one: Described, root: Path, pattern: str, key: str) -> list[str]:
    if posixpath.isabs(pattern) or ".." in pattern.split("/"):
        cure = "Name files below the root; a description may lie apart from its tree (root)."
        raise one.tree.wrong(f"{pattern!a} is outside of the tree", cure, key)
    found = glob.iglob(pattern, root_dir=root, recursive=True)  # noqa: PTH207 - names below root
    names = sorted(islice(found, MOST_MATCHES))
    for name in names:
        require_inside(one, root, name)
    return [name for name in names if (root / name).is_file()]


def require_inside(one: Described, root: Path, name: str) -> None:
    """Raise PackageError if a file of the tree is a link that leaves it."""
    if not is_inside(root / name, root):
        raise one.tree.wrong(
            f"{name} leads out of the tree",
            "Put the file itself in its place, or take a folder above as root.",
        )


def missing(one: Described, pattern: str, key: str) -> PackageError:
    """Report a glob or a name without a file: one that upstream's build makes, or a wrong one."""
    command = one.tables["generated"].get(pattern)
    error = one.tree.wrong(
        f"{pattern} is not there yet: upstream's build makes it"
        if command
        else f"{pattern!a} in {key} matches no file of the tree",
        f"Run `{command}` in the tree." if command else "Paths are relative to the root.",
        key,
    )
    return PackageError(str(error), error.cure)


def closure(
    one: Described, seen: SeenTree, sources: Iterable[str], folders: Iterable[str]
) -> dict[str, str]:
    """Return the files by their names below the tree, each with its real place."""
    first = (*sources, *matched(one, seen, "headers"))
    key = (first, tuple(folders))
    if key not in seen.closures:
        seen.closures[key] = _closure_anew(one, seen.root, *key)
    return seen.closures[key]


def _closure_anew(
    one: Described, root: Path, first: Iterable[str], folders: Iterable[str]
) -> dict[str, str]:
    searched = [folder.strip("/") for folder in folders]
    limit = os.path.realpath(root)
    found: dict[str, str] = {}
    todo = [*first]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        place = os.path.realpath(root / name)
        require_inside(one, root, name)
        found[name] = place
        if len(found) > LIMIT_FILES:
            raise PackageError(f"{one.place} has more than {LIMIT_FILES} files", "Exclude some.")
        own = posixpath.dirname(name)
        for header in facts_of(place).includes:
            for folder in (own, *searched):
                there = posixpath.normpath(posixpath.join(folder, header))
                if there.startswith("../") or posixpath.isabs(header):
                    continue
                at = os.path.realpath(root / there)
                if is_below(at, limit) and Path(at).is_file():
                    todo.append(there)
                    break
    if sum(Path(place).stat().st_size for place in found.values()) > LIMIT_BYTES:
        raise PackageError(
            f"{one.place} has more than {LIMIT_BYTES >> 20} MB", "Exclude some files."
        )
    return dict(sorted(found.items()))

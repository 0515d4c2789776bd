# SPDX-License-Identifier: MIT
"""The files of a described package: its sources, and all that they may include in the tree."""

import glob
import os
import posixpath
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from assay.errors import PackageError
from assay.package.described.merge import Described
from assay.package.supercop.files import facts_of, is_below
from assay.package.tree import LIMIT_BYTES, LIMIT_FILES

MOST_MATCHES = 20_000


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
    if not is_below(os.path.realpath(root / name), os.path.realpath(root)):
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

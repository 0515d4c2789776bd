# SPDX-License-Identifier: MIT
"""From what a user types to packages: `run [dir|name]`, selectors, shell patterns."""

import difflib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from assay.errors import UsageError
from assay.package.discover import Found, discover, is_package, load_below
from assay.package.places import FOLDERS, TREE
from assay.package.supercop.listing import Listed, sample
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import holds_operations, listed_in_folder
from assay.package.supercop.resolve import (
    distinct_trees,
    find,
    is_place,
    list_in_trees,
    unknown,
    with_own_places,
)

_NEAREST = 3
_PATTERN = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees in SUPERCOP's layout, and how many of the implementations named to take.

    `sample` is None for all; the choice depends on `seed`.
    """

    folders: tuple[Path, ...] = ()
    sample: int | None = None
    seed: int = 0


def resolve(
    arguments: Sequence[str],
    root: Path,
    *,
    cwd: Path | None = None,
    trees: Trees = Trees(),
) -> tuple[Found, ...]:
    """Name the packages meant by `arguments`, each once, in the order given.

    An argument is an existing directory (relative to `cwd`), else a directory in
    submissions/, benchmarks/ or compact/ (`salsa20`, `salsa20/ref`), else a shell pattern
    over selectors and places (`*/ref`). No argument means the whole tree at
    `root`. Broken packages are included: what to do with them is the caller's
    decision. Raises UsageError for names that mean nothing.

    `crypto_...` names implementations of operations: in `trees`, or in ebacs/ below
    `root`. With trees, other arguments are names and patterns in them first, and no
    argument means all that they have. Only what a sample chooses is loaded.
    """
    found: dict[tuple[Path, str], Found | Listed] = {}
    for one in _meant(arguments, root.absolute(), (cwd or Path.cwd()).absolute(), trees):
        name = one.place if isinstance(one, Listed) else one.selector
        found.setdefault((one.root.resolve(), name), one)
    return _with_own_selectors(_loaded(tuple(found.values()), trees))


def _meant(
    arguments: Sequence[str], root: Path, cwd: Path, trees: Trees
) -> Iterator[Found | Listed]:
    """Give what the arguments mean; implementations of operations are not loaded yet."""
    folders = distinct_trees(trees.folders)
    if not arguments:
        yield from list_in_trees((), folders) if folders else discover(root)
    for argument in arguments:
        if is_place(argument):
            yield from _in_trees(argument, root, cwd, folders)
        else:
            listed = find(argument, folders, cwd) if folders else ()
            yield from listed or _resolve_one(argument, root, cwd)


def _in_trees(
    argument: str, root: Path, cwd: Path, folders: tuple[Path, ...]
) -> tuple[Listed, ...]:
    """List in the trees given, or in a folder, or else in the shipped tree."""
    shipped = () if folders else (root / TREE,)
    found = find(argument, folders, cwd) or find(argument, shipped, cwd)
    return found or unknown(argument, folders or shipped, cwd)


def _loaded(found: tuple[Found | Listed, ...], trees: Trees) -> tuple[Found, ...]:
    """Load what the sample chooses of the implementations that are only listed."""
    chosen = with_own_places(one for one in found if isinstance(one, Listed))
    if trees.sample is not None:
        chosen = sample(chosen, trees.sample, trees.seed)
    kept = set(chosen)
    return tuple(
        load_listed(one) if isinstance(one, Listed) else one
        for one in found
        if not isinstance(one, Listed) or one in kept
    )


def _resolve_one(argument: str, root: Path, cwd: Path) -> tuple[Found | Listed, ...]:
    """Resolve one argument, in the order of the original's `run`."""
    if "\0" in argument or not argument:
        raise UsageError(f"{argument!a} is no name", "`assay list` shows the names.")
    folder = Path(os.path.normpath(cwd / argument))
    if holds_operations(folder) and (listed := listed_in_folder(folder)):
        return listed
    named = [Path(os.path.normpath(root / part / argument)) for part in FOLDERS]
    named = [path for path in named if path.is_relative_to(root)]
    for place in (folder, *named):
        found = _in_folder(place, root) if place.is_dir() else ()
        if found:
            return found
    if folder.is_dir() and (listed := listed_in_folder(folder)):
        return listed
    if _PATTERN.intersection(argument):
        found = _matching(argument, root)
    else:
        found = tuple(p for p in discover(root) if argument in (p.selector, p.place))
    return found or _unknown(argument, folder, root)


def _in_folder(folder: Path, root: Path) -> tuple[Found, ...]:
    """Load the packages in and below a directory, in the tree or outside of it."""
    real, tree = folder.resolve(), root.resolve()
    if real == tree:
        return discover(root)
    if any(real.is_relative_to(tree / part) for part in FOLDERS):
        return tuple(p for p in discover(root) if p.root.resolve().is_relative_to(real))
    return load_below(folder, folder, "" if is_package(folder) else folder.name)


def _matching(pattern: str, root: Path) -> tuple[Found, ...]:
    """Match selectors and places; `*` also matches slashes."""
    return tuple(
        p
        for p in discover(root)
        if fnmatchcase(p.selector, pattern) or fnmatchcase(p.place, pattern)
    )


def _unknown(argument: str, folder: Path, root: Path) -> NoReturn:
    """Say what is missing, and which names are nearest."""
    if folder.is_dir():
        raise UsageError(
            f"there is no package in {folder}",
            "A package has an ecrypt-sync.h, an ecrypt-sync-ae.h, an api.h or the header of a "
            "compact hash; `assay cleanup` makes one from a raw submission.",
        )
    packages = discover(root)
    names = sorted({p.selector for p in packages} | {p.selector.split("/")[0] for p in packages})
    nearest = difflib.get_close_matches(argument.lower(), names, n=_NEAREST, cutoff=0.5)
    hint = f"Did you mean {' or '.join(nearest)}? " if nearest else ""
    raise UsageError(f"unknown package {argument!a}", f"{hint}`assay list` shows all names.")


def _with_own_selectors(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Refuse two packages under one name: their results would be mixed."""
    seen: dict[str, Found] = {}
    for one in found:
        other = seen.setdefault(one.selector, one)
        if other is not one:
            raise UsageError(
                f"{other.root} and {one.root} are both called {one.selector}",
                "Test them one after another, in results folders of their own.",
            )
    return found

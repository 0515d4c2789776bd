# SPDX-License-Identifier: MIT
"""From names to implementations in trees: SUPERCOP's layout first, then every other.

Trees that are not laid out as SUPERCOP's have a description, are known, are liboqs's or
libjade's, or hold implementations in folders of any name.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn, TypeVar

from assay.errors import UsageError, meant
from assay.model.operations import COMBINED, FOLDERS, OPERATIONS
from assay.model.packages import kind_at
from assay.package.described.load import described_at, with_those_below
from assay.package.discover import Found
from assay.package.supercop.libjade import listed_in_libjade
from assay.package.supercop.listing import (
    Listed,
    at_place,
    listing,
    names,
    operations,
    primitives,
)
from assay.package.supercop.outside import listed_in_folder

A_PACKAGE = "A package of an operation has a file api.h that defines its CRYPTO_ constants."
_PATTERN = frozenset("*?[")
OneT = TypeVar("OneT", Listed, Found)


def list_in_trees(
    arguments: Sequence[str], trees: Sequence[Path], *, cwd: Path | None = None
) -> tuple[Listed, ...]:
    """List the implementations meant by `arguments`, each once, in the order given.

    An argument is an operation (`crypto_hash`), a primitive (`crypto_hash/sha256`), an
    implementation or a folder of some (`crypto_hash/sha256/dolbeau`), a shell pattern over
    these in which `*` also matches slashes, or an existing folder relative to `cwd`. No
    argument means all that the trees have. Raises UsageError for what means nothing, and
    if two different implementations have one name.
    """
    trees = distinct_trees(trees)
    found: dict[tuple[Path, str], Listed] = {}
    for argument in arguments or ("crypto_*",):
        for one in find(argument, trees, cwd) or unknown(argument, trees, cwd):
            found.setdefault(one.key, one)
    return with_own_places(found.values())


def is_place(argument: str) -> bool:
    """Return whether an argument names an operation, or something below one."""
    return kind_at(argument) is not None


def with_own_places(listed: Iterable[Listed]) -> tuple[Listed, ...]:
    """Refuse two implementations under one name: their results would be mixed."""
    return without_namesakes(listed, lambda one: one.place)


def without_namesakes(found: Iterable[OneT], name: Callable[[OneT], str]) -> tuple[OneT, ...]:
    """Return what was found, each once; UsageError for two under one name."""
    seen: dict[str, OneT] = {}
    for one in found:
        other = seen.setdefault(name(one), one)
        if other is not one:
            raise UsageError(
                f"{other.root} and {one.root} are both called {name(one)}",
                "Test them one after another, in results folders of their own.",
            )
    return tuple(seen.values())


def distinct_trees(trees: Sequence[Path]) -> tuple[Path, ...]:
    """Keep each tree once, and refuse folders that are none."""
    real: dict[str, Path] = {}
    for tree in trees:
        if not any((tree / name).is_dir() for name in FOLDERS):
            raise UsageError(
                f"{tree} has no folder of an operation, such as crypto_hash",
                "Name with --tree a folder laid out as crypto_hash/sha256/ref/api.h.",
            )
        real.setdefault(os.path.realpath(tree), tree.absolute())
    return tuple(real.values())


def find(argument: str, trees: Sequence[Path], cwd: Path | None = None) -> tuple[Listed, ...]:
    """List what one argument means: names in the trees before folders, patterns last.

    A name may lack its operation: `hqc-128/clean`.
    """
    plain = argument.strip("/")
    if "\0" in argument or not plain:
        raise UsageError(f"{argument!a} is no name", "Name an operation, such as crypto_hash.")
    found = tuple(one for tree in trees for one in _at(tree, plain))
    folder = _folder(argument, cwd)
    if not found and folder.is_dir():
        found = _in_folder(folder, trees)
    if not found and plain.partition("/")[0] not in OPERATIONS:
        found = tuple(
            one
            for tree in trees
            for operation in operations(tree)
            if plain.partition("/")[0] in primitives(tree, operation)
            for one in _at(tree, f"{operation}/{plain}")
        )
    if not found and _PATTERN.intersection(plain):
        found = tuple(one for tree in trees for one in _matching(tree, plain))
    return found


def _folder(argument: str, cwd: Path | None) -> Path:
    return Path(os.path.normpath((cwd or Path.cwd()).absolute() / argument))


def _at(tree: Path, place: str) -> tuple[Listed, ...]:
    """List what a tree has at a place and below it."""
    operation, *rest = place.split("/")
    if not {"", ".", ".."}.isdisjoint(rest):
        return ()
    if operation in COMBINED:
        every = names(tree, operation, rest[0] if rest else None)
        return tuple(one for name in every if _is_at(name, place) for one in at_place(tree, name))
    if operation not in operations(tree):
        return ()
    listed = listing(tree, operation, rest[0] if rest else None)
    return tuple(one for one in listed if _is_at(one.place, place))


def _is_at(name: str, place: str) -> bool:
    return name == place or name.startswith(f"{place}/")


def _in_folder(folder: Path, trees: Sequence[Path]) -> tuple[Listed, ...]:
    """List what is in a folder: a tree, a part of one, or one outside of them."""
    for tree in trees:
        if folder.resolve() == tree.resolve():
            return listing(tree)
        if folder.is_relative_to(tree) and (found := _at(tree, str(folder.relative_to(tree)))):
            return found
    return listed_in_folder(folder)


def _matching(tree: Path, pattern: str) -> tuple[Listed, ...]:
    """List what matches a pattern, by its own name or by that of a folder above it."""
    first = pattern.split("/", maxsplit=1)[0]
    wanted = operations(tree) if _PATTERN.intersection(first) else (first,)
    return tuple(
        one for name in wanted for one in listing(tree, name) if _fits(one.place, pattern)
    )


def _fits(place: str, pattern: str) -> bool:
    parts = place.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return any(fnmatchcase(name, pattern) for name in above)


def unknown(argument: str, trees: Sequence[Path], cwd: Path | None = None) -> NoReturn:
    """Describe what is missing, and which names are nearest."""
    folder = _folder(argument, cwd)
    if folder.is_dir():
        raise UsageError(f"there is no package in {folder}", A_PACKAGE)
    if folder.is_file():
        raise UsageError(f"{folder} is a file, and a package is a folder", A_PACKAGE)
    near = sorted({name for tree in trees for name in _neighbours(tree, argument)})
    hint = meant(argument, near)
    where = f" in {', '.join(map(str, trees))}" if trees else ""
    raise UsageError(
        f"unknown package {argument!a}{where}",
        f"{hint}Names are those of folders: crypto_hash, crypto_hash/sha256, or longer.",
    )


def _neighbours(tree: Path, argument: str) -> tuple[str, ...]:
    """Name operations, primitives of the operation meant, and implementations of the primitive."""
    operation, *rest = argument.split("/")
    if operation not in OPERATIONS or not rest:
        return operations(tree)
    if rest[0] in (every := primitives(tree, operation)):
        return names(tree, operation, rest[0])
    ends = "/".join(["", *rest[1:]])
    return tuple(f"{operation}/{one}{end}" for one in every for end in {"", ends})


def divided(trees: Iterable[Path]) -> tuple[tuple[Path, ...], tuple[Found | Listed, ...]]:
    """Return the trees in SUPERCOP's layout, and what those in other layouts have.

    A tree without packages counts as the former, whose reader says what is missing.
    """
    found = [(tree, _packages(tree)) for tree in trees]
    plain = tuple(tree for tree, theirs in found if not theirs)
    return plain, tuple(one for _, theirs in found for one in theirs)


def list_in_any_trees(
    arguments: Sequence[str], trees: Sequence[Path]
) -> tuple[tuple[Found, ...], tuple[Listed, ...]]:
    """List what arguments mean in trees of any layout: what had to be loaded, and the rest."""
    plain, others = divided(trees)
    found = tuple(
        one for one in others if not arguments or any(named(a, [one]) for a in arguments)
    )
    left = tuple(each for each in arguments if not named(each, others))
    if left and not plain:
        not_in_trees(left[0], trees, others)
    more = list_in_trees(left, plain) if plain and (left or not arguments) else ()
    listed = (one for one in found if isinstance(one, Listed))
    loaded = tuple(one for one in found if not isinstance(one, Listed))
    return loaded, with_own_places((*listed, *more))


def _packages(tree: Path) -> tuple[Found | Listed, ...]:
    found: tuple[Found | Listed, ...] = described_at(tree) or listed_in_libjade(tree) or ()
    if found or any((tree / name).is_dir() for name in FOLDERS):
        return found
    return with_those_below(tree, listed_in_folder(tree)) if tree.is_dir() else ()


def named(argument: str, found: Iterable[Found | Listed]) -> tuple[Found | Listed, ...]:
    """Return those of a tree's packages that an argument means.

    It is an operation, a primitive or an implementation, with the operation's name or without
    it, or a shell pattern over these in which `*` also matches slashes.
    """
    pattern = argument.strip("/")
    return tuple(one for one in found if _is_meant(one.place, pattern))


def _is_meant(place: str, pattern: str) -> bool:
    operation, *rest = place.split("/")
    above = ["/".join(rest[: count + 1]) for count in range(len(rest))]
    names = (operation, *above, *(f"{operation}/{one}" for one in above))
    return any(name == pattern or fnmatchcase(name, pattern) for name in names)


def not_in_trees(
    argument: str, trees: Sequence[Path], found: Iterable[Found | Listed]
) -> NoReturn:
    """Report a name that no tree has, and which are nearest."""
    places = sorted({one.place for one in found})
    short = [place.partition("/")[2] for place in places]
    hint = meant(argument, [*places, *short])
    raise UsageError(
        f"unknown package {argument!a} in {', '.join(map(str, trees))}",
        f"{hint}`assay list --tree DIR` shows the names.",
    )

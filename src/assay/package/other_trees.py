# SPDX-License-Identifier: MIT
"""Trees that are named with --tree and are not laid out as SUPERCOP's.

They have a description, are known, are liboqs's, or hold implementations in folders of any name.
"""

import difflib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from assay.errors import UsageError
from assay.model.operations import FOLDERS
from assay.package.described.find import described_at
from assay.package.discover import Found
from assay.package.supercop.libjade import listed_in_libjade
from assay.package.supercop.listing import Listed
from assay.package.supercop.outside import listed_in_folder
from assay.package.supercop.resolve import list_in_trees, with_own_places

_NEAREST = 3


def divided(trees: Iterable[Path]) -> tuple[tuple[Path, ...], tuple[Found | Listed, ...]]:
    """Return the trees in SUPERCOP's layout, and what those in other layouts have.

    A tree without packages counts as the former, whose reader says what is missing.
    """
    plain: list[Path] = []
    found: list[Found | Listed] = []
    for tree in trees:
        theirs = _packages(tree)
        found += theirs
        if not theirs:
            plain.append(tree)
    return tuple(plain), tuple(found)


def list_in_any_trees(
    arguments: Sequence[str], trees: Sequence[Path]
) -> tuple[tuple[Found, ...], tuple[Listed, ...]]:
    """List what arguments mean in trees of any layout: what had to be loaded, and the rest."""
    plain, others = divided(trees)
    meant = tuple(
        one for one in others if not arguments or any(named(a, [one]) for a in arguments)
    )
    left = tuple(each for each in arguments if not named(each, others))
    if left and not plain:
        not_in_trees(left[0], trees, others)
    found = list_in_trees(left, plain) if plain and (left or not arguments) else ()
    listed = (one for one in meant if isinstance(one, Listed))
    loaded = tuple(one for one in meant if not isinstance(one, Listed))
    return loaded, with_own_places((*listed, *found))


def _packages(tree: Path) -> tuple[Found | Listed, ...]:
    found: tuple[Found | Listed, ...] = described_at(tree) or listed_in_libjade(tree) or ()
    if found or any((tree / name).is_dir() for name in FOLDERS):
        return found
    return listed_in_folder(tree) if tree.is_dir() else ()


def named(argument: str, found: Iterable[Found | Listed]) -> tuple[Found | Listed, ...]:
    """Return those of a tree's packages that an argument means.

    It is an operation, a primitive or an implementation, with the operation's name or without
    it, or a shell pattern over these in which `*` also matches slashes.
    """
    pattern = argument.strip("/")
    return tuple(one for one in found if _fits(one.place, pattern))


def _fits(place: str, pattern: str) -> bool:
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
    near = difflib.get_close_matches(argument, [*places, *short], n=_NEAREST, cutoff=0.6)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(
        f"unknown package {argument!a} in {', '.join(map(str, trees))}",
        f"{hint}`assay list --tree DIR` shows the names.",
    )

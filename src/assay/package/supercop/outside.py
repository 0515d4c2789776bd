# SPDX-License-Identifier: MIT
"""Implementations in a folder that somebody names, in whatever layout it has.

A folder called as an operation (`crypto_kem`) above or below makes a tree of what holds
it. Without one, functions and constants tell the operation, and folders the names.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.model.operations import FOLDERS
from assay.package.supercop.api import operation_in
from assay.package.supercop.elsewhere import beside_headers, is_of_headers
from assay.package.supercop.files import SOURCES, is_below, read_files
from assay.package.supercop.libjade import listed_at, listed_in_libjade
from assay.package.supercop.liboqs_tree import listed_in_liboqs
from assay.package.supercop.listing import (
    API,
    LIMIT_DEPTH,
    Listed,
    at_place,
    listed_entries,
    names,
)
from assay.package.text import code_of, read_text

UNKNOWN = "unknown"
"""Stands for the operation in the place of a package of none that is known."""

MOST_FOLDERS = 100_000
"""Of a folder that is searched; more are refused, as some would not be looked into."""

_ROUNDS = tuple(f"{name}_" for name in FOLDERS)
_VARIANT = re.compile(r".*implementations?", re.IGNORECASE)
_ODD = re.compile(r"[^A-Za-z0-9_.+-]+")


def listed_in_folder(folder: Path) -> tuple[Listed, ...]:
    """List the implementations in and below a folder, in the order of their places.

    None if there is no file `api.h`, or if it is a tree of liboqs or libjade without any.
    """
    folder = folder.absolute()
    for listed in (listed_in_liboqs(folder), listed_in_libjade(folder)):
        if listed is not None:
            return listed
    tree = _tree_above(folder)
    if tree is not None:
        return _below(tree, folder.relative_to(tree).as_posix())
    found: list[Listed] = []
    top = folder.parent if is_of_headers(folder) else folder
    for place in _folders(folder):
        if place.name in FOLDERS:
            found += _below(place.parent, place.name)
        elif os.path.isfile(place / API):  # noqa: PTH113 - Path.is_file raises for some
            found.append(_single(place, top))
    return _told_apart(found, top)


def _told_apart(found: list[Listed], top: Path) -> tuple[Listed, ...]:
    """Put the folders above into the names that several implementations have.

    Collections hold one submission once for each round, or for each platform.
    """
    count = Counter(one.place for one in found)
    return tuple(_with_path(one, top) if count[one.place] > 1 else one for one in found)


def _with_path(one: Listed, top: Path) -> Listed:
    operation, primitive, *rest = one.place.split("/")
    above = one.root.relative_to(top).parts
    known = {operation, primitive, *rest}
    path = [name for name in map(_plain, above) if name and name not in known]
    return Listed(one.tree, "/".join([operation, primitive, *path, *rest]), one.root)


def holds_operations(folder: Path) -> bool:
    """Return whether a folder is, beyond doubt, one of implementations of operations.

    It has an `api.h`, or a folder of an operation directly in it, or one above it.
    """
    if not folder.is_dir():
        return False
    if listed_in_liboqs(folder):
        return True
    below = (folder / API).is_file() or any((folder / name).is_dir() for name in FOLDERS)
    return below or _tree_above(folder) is not None


def _tree_above(folder: Path) -> Path | None:
    """Find the folder that holds `crypto_...` among those above, the nearest one."""
    named = (above.parent for above in (folder, *folder.parents) if above.name in FOLDERS)
    return next(named, None)


def _below(tree: Path, place: str) -> tuple[Listed, ...]:
    """List what a tree has at a place and below it."""
    parts = place.split("/")
    every = names(tree, parts[0], parts[1] if len(parts) > 1 else None)
    return tuple(
        _with_implementation(one)
        for name in every
        if name == place or name.startswith(f"{place}/")
        for one in at_place(tree, name)
    )


def _with_implementation(one: Listed) -> Listed:
    """Name an implementation after the folder above the tree's, where NIST has none.

    `Reference_Implementation/crypto_kem/foo512` is `crypto_kem/foo512/Reference_Implementation`.
    """
    if one.place.count("/") > 1:
        return one
    return Listed(one.tree, f"{one.place}/{_plain(one.tree.name) or 'main'}", one.root)


def _folders(folder: Path) -> Iterator[Path]:
    """Yield a folder and those below it in order, down to operations; links stay inside.

    Raises UsageError if they are too many.
    """
    limit = os.path.realpath(folder)
    todo: list[tuple[str, tuple[str, ...]]] = [(str(folder), (limit,))]
    seen = 0
    while todo:
        path, chain = todo.pop()
        seen += 1
        if seen > MOST_FOLDERS:
            raise UsageError(
                f"{folder} has more than {MOST_FOLDERS} folders", "Name one that it holds."
            )
        yield Path(path)
        if Path(path).name in FOLDERS or len(chain) > LIMIT_DEPTH:
            continue
        below = [(e.path, e.real(chain[-1])) for e in listed_entries(path) if e.kind == "folder"]
        todo += [
            (name, (*chain, real))
            for name, real in reversed(below)
            if real not in chain and is_below(real, limit)
        ]


def _single(folder: Path, top: Path) -> Listed:
    """Name a package that stands in no folder of an operation."""
    if jade := listed_at(folder, top):
        return jade
    try:
        files = read_files(folder, top)
        sources = [files.text(name) for name in files.top(*SOURCES)]
        sources += map(read_text, beside_headers(files, top).values())
        code = code_of("\n".join(sources))
        operation = operation_in(files.code(API), code)
    except (AssayError, OSError):
        operation = None  # loading says why
    called = [_plain(name) for name in _names_of(folder, top)]
    if _VARIANT.fullmatch(called[0]):
        called.reverse()
    primitive, *implementation = called
    place = [operation.name if operation else UNKNOWN, primitive or "package"]
    return Listed(top, "/".join([*place, *(name or "main" for name in implementation)]), folder)


def _names_of(folder: Path, top: Path) -> tuple[str, ...]:
    """Return the folders that name a package: primitive and implementation.

    They are the last two, or all of three or more below one called as an operation and more,
    as brutus has `crypto_aead_round1/hs1sivhiv1/dolbeau/amd64-avx2`.
    """
    path = (top.name, *folder.relative_to(top).parts)
    named = (n for n, name in enumerate(path, 1) if name.startswith(_ROUNDS))
    below = path[max(named, default=len(path)) :]
    return below if len(below) > 2 else (folder.parent.name, folder.name)


def _plain(name: str) -> str:
    """Make a folder's name one that may stand in a place."""
    return _ODD.sub("_", name).strip("_.+-")

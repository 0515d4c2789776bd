# SPDX-License-Identifier: MIT
"""Which description is meant: a file, a tree's own, a shipped one, or a folder of them."""

import functools
from fnmatch import fnmatchcase
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.model import BrokenPackage, Package
from assay.package.described.load import load_described
from assay.package.described.toml import FILE_NAME, DescribedTree, read_description

KNOWN = Path(__file__).parent / "known"
SUFFIX = ".toml"
CHOICE = ":"

Described = tuple[Package | BrokenPackage, ...]


def described_at(place: Path) -> Described:
    """Load the packages of a description, or of a tree that has one; none if there is none."""
    if place.suffix == SUFFIX and place.is_file():
        return load_described(place)
    if not place.is_dir():
        return ()
    if (place / FILE_NAME).is_file():
        return load_described(place / FILE_NAME)
    known = known_for(place)
    if known is not None:
        return load_described(known.path, place)
    return tuple(one for path in _apart(place) for one in load_described(path))


def chosen(argument: str, cwd: Path) -> Described:
    """Load what `TREE:PATTERN` means, where TREE is a description or has one; else nothing."""
    name, colon, pattern = argument.rpartition(CHOICE)
    place = cwd / name
    if not colon or not name or not place.exists():
        return ()
    found = described_at(place)
    wanted = tuple(one for one in found if _fits(one.place, pattern))
    if found and not wanted:
        names = ", ".join(one.place.split("/", 1)[1] for one in found[:5])
        raise UsageError(f"{name} has no package {pattern!a}", f"It has {names} and so on.")
    return wanted


def _fits(place: str, pattern: str) -> bool:
    """Return whether a package is meant: by parameter set, set/implementation, or the whole."""
    _, name, implementation = place.split("/")
    names = (name, f"{name}/{implementation}", place)
    return any(fnmatchcase(each, pattern) for each in names)


def known_for(folder: Path) -> DescribedTree | None:
    """Return the description that Assay comes with of a tree, which it knows by some files."""
    for one in known_descriptions():
        if one.marks and all((folder / mark).exists() for mark in one.marks):
            return one
    return None


@functools.cache
def known_descriptions() -> tuple[DescribedTree, ...]:
    """Read all descriptions that Assay comes with."""
    return tuple(read_description(path) for path in sorted(KNOWN.glob(f"*{SUFFIX}")))


def _apart(folder: Path) -> list[Path]:
    """Name the descriptions in a folder that say where their trees are."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            if read_description(path).rooted:
                found.append(path)
        except AssayError:
            if path.stem != "pyproject" and "[set." in path.read_text("utf-8", "replace"):
                raise
    return found

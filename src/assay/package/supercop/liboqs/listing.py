# SPDX-License-Identifier: MIT
"""Which implementations a tree of liboqs has."""

from pathlib import Path

from assay.errors import AssayError
from assay.package.supercop.liboqs.family import AlgorithmFamily, families
from assay.package.supercop.listing import Listed

LAYOUT = "liboqs"
_LEVELS = 4


def listed_in_liboqs(folder: Path) -> tuple[Listed, ...] | None:
    """List the implementations in a folder of a tree of liboqs; None if it is in none.

    A folder below that of a family means the whole family.
    """
    source = _source(folder)
    if source is None:
        return None
    return tuple(
        one
        for family in families(source)
        if _meets(family.folder, folder)
        for one in _listed(family, source)
    )


def _source(folder: Path) -> Path | None:
    """Find the tree's `src`, in the folder or above it."""
    for above in (folder / "src", folder, *folder.parents[:_LEVELS]):
        if (above / "oqs.h").is_file() and (above / "common" / "common.h").is_file():
            return above
    return None


def _meets(family: Path, folder: Path) -> bool:
    return family.is_relative_to(folder) or folder.is_relative_to(family)


def _listed(family: AlgorithmFamily, source: Path) -> tuple[Listed, ...]:
    """List a family; one that cannot be read is listed once, and loading it says why."""
    tree, operation = source.parent, family.kind.operation
    try:
        found = tuple(f"{one.algorithm}/{one.name}" for one in family.built())
    except (AssayError, OSError):
        found = (family.name,)
    return tuple(Listed(tree, f"{operation}/{one}", family.folder, LAYOUT) for one in found)

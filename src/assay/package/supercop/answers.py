# SPDX-License-Identifier: MIT
"""Known answers that lie beside a package, found by their names.

They stand in the implementation's folder, in the primitive's above it, or in a folder `KAT`
beside one of the folders above. Without folders that name operation and primitive the one above
counts if it has one such file.
"""

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from assay.model.api import Api
from assay.model.operations import OPERATIONS
from assay.package.supercop.files import is_inside
from assay.package.supercop.listing import listed_entries

_FOLDER = "kat"
_ANY = re.compile(r"(?:.*[_.-])?KAT(?:[_.-].*)?\.(?:TXT|RSP)")
_ABOVE = 5
_DEEPEST = 4
_MOST_FILES = 2000
_NO_LETTER = re.compile(r"[^a-z0-9]+")


def answers_beside(operation: Api, folders: tuple[Path, Path], tree: Path) -> tuple[Path, ...]:
    """Return the files of known answers of an implementation, sorted, from the nearest place.

    `folders` are the implementation's and its primitive's. Of a folder `KAT` with answers of
    many primitives those are taken whose paths name the primitive, if any do.
    """
    for folder in dict.fromkeys(folders):
        if found := tuple(_directly_in(operation, folder, tree)):
            return found
    above = folders[0].parent
    if folders[1] == folders[0] != tree and above.is_relative_to(tree):
        found = tuple(_directly_in(operation, above, tree))
        if len(found) == 1:  # several may be those of other packages there
            return found
    for above in (folders[0], *folders[0].parents[:_ABOVE]):
        if found := tuple(_in_kat(operation, above)):
            return _of_primitive(found, above, folders)
    return ()


def _directly_in(operation: Api, folder: Path, tree: Path) -> Iterator[Path]:
    for one in listed_entries(str(folder)):
        path = Path(one.path)
        if one.kind == "file" and _is_for(operation, one.name) and is_inside(path, tree):
            yield path


def _in_kat(operation: Api, folder: Path) -> Iterator[Path]:
    """Yield what stands in and below the folder's `KAT`; links are not followed."""
    for one in listed_entries(str(folder)):
        name = one.name.lower()
        if one.kind == "folder" and not one.link and name in {_FOLDER, f"{_FOLDER}s"}:
            yield from _files_below(operation, Path(one.path))


def _files_below(operation: Api, top: Path) -> Iterator[Path]:
    seen = 0
    for folder, below, files in os.walk(top):
        place = Path(folder)
        below.sort()
        if len(place.relative_to(top).parts) >= _DEEPEST:
            below.clear()
        for name in sorted(files):
            seen += 1
            if seen > _MOST_FILES:
                return
            path = place / name
            if _is_for(operation, name) and path.is_file() and not path.is_symlink():
                yield path


def _of_primitive(
    found: tuple[Path, ...], above: Path, folders: tuple[Path, Path]
) -> tuple[Path, ...]:
    """Keep the answers whose paths name the package, the longest such name deciding."""
    wanted = {_plain(part) for one in folders for part in one.parts[-2:]} - {""}
    paths = {one: {_plain(part) for part in one.relative_to(above).parts[:-1]} for one in found}
    named = [len(max(wanted & parts, key=len, default="")) for parts in paths.values()]
    best = max(named)
    return tuple(one for one, length in zip(found, named, strict=True) if length == best)


def _plain(name: str) -> str:
    return _NO_LETTER.sub("", name.lower())


def _is_for(operation: Api, name: str) -> bool:
    """Return whether a file is one of answers, of this operation as far as its name says."""
    if _fits(operation, name):
        return True
    others = any(_fits(one, name) for one in OPERATIONS.values())
    return not others and _ANY.fullmatch(name.upper()) is not None


def _fits(operation: Api, name: str) -> bool:
    return any(fnmatchcase(name.upper(), one.upper()) for one in operation.answers)

# SPDX-License-Identifier: MIT
"""Which implementations a tree or a release of libjade has, and single ones elsewhere.

In its tree, header and code are `avx2/include/api.h` and `avx2/kem.jazz`, with `kem.s` once that
is compiled; in a release `kyber_kyber768_avx2/kyber_kyber768_avx2.h` and `.s`.
"""

from collections.abc import Iterator
from pathlib import Path

from assay.errors import PackageError
from assay.model.operations import FOLDERS
from assay.package.supercop.libjade.names import JadeNames, jade_names
from assay.package.supercop.listing import API, LIMIT_DEPTH, Listed, listed_entries
from assay.package.text import code_of, read_text

LAYOUT = "libjade"
INCLUDE = "include"
CODE = (".s", ".jazz")
_PARTS = ("src", "libjade", "oldsrc-should-delete")
_MARKS = ("Makefile.common", "Makefile.functions")
_LEVELS = 8


def listed_in_libjade(folder: Path) -> tuple[Listed, ...] | None:
    """List the implementations in a folder of a tree of libjade; None if it is in none."""
    source = _source(folder)
    if source is None:
        return None
    found: dict[Listed, None] = {}
    for name in FOLDERS:
        for place in _folders(source / name):
            if place.is_relative_to(folder) or folder.is_relative_to(place):
                one = listed_at(place, source) or _unnamed(place, source)
                found |= {one: None} if one else {}
    return tuple(found)


def listed_at(folder: Path, tree: Path) -> Listed | None:
    """List the implementation in a folder, or in the one above its folder of headers."""
    place = folder.parent if folder.name == INCLUDE else folder
    names = names_at(place) if _has_code(place) and place.is_relative_to(tree) else None
    if names is None:
        return None
    parts = (names.operation.name, names.primitive, names.implementation)
    return Listed(tree, "/".join(parts), place, LAYOUT)


def _unnamed(place: Path, source: Path) -> Listed | None:
    """List an implementation whose header has other names by its path: loading says why."""
    if not _has_code(place) or header_at(place) is None:
        return None
    return Listed(source, place.relative_to(source).as_posix(), place, LAYOUT)


def header_at(folder: Path) -> Path | None:
    """Find the header of an implementation's folder."""
    every = (folder / API, folder / INCLUDE / API, folder / f"{folder.name}.h")
    return next((one for one in every if one.is_file()), None)


def names_at(folder: Path) -> JadeNames | None:
    """Read the names in the header of an implementation's folder, if there is one of libjade's."""
    header = header_at(folder)
    try:
        return jade_names(code_of(read_text(header))) if header else None
    except (PackageError, OSError):
        return None


def _source(folder: Path) -> Path | None:
    """Find the folder that holds the operations, in the folder or above it."""
    for above in (*(folder / one for one in _PARTS), folder, *folder.parents[:_LEVELS]):
        operations = [above / name for name in FOLDERS if (above / name).is_dir()]
        made = all((above / mark).is_file() for mark in _MARKS)
        if operations and (made or any(map(_is_released, operations))):
            return above
    return None


def _is_released(operation: Path) -> bool:
    """Return whether an operation's folders are those of a release: `NAME/NAME.s` and `.h`."""
    return any(
        (operation / one.name / f"{one.name}.s").is_file()
        and (operation / one.name / f"{one.name}.h").is_file()
        for one in listed_entries(str(operation))
        if one.kind == "folder"
    )


def _has_code(folder: Path) -> bool:
    return any(one.name.endswith(CODE) for one in listed_entries(str(folder)))


def _folders(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield a folder and those below it in order; links are not followed."""
    yield folder
    for one in listed_entries(str(folder)) if depth < LIMIT_DEPTH else ():
        if one.kind == "folder" and not one.link:
            yield from _folders(folder / one.name, depth + 1)

# SPDX-License-Identifier: MIT
"""Which implementations a tree has, found without reading any file.

An implementation is a folder with an `api.h` below `crypto_OPERATION/PRIMITIVE`. As
SUPERCOP does, operations, primitives and implementations whose folder has the sticky
bit are passed over. One below `crypto_aead_hash` is listed twice, once for each operation.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from assay.errors import PackageError, UsageError
from assay.model import BrokenPackage, Package
from assay.model.operations import COMBINED, OPERATIONS
from assay.package.supercop.files import Entry, every_entry, is_below

API = "api.h"
LIMIT_DEPTH = 12
LIMIT_FOLDERS = 5000
"""Of one primitive, with links followed; the most seen in SUPERCOP are 77."""


class Listed(Struct, frozen=True):
    """An implementation that is not read yet.

    `place` names it (`crypto_hash/sha256/ref`), `tree` is the folder that links must not
    leave. `folder` is set where the implementation does not stand at `tree/place`. `layout` is
    set where a loader of its own reads it; such a folder may have several.
    """

    tree: Path
    place: str
    folder: Path | None = None
    layout: str = ""

    @property
    def root(self) -> Path:
        """The implementation's folder."""
        return self.folder or self.tree / self.place

    @property
    def key(self) -> tuple[Path, str]:
        """What is listed once only, however it is named."""
        return self.root, self.place if self.layout else self.operation

    @property
    def operation(self) -> str:
        """The operation's name."""
        return self.place.partition("/")[0]


PlacedT = TypeVar("PlacedT", bound=Package | BrokenPackage | Listed)


def operations(tree: Path) -> tuple[str, ...]:
    """Name the operations that a tree has a folder for, in the table's order."""
    every = ((name, _folders_of(name)) for name in OPERATIONS)
    return tuple(name for name, folders in every if any(_usable(tree / one) for one in folders))


def _folders_of(operation: str) -> tuple[str, ...]:
    return (operation, *(name for name, parts in COMBINED.items() if operation in parts))


def primitives(tree: Path, operation: str) -> tuple[str, ...]:
    """Name the primitives of an operation, sorted."""
    folder = tree / operation
    if not _usable(folder):
        return ()
    found = (one for one in listed_entries(str(folder)) if one.kind == "folder")
    return tuple(one.name for one in found if not _sticky(folder / one.name))


def names(tree: Path, operation: str, primitive: str | None = None) -> tuple[str, ...]:
    """Name the places of the implementations of an operation, or of one primitive.

    Places are sorted by primitive, then by folder. A folder that must not be followed
    out of the tree, never ends, or cannot be listed is named itself: loading it says why.
    """
    if primitive is None:
        every = primitives(tree, operation)
        return tuple(name for one in every for name in names(tree, operation, one))
    if not all(map(_usable, (tree / operation, tree / operation / primitive))):
        return ()
    place = f"{operation}/{primitive}"
    limit = os.path.realpath(tree)
    folder = f"{tree}/{place}"
    real = os.path.realpath(folder)
    if not is_below(real, limit):
        return (place,)
    found = tuple(islice(_places(folder, place, (real,), limit), LIMIT_FOLDERS + 1))
    return (place,) if len(found) > LIMIT_FOLDERS else tuple(filter(None, found))


def listing(
    tree: Path, operation: str | None = None, primitive: str | None = None
) -> tuple[Listed, ...]:
    """List the implementations of a tree, of one operation of it, or of one primitive."""
    return tuple(
        one
        for name in (operations(tree) if operation is None else (operation,))
        for folder in _folders_of(name)
        for place in names(tree, folder, primitive)
        for one in at_place(tree, place)
        if one.operation == name
    )


def at_place(tree: Path, place: str) -> tuple[Listed, ...]:
    """List what stands at the place of an implementation: one for each operation of its folder.

    Where a tree has an implementation of that name besides, the folder's name is in between.
    What cannot be printed of a name is escaped, and loading it says why it is refused.
    """
    folder, primitive, *rest = place.split("/")
    found = []
    for name in COMBINED.get(folder, ()):
        own = "/".join([name, primitive, *rest])
        if (tree / own).exists():
            own = "/".join([name, primitive, folder.removeprefix("crypto_"), *rest])
        found.append(Listed(tree, _printable(own), tree / place))
    printable = _printable(place)
    return tuple(found) or (Listed(tree, printable, None if printable == place else tree / place),)


def _printable(place: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in place)


def sample(listed: Iterable[PlacedT], count: int, seed: int) -> tuple[PlacedT, ...]:
    """Choose `count` of those listed, each as likely as any other; their order is kept.

    The choice depends on seed, names and count alone. A smaller count chooses a part of
    what a larger one does. Raises UsageError for a count below 1.
    """
    if count < 1:
        raise UsageError(f"a sample of {count} is none", "Choose 1 or more with --sample.")
    every = tuple(listed)
    drawn = sorted(every, key=lambda one: sha256(f"{seed}/{one.place}".encode()).digest())
    chosen = {id(one) for one in drawn[:count]}
    return tuple(one for one in every if id(one) in chosen)


def _places(
    folder: str, place: str, chain: tuple[str, ...], limit: str, *, below: bool = False
) -> Iterator[str | None]:
    """Yield the place of every folder that is an implementation, and None for the others.

    `chain` holds the real folders above, so that circles end; `below` says that an
    implementation is above.
    """
    try:
        found = tuple(every_entry(folder))
    except PackageError:
        yield None if below else place
        return
    own = any(one.name == API and one.kind == "file" for one in found)
    yield place if own and not _sticky(Path(folder)) else None
    for one in found:
        if one.kind != "folder" or (real := one.real(chain[-1])) in chain:
            continue
        name = f"{place}/{one.name}"
        if not is_below(real, limit):
            yield None if below or own else name
        elif len(chain) <= LIMIT_DEPTH:
            yield from _places(one.path, name, (*chain, real), limit, below=below or own)


def listed_entries(folder: str) -> tuple[Entry, ...]:
    """List a folder; one that cannot be listed has nothing.

    A name that cannot be written down hides nothing but itself.
    """
    try:
        return tuple(every_entry(folder))
    except PackageError:
        return ()


def _usable(folder: Path) -> bool:
    """Return whether there is a folder, and no sticky bit."""
    return folder.is_dir() and not _sticky(folder)


def _sticky(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_ISVTX)
    except OSError:
        return False

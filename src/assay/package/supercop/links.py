# SPDX-License-Identifier: MIT
"""Looking into folders full of links: the real places of entries, kept inside of one folder.

SUPERCOP's trees share files by links, two of three paths are such; links may lead
anywhere inside of the tree and nowhere else.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import PackageError

Kind = Literal["folder", "file", "other"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a folder: its name, its path, and whether that is a link.

    `other` is neither file nor folder: a socket, a device, or a link to nothing.
    """

    name: str
    path: str
    kind: Kind
    link: bool

    def real(self, above: str) -> str:
        """Return the real place, `above` being the real folder; what is no link stays in it."""
        return os.path.realpath(self.path) if self.link else f"{above}/{self.name}"


def entries(folder: str) -> Iterator[Entry]:
    """List a folder in the order of names, without those that begin with a dot.

    Raises PackageError if it cannot be listed or a name cannot be written down.
    """
    try:
        with os.scandir(folder) as listing:
            found = sorted((e for e in listing if not e.name.startswith(".")), key=_name)
    except OSError as error:
        raise PackageError(
            f"{folder} cannot be listed: {error.strerror}", "Give read permission on the folder."
        ) from error
    for entry in found:
        if not entry.name.isprintable():
            raise PackageError(
                f"{folder} has a file with an unprintable name: {entry.name!a}",
                "Rename it; letters, digits, dots and dashes are enough.",
            )
        yield Entry(entry.name, entry.path, _kind(entry), entry.is_symlink())


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _kind(entry: os.DirEntry[str]) -> Kind:
    try:
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else "other"
    except OSError:  # a link in a circle
        return "other"


def is_below(place: str, limit: str) -> bool:
    """Return whether a real path is a real folder or below it."""
    return place == limit or place.startswith(limit.rstrip("/") + "/")


def leaves(path: str, limit: Path | str) -> PackageError:
    """Report that a link leaves the folder that holds the packages."""
    return PackageError(
        f"{path} is a link to {os.path.realpath(path)}, outside of {limit}",
        "Put the file itself in its place, or name the folder that holds both (--tree).",
    )

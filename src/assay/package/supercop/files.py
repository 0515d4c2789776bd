# SPDX-License-Identifier: MIT
"""The files of an implementation, and what is read of each only once in a process.

Parameter sets share files by links: in SUPERCOP's trees two of three paths are such. Links may
lead anywhere inside of the tree and nowhere else.
"""

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from typing import Literal

from msgspec import Struct

from assay.errors import PackageError
from assay.package.conditions import Include, definitions_with, heads_of, includes_of, reachable
from assay.package.text import code_of, has_main, open_regular, read_text, text_of
from assay.package.tree import LIMIT_BYTES, LIMIT_DEPTH, LIMIT_FILES, digest_of

Kind = Literal["folder", "file", "other"]


class Entry(Struct, frozen=True):
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
    for entry in every_entry(folder):
        if not entry.name.isprintable():
            raise PackageError(
                f"{folder} has a file with an unprintable name: {entry.name!a}",
                "Rename it; letters, digits, dots and dashes are enough.",
            )
        yield entry


def every_entry(folder: str) -> Iterator[Entry]:
    """List a folder as `entries` does, with names that cannot be written down."""
    try:
        with os.scandir(folder) as listing:
            shown = (entry for entry in listing if not entry.name.startswith("."))
            found = sorted(shown, key=attrgetter("name"))
    except OSError as error:
        raise PackageError(
            f"{folder} cannot be listed: {error.strerror}", "Give read permission on the folder."
        ) from error
    for entry in found:
        yield Entry(entry.name, entry.path, _kind(entry), entry.is_symlink())


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


def is_inside(path: Path, tree: Path) -> bool:
    """Return whether a path stays in a folder when links are followed."""
    return is_below(os.path.realpath(path), os.path.realpath(tree))


def folders_above(folder: Path, tree: Path, levels: int) -> Iterator[Path]:
    """Yield the nearest folders above another one, as long as they stay in the tree."""
    yield from takewhile(lambda above: is_inside(above, tree), [*folder.parents][:levels])


def leaves(path: str, limit: Path | str) -> PackageError:
    """Report that a link leaves the folder that holds the packages."""
    return PackageError(
        f"{path} is a link to {os.path.realpath(path)}, outside of {limit}",
        "Put the file itself in its place, or name the folder that holds both (--tree).",
    )


SOURCES = (".c", ".s", ".S", ".cc", ".cpp")
SEARCHED = (".h", *SOURCES)
"""Suffixes of the files in which SUPERCOP looks for #include."""

_TELLING = re.compile(rb"\b(?:include|define)\b|CRYPTO_NAMESPACE")
_DEFINE = re.compile(r"#[ \t]*define[ \t]+(\w{1,200})", re.ASCII)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b[^\n]*", re.MULTILINE)
NAMESPACE = "CRYPTO_NAMESPACE"
_CACHED = 1 << 16


class Facts(Struct, frozen=True):
    """What is kept of a file: SHA-256 of its bytes, what it includes and what it defines.

    `named` says that it mentions CRYPTO_NAMESPACE, SUPERCOP's way of naming symbols, other than
    in definitions of macros; `namings` are these.
    """

    digest: bytes
    included: tuple[Include, ...]
    defined: frozenset[str]
    named: bool
    namings: tuple[Include, ...] = ()

    @property
    def includes(self) -> frozenset[str]:
        """The headers that it includes under whatever condition, as written."""
        return frozenset(one.header for one in self.included)


def reached(
    looked_at: Iterable[Facts], whole: Iterable[Facts], undefined: Collection[str] = ()
) -> frozenset[str]:
    """Name the headers that a compiler can reach from some files of a whole package."""
    defined = frozenset[str]().union(*(one.defined for one in whole))
    return reachable((one for facts in looked_at for one in facts.included), defined, undefined)


def names_symbols(whole: Iterable[Facts]) -> bool:
    """Return whether a compiler can reach what names symbols by SUPERCOP's macro."""
    every = tuple(whole)
    defined = frozenset[str]().union(*(one.defined for one in every))
    namings = (one for facts in every for one in facts.namings)
    return any(one.named for one in every) or bool(reachable(namings, defined))


class Files(Struct, frozen=True):
    """The files of a folder, by their names below it, each with its real place.

    `missing` are entries that are neither file nor folder, most of them links to nothing.
    """

    folder: Path
    real: dict[str, str]
    missing: tuple[str, ...]

    def top(self, *suffixes: str) -> tuple[str, ...]:
        """Name the files directly in the folder that end so."""
        return tuple(name for name in self.real if "/" not in name and name.endswith(suffixes))

    def text(self, name: str) -> str:
        """Read a file as text."""
        return read_text(Path(self.real[name]))

    def code(self, name: str) -> str:
        """Read a file without its comments."""
        return code_of(self.text(name))

    def facts(self, name: str) -> Facts:
        """Return what is known of a file."""
        return facts_of(self.real[name])

    def is_program(self, name: str) -> bool:
        """Return whether a source has a main() that a compiler may reach."""
        code = self.code(name)
        defined = frozenset[str]().union(*(one.defined for one in self.every()))
        return has_main(code) and bool(reachable(heads_of(code, "main"), defined))

    def includes(self) -> frozenset[str]:
        """Name all headers that the files in which SUPERCOP looks may include, as written."""
        searched = (self.facts(name) for name in self.real if name.endswith(SEARCHED))
        return reached(searched, self.every())

    def every(self) -> Iterator[Facts]:
        """Return what is known of all files."""
        return map(self.facts, self.real)


def read_files(folder: Path, tree: Path) -> Files:
    """Find the files of a folder and of those below it, as SUPERCOP copies them.

    Raises PackageError if a link leaves `tree`, or for too many files or bytes.
    """
    limit, real = os.path.realpath(tree), os.path.realpath(folder)
    found: dict[str, str] = {}
    missing: list[str] = []
    todo: list[tuple[str, tuple[str, ...]]] = [("", (real,))]
    folders = 0
    while todo:
        prefix, chain = todo.pop()
        folders += 1
        for one in entries(str(folder / prefix)):
            name, place = prefix + one.name, one.real(chain[-1])
            if not is_below(place, limit):
                raise leaves(one.path, limit)
            if one.kind == "file":
                found[name] = place
            elif one.kind == "other":
                missing.append(name)
            elif place not in chain and len(chain) <= LIMIT_DEPTH:
                todo.append((f"{name}/", (*chain, place)))
            if folders + len(found) + len(missing) > LIMIT_FILES:
                raise _too_large(folder)
    if sum(Path(path).stat().st_size for path in found.values()) > LIMIT_BYTES:
        raise _too_large(folder)
    return Files(folder, dict(sorted(found.items())), tuple(sorted(missing)))


def _too_large(folder: Path) -> PackageError:
    return PackageError(
        f"{folder} has more than {LIMIT_FILES} files and folders or {LIMIT_BYTES >> 20} MB",
        "Remove what the implementation does not need.",
    )


def hash_of(real: dict[str, str]) -> str:
    """Digest names and bytes, as `assay.package.tree.content_hash` does."""
    return digest_of((name, facts_of(real[name]).digest) for name in sorted(real))


def facts_of(path: str) -> Facts:
    """Return what is known of a regular file; it is read again only if it has changed."""
    at = Path(path).stat()
    return _facts(path, (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns))


@lru_cache(maxsize=_CACHED)
def _facts(path: str, _identity: tuple[int, ...]) -> Facts:
    with os.fdopen(open_regular(Path(path)), "rb") as file:
        data = file.read(LIMIT_BYTES + 1)
    if len(data) > LIMIT_BYTES:
        raise PackageError(f"{path} grows while it is read", "Let it be, and try again.")
    digest = hashlib.sha256(data).digest()
    if not _TELLING.search(data):
        return Facts(digest, (), frozenset(), named=False)
    code = code_of(text_of(data))
    defined = frozenset(_DEFINE.findall(code))
    named = NAMESPACE in _MACRO.sub("", code)
    return Facts(digest, includes_of(code), defined, named, definitions_with(code, NAMESPACE))

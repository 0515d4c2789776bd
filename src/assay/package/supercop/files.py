# SPDX-License-Identifier: MIT
"""The files of an implementation, and what is read of each only once in a process.

Parameter sets share files by links, so most files are met many times over.
"""

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from assay.errors import PackageError
from assay.package.reached import Include, definitions_with, includes_of, reachable
from assay.package.supercop.links import entries, is_below, leaves
from assay.package.text import code_of, open_regular, read_text, text_of
from assay.package.tree import LIMIT_BYTES, LIMIT_DEPTH, LIMIT_FILES, digest_of

SOURCES = (".c", ".s", ".S", ".cc", ".cpp")
SEARCHED = (".h", *SOURCES)
"""Suffixes of the files in which SUPERCOP looks for #include."""

_TELLING = re.compile(rb"\b(?:include|define)\b|CRYPTO_NAMESPACE")
_DEFINE = re.compile(r"#[ \t]*define[ \t]+(\w{1,200})", re.ASCII)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b[^\n]*", re.MULTILINE)
_NAMESPACE = "CRYPTO_NAMESPACE"
_CACHED = 1 << 16


@dataclass(frozen=True, slots=True)
class Facts:
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


@dataclass(frozen=True)
class Files:
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
    _check_size(folder, found)
    return Files(folder, dict(sorted(found.items())), tuple(sorted(missing)))


def _check_size(folder: Path, found: dict[str, str]) -> None:
    if sum(Path(path).stat().st_size for path in found.values()) > LIMIT_BYTES:
        raise _too_large(folder)


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
    named = _NAMESPACE in _MACRO.sub("", code)
    return Facts(digest, includes_of(code), defined, named, definitions_with(code, _NAMESPACE))

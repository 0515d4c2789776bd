# SPDX-License-Identifier: MIT
"""Trees of liboqs: families of algorithms, and the implementations that they have.

A family is a folder such as `src/kem/kyber`. Its header (`kem_kyber.h`) has the sizes of each
algorithm, its CMakeLists.txt the sources of each implementation of one.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError, PackageError
from assay.model.operation import Op
from assay.package.builds.cmake import CMakeLibrary, in_folders, targets
from assay.package.supercop.files import is_below
from assay.package.supercop.listing import Listed
from assay.package.text import code_of, read_text

LAYOUT = "liboqs"
_LEVELS = 4
OPTION = re.compile(r"OQS_ENABLE_\w+")
_LENGTH = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+OQS_(?:KEM|SIG)_(\w{1,100})_length_secret_key\b", re.MULTILINE
)

_CONTEXTS = re.compile(r"\bsig_with_ctx_support\s*=\s*true\b")


class LiboqsKind(Struct, frozen=True):
    """What a folder of families is for: its operation, and how names of it begin."""

    operation: str
    folder: str
    word: str


KINDS = (LiboqsKind(Op.KEM.value, "kem", "KEM"), LiboqsKind(Op.SIGN.value, "sig", "SIG"))


class LiboqsBuild(Struct, frozen=True):
    """An implementation of an algorithm: its names and the library that CMake makes of it."""

    algorithm: str
    name: str
    target: CMakeLibrary


class AlgorithmFamily(Struct, frozen=True):
    """A folder of algorithms; `source` is the tree's `src`."""

    kind: LiboqsKind
    source: Path
    name: str

    @property
    def folder(self) -> Path:
        """The family's folder."""
        return self.source / self.kind.folder / self.name

    @property
    def header(self) -> Path:
        """The header that declares all of its algorithms."""
        return self.folder / f"{self.kind.folder}_{self.name}.h"

    @property
    def lists(self) -> Path:
        """The file that says what is compiled."""
        return self.folder / "CMakeLists.txt"

    def algorithms(self) -> tuple[str, ...]:
        """Name the algorithms whose sizes the header states."""
        return _algorithms(self.header, _stamp(self.header))

    def targets(self) -> tuple[CMakeLibrary, ...]:
        """Return what the family's CMake file compiles."""
        return _targets(self.lists, _stamp(self.lists))

    def names(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Name paths of the CMake file as seen from `src`; those outside of it are left out."""
        return tuple(
            os.path.relpath(one, self.source)
            for path in paths
            if (one := self._real(path)) is not None
        )

    def _real(self, path: str) -> str | None:
        folder = str(self.folder)
        variables = {"CMAKE_CURRENT_LIST_DIR": folder, "CMAKE_CURRENT_SOURCE_DIR": folder}
        known = in_folders(path, variables | {"PROJECT_SOURCE_DIR": str(self.source.parent)})
        found = known and os.path.normpath(self.folder / known)
        return found if found and is_below(found, str(self.source)) else None

    def wrappers(self) -> dict[str, frozenset[str]]:
        """Return the algorithms that each source makes known to liboqs."""
        return _wrappers(self, _stamp(self.header), _stamp(self.lists))

    def has_contexts(self, algorithm: str) -> bool:
        """Return whether the record that liboqs makes of a signature says so."""
        names = (name for name, made in self.wrappers().items() if algorithm in made)
        texts = (code_of(read_text(self.source / name)) for name in names)
        made = rf"\bOQS_SIG_{algorithm}_new\([^{{}}]*{{(.*?)\breturn sig\b"
        found = (re.search(made, text, re.DOTALL) for text in texts)
        return any(one and _CONTEXTS.search(one[1]) for one in found)

    def built(self) -> tuple[LiboqsBuild, ...]:
        """Return the implementations of all algorithms, in the order of their names.

        A library whose name has none of an algorithm is of all of them.
        """
        algorithms, every = self.algorithms(), self.targets()
        own = {one.name: _algorithm_of(one.name, algorithms) for one in every}
        named = set(own.values())
        common = [one for one in every if own[one.name] is None]
        found = [
            LiboqsBuild(name, _rest(one.name, name), one)
            for one in every
            if (name := own[one.name]) is not None
        ]
        found += [
            LiboqsBuild(name, "main", one)
            for name in algorithms
            if name not in named
            for one in common[:1]
        ]
        return tuple(sorted(found, key=lambda one: (one.algorithm, one.name)))


def _stamp(path: Path) -> tuple[int, ...]:
    at = path.stat()
    return at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns


@lru_cache(maxsize=256)
def _algorithms(header: Path, _identity: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_LENGTH.findall(code_of(read_text(header)))))


@lru_cache(maxsize=256)
def _targets(lists: Path, _identity: tuple[int, ...]) -> tuple[CMakeLibrary, ...]:
    return targets(read_text(lists), OPTION)


@lru_cache(maxsize=256)
def _wrappers(family: AlgorithmFamily, *_identity: tuple[int, ...]) -> dict[str, frozenset[str]]:
    made = re.compile(rf"\bOQS_{family.kind.word}_(\w+?)_new\(")
    every = (name for one in family.targets() for name in family.names(one.sources))
    texts = {name: family.source / name for name in every if name.endswith(".c")}
    return {
        name: frozenset(made.findall(read_text(path)))
        for name, path in texts.items()
        if path.is_file()
    }


def families(source: Path) -> Iterator[AlgorithmFamily]:
    """Yield the families of a tree's `src`, by kind and name."""
    for kind in KINDS:
        folder = source / kind.folder
        names = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
        for name in names:
            found = AlgorithmFamily(kind, source, name)
            if found.header.is_file() and (found.folder / "CMakeLists.txt").is_file():
                yield found


def family_of(source: Path, operation: str, algorithm: str) -> AlgorithmFamily:
    """Return the family that has an algorithm; PackageError if none does."""
    for one in families(source):
        if one.kind.operation == operation and algorithm in one.algorithms():
            return one
    raise PackageError(
        f"no header in {source} states the sizes of {algorithm}",
        "Name the whole tree of liboqs.",
    )


def _algorithm_of(target: str, algorithms: tuple[str, ...]) -> str | None:
    """Return the longest name of an algorithm in that of a library, bounded by underscores."""
    fitting = (one for one in algorithms if f"_{one}_" in f"_{target}_")
    return max(fitting, key=len, default=None)


def _rest(target: str, algorithm: str) -> str:
    return f"_{target}_".replace(f"_{algorithm}_", "_").strip("_") or "main"


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
        if family.folder.is_relative_to(folder) or folder.is_relative_to(family.folder)
        for one in _listed(family, source)
    )


def _source(folder: Path) -> Path | None:
    """Find the tree's `src`, in the folder or above it."""
    for above in (folder / "src", folder, *folder.parents[:_LEVELS]):
        if (above / "oqs.h").is_file() and (above / "common" / "common.h").is_file():
            return above
    return None


def _listed(family: AlgorithmFamily, source: Path) -> tuple[Listed, ...]:
    """List a family; one that cannot be read is listed once, and loading it says why."""
    tree, operation = source.parent, family.kind.operation
    try:
        found = tuple(f"{one.algorithm}/{one.name}" for one in family.built())
    except (AssayError, OSError):
        found = (family.name,)
    return tuple(Listed(tree, f"{operation}/{one}", family.folder, LAYOUT) for one in found)

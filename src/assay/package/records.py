# SPDX-License-Identifier: MIT
"""The one place where the records of packages are made: by loaders, and of what cannot be loaded.

Loaders say what they found. What is the same for all of a sort is added here: names, digests, and
what outputs are compared with.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from assay.errors import AssayError, PackageError
from assay.fence import cure_of, ends_all, reason_of
from assay.model import BrokenPackage, Package, PackageKind, PackageRole
from assay.model.api import Api
from assay.model.packages import OperationDetails, Quirk
from assay.package.known import (
    checksums_reference,
    family_of,
    known_checksums,
    known_vectors,
    vectors_reference,
)
from assay.package.places import ROLES
from assay.package.quirks import text_quirks
from assay.package.supercop.files import hash_of
from assay.package.text import VECTOR_BYTES, open_regular
from assay.package.tree import Contents, content_hash, digest_with, readable

T = TypeVar("T")


class Name(Struct, frozen=True):
    """What a package is called: the part of the record that follows from its place."""

    place: str
    selector: str
    primitive: str
    implementation: str
    role: PackageRole


def name_package(place: str) -> Name:
    """Derive the names from the path below the tree's root.

    `submissions/abc/merged/1` is `abc/merged/1`, implementation `merged/1` of
    `abc`; the flat `submissions/abc` is `abc` with an empty implementation.
    """
    parts = PurePosixPath(place).parts
    role = ROLES.get(parts[0]) if len(parts) > 1 else None
    selected = parts[1:] if role else parts
    return Name(
        place="/".join(parts),
        selector="/".join(selected),
        primitive=selected[0],
        implementation="/".join(selected[1:]),
        role=role or PackageRole.SUBMISSION,
    )


class CodePackage(Struct, frozen=True):
    """What a loader found of a cipher or a hash; see Package for the fields.

    `own` are verified vectors beside the package; without any, those that Assay comes with count.
    `cipher` is the header in which a cipher has its name.
    """

    api: Api
    name: Name
    contents: Contents
    header: str
    sources: tuple[str, ...]
    files: tuple[str, ...]
    own: Path | None
    cipher: Path | None = None
    std: tuple[str, ...] = ()
    variants: int = 1
    architecture: str | None = None
    sizes: tuple[int, ...] = ()

    @property
    def known(self) -> Path | None:
        """The verified vectors that Assay comes with, where the package has none."""
        if self.own:
            return None
        return known_vectors(self.api, self.name.place, self.contents.folder, self.cipher)

    def build(self, quirks: tuple[Quirk, ...] = ()) -> Package:
        """Make the record; quirks of its texts are added to those that are given."""
        known = self.known
        return Package(
            **asdict(self.name),
            api=self.api.name,
            kind=self.api.kind,
            root=self.contents.folder,
            header=self.header,
            sources=self.sources,
            files=self.files,
            std=self.std,
            variants=self.variants,
            vectors=self.own or known,
            quirks=(*quirks, *text_quirks(readable(self.contents.files, self.contents.text))),
            content_hash=content_hash(self.contents.folder, self.files),
            architecture=self.architecture,
            sizes=self.sizes,
            reference=vectors_reference(known) if known else "",
            judged_by=_judged_by_vectors(self.own or known),
        )


def operation_package(
    place: str,
    root: Path,
    header: str,
    sources: tuple[str, ...],
    files: Mapping[str, str],
    details: OperationDetails,
    quirks: tuple[Quirk, ...] = (),
) -> Package:
    """Make the record of an implementation of an operation; see Package for the fields.

    `files` have their real places. Where the tree has no checksums those that Assay knows of the
    primitive count.
    """
    operation, primitive, *implementation = place.split("/")
    known = known_checksums(f"{operation}/{primitive}")
    borrowed = any(known) and not (details.checksum_small or details.checksum_big)
    if borrowed:
        details = replace(details, checksum_small=known[0], checksum_big=known[1])
    shared = {name: str(path) for name, path in details.shared}
    return Package(
        selector=place,
        primitive=primitive,
        implementation="/".join(implementation),
        place=place,
        role=PackageRole.SUBMISSION,
        api="supercop",
        kind=PackageKind.OPERATION,
        root=root,
        header=header,
        sources=sources,
        files=tuple(files),
        std=(),
        variants=1,
        vectors=None,
        quirks=quirks,
        content_hash=digest_with(hash_of({**files, **shared}), details.built),
        details=details,
        reference=checksums_reference(f"{operation}/{primitive}") if borrowed else "",
        judged_by=_judged_by_outputs(details),
    )


def language_of(sources: Sequence[str]) -> str:
    """Return the language of the whole: one C++ source makes it C++."""
    return "c++" if any(name.endswith((".cc", ".cpp")) for name in sources) else "c"


class Loading(Struct, frozen=True):
    """What is about to be loaded: its names, where it lies, and what is said of a failing disk."""

    root: Path
    place: str
    tree: Path
    denied: Callable[[OSError], str]
    cure: str = "Check the permissions of the folder."
    selector: str = ""

    def load(self, read: Callable[[], T]) -> T | BrokenPackage:
        """Return what is read, or a record of why that is impossible."""
        try:
            return read()
        except AssayError as error:
            return self._broken(str(error), error.cure)
        except OSError as error:
            return self._broken(self.denied(error), self.cure)
        except Exception as error:
            if ends_all(error):
                raise
            return self._broken(reason_of(error), cure_of(error))

    def _broken(self, reason: str, cure: str) -> BrokenPackage:
        """Make the record of what cannot be loaded; its reason names files as its author does."""
        for above, name in ((self.root, "the package"), (self.tree, "the tree")):
            for folder in sorted({str(above), os.path.realpath(above)}, key=len, reverse=True):
                reason = _relative(reason, folder, name)
        return BrokenPackage(self.selector or self.place, self.place, self.root, reason, cure)


def _relative(text: str, folder: str, name: str) -> str:
    """Leave out the way to a folder; the folder itself is called `name`."""
    if folder == "/":
        return text
    shorter = text.replace(f"{folder}/", "")
    return re.sub(rf"{re.escape(folder)}(?![\w.+-])", lambda _: name, shorter)


def _judged_by_vectors(vectors: Path | None) -> str:
    """Return the digest of verified vectors, all files of a family; empty without any."""
    if vectors is None:
        return ""
    digests = [_digest_of_vectors(one) for one in family_of(vectors)]
    return digests[0] if len(digests) == 1 else _digest(digests)


def _digest_of_vectors(path: Path) -> str:
    try:
        at = path.stat()
        return _digest_of_file(path, (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns))
    except (OSError, PackageError) as error:  # the check of vectors reports it
        return _digest([str(error)])


def _judged_by_outputs(details: OperationDetails) -> str:
    """Return the digest of a primitive's known answers and checksums, and of these' settings."""
    answers = [_digest_of_vectors(one) for one in details.answers]
    if not (details.checksum_small or details.checksum_big):
        return _digest(answers) if answers else ""
    sums = [details.checksum_small, details.checksum_big]
    return _digest([*sums, *(details.loops or ()), details.weights, *answers])


@lru_cache(maxsize=1024)
def _digest_of_file(path: Path, _identity: tuple[int, ...]) -> str:
    """Digest as much of a file as is read of vectors."""
    with os.fdopen(open_regular(path), "rb") as file:
        return hashlib.sha256(file.read(VECTOR_BYTES + 1)).hexdigest()


def _digest(values: Sequence[str | int | None]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()

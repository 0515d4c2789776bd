# SPDX-License-Identifier: MIT
"""The implementation that Assay brings of a package's primitive.

It is one of those that came with Assay, unchanged (`shipped.py`). Names may be shared by
chance, so that it is the same primitive the vectors say: the package has none of its own, or
has the same. Of an operation the checksums must be the same.
"""

from pathlib import Path

from assay.errors import AssayError
from assay.model import OperationDetails, Package
from assay.model.apis import PACKAGED, STREAMS
from assay.package.discover import load_or_explain
from assay.package.known import known_checksums, known_vectors
from assay.package.places import TREE, shipped
from assay.package.shipped import FIRST, is_shipped, shipped_folders
from assay.package.supercop import load


def counterpart(package: Package) -> Package | None:
    """Return a shipped package in C of the same primitive and API; None without another.

    Folders may be moved meanwhile: what cannot be read any more is none.
    """
    try:
        if package.details is not None:
            return _of_operation(package, package.details)
        return _of_cipher_or_hash(package)
    except (AssayError, OSError):
        return None


def _of_cipher_or_hash(package: Package) -> Package | None:
    api = PACKAGED.get(package.api)
    header = package.root / package.header if package.api in STREAMS else None
    known = known_vectors(api, package.place, package.root, header) if api else None
    if known is None or package.vectors is None or not _same(package.vectors, known):
        return None
    found = (_loaded(folder) for folder in shipped_folders(known.parent.name))
    alike = [
        one
        for one in found
        if one and is_shipped(one) and one.api == package.api and not one.architecture
    ]
    if not alike or alike[0].root.resolve() == package.root.resolve():
        return None
    return alike[0]


def _of_operation(package: Package, details: OperationDetails) -> Package | None:
    primitive = f"{details.operation}/{package.primitive}"
    own = (details.checksum_small, details.checksum_big)
    if not any(own) or own != known_checksums(primitive):
        return None
    found = load(shipped() / TREE, f"{primitive}/{FIRST}")
    if (
        not isinstance(found, Package)
        or not is_shipped(found)
        or found.root.resolve() == package.root.resolve()
    ):
        return None
    return found


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or one.read_bytes() == other.read_bytes()


def _loaded(folder: Path) -> Package | None:
    place = folder.relative_to(shipped()).as_posix()
    found = load_or_explain(folder, shipped(), place)
    return found if isinstance(found, Package) else None  # one that vanished is none

# SPDX-License-Identifier: MIT
"""Which packages came with Assay: those that `shipped.txt` lists, as long as they are unchanged.

What lies in a clone's `submissions/` may be anybody's. A folder that a user adds there is not
listed, and an edited copy has another digest: neither is what others are compared with.
`python -m assay.package.shipped . > src/assay/package/shipped.txt` writes the list in a clone.

The counterpart of a package is one of them, of the same primitive. Names may be shared by
chance, so that it is the same primitive the vectors say: the package has none of its own, or
has the same. Of an operation the checksums must be the same.
"""

import sys
from functools import cache
from pathlib import Path

from assay.errors import AssayError
from assay.model import OperationDetails, Package
from assay.model.apis import PACKAGED, STREAMS
from assay.package.discover import load_all, load_or_explain
from assay.package.known import (
    FOLDER,
    NONE,
    cipher_key,
    ecrypt_name,
    known_checksums,
    known_vectors,
    listed,
)
from assay.package.places import TREE, shipped
from assay.package.supercop.load import load

FIRST = "ref"  # is the one that is written to be read


def is_shipped(package: Package) -> bool:
    """Return whether a package is one of the list, at its place and word for word."""
    return _digests().get(_place(package)) == package.content_hash


def shipped_folders(primitive: str) -> list[Path]:
    """Return the folders of a primitive's listed packages; `ref` comes first."""
    above = f"{FOLDER}/{primitive}/"
    names = [one.removeprefix(above) for one in _digests() if one.startswith(above)]
    ordered = sorted(names, key=lambda name: (name != FIRST, name))
    return [shipped() / above / name for name in ordered]


@cache
def _digests() -> dict[str, str]:
    return {place: digest for place, digest, *_ in listed()}


def table_of(root: Path) -> str:
    """Write the list for the packages of a clone: place, digest, API and name of a cipher."""
    lines = ["# place digest api cipher; see shipped.py"]
    folders = (one for one in sorted((root / FOLDER).glob("*/*")) if one.is_dir())
    for folder in (one for one in folders if one.parent.name != Path(TREE).name):
        place = folder.relative_to(root).as_posix()
        found = (one for one in load_all(folder, root, place) if isinstance(one, Package))
        lines += map(_line, found)
    for folder in sorted((root / TREE).glob(f"crypto_*/*/{FIRST}")):
        package = load(root / TREE, folder.relative_to(root / TREE).as_posix())
        lines += [_line(package)] if isinstance(package, Package) else []
    return "\n".join(lines) + "\n"


def _place(package: Package) -> str:
    return package.place if package.details is None else f"{TREE}/{package.place}"


def _line(package: Package) -> str:
    name = ecrypt_name(package.root / package.header) if package.api in STREAMS else None
    known = cipher_key(name) if name else NONE
    return f"{_place(package)} {package.content_hash} {package.api} {known}"


if __name__ == "__main__":
    sys.stdout.write(table_of(Path(sys.argv[1])))


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

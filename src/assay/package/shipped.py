# SPDX-License-Identifier: MIT
"""Which packages came with Assay: those that `shipped.txt` lists, as long as they are unchanged.

What lies in a clone's `submissions/` may be anybody's. A folder that a user adds there is not
listed, and an edited copy has another digest: neither is what others are compared with.
`python -m assay.package.shipped . > src/assay/package/shipped.txt` writes the list in a clone.
"""

import sys
from functools import cache
from pathlib import Path

from assay.model import Package
from assay.model.apis import STREAMS
from assay.package.discover import load_all
from assay.package.known import FOLDER, NONE, cipher_key, ecrypt_name, listed
from assay.package.places import TREE, shipped
from assay.package.supercop import load

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

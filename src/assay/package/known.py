# SPDX-License-Identifier: MIT
"""What Assay itself knows of primitives by their names: checksums, and verified vectors.

It counts where a package's own tree has nothing. The checksums of `submissions/supercop/` stand
in `checksums.txt`, which `python -m assay.package.known submissions/supercop` writes; vectors
lie beside the packages that Assay comes with.
"""

import sys
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

from assay.package.places import TREE, shipped

CHECKSUMS = "checksums.txt"
NAMES = ("checksumsmall", "checksumbig")
NONE = "-"
FOLDER = "submissions"


def known_checksums(primitive: str) -> tuple[str | None, str | None]:
    """Return the small and the big checksum of a primitive such as `crypto_hash/sha256`."""
    return _checksums().get(primitive, (None, None))


def checksums_reference(primitive: str) -> str:
    """Name where its checksums are from."""
    return f"{TREE}/{primitive}"


def known_vectors(place: str, name: str, folder: Path | None = None) -> Path | None:
    """Return the shipped file of verified vectors for a package at a place; None without.

    A package is known as `salsa20` or
    `salsa20/mine`: deeper places hold variants that share a name with another cipher
    (`salsa20/reduced/8-rounds`). One that was named by its `folder` alone (`mine`) is known by
    the folder around it, too.
    """
    parts = PurePosixPath(place).parts
    parts = parts[1:] if parts[:1] == (FOLDER,) else parts
    if not 1 <= len(parts) <= 2:
        return None
    around = [folder.parent.name] if folder is not None and len(parts) == 1 else []
    paths = (shipped() / FOLDER / one / name for one in (parts[0], *around))
    return next((one for one in paths if one.is_file()), None)


def vectors_reference(path: Path) -> str:
    """Name a shipped file, from the folder of submissions on."""
    return "/".join(path.parts[-3:])


@cache
def _checksums() -> dict[str, tuple[str | None, str | None]]:
    text = resources.files("assay.package").joinpath(CHECKSUMS).read_text("ascii")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {
        name: (None if small == NONE else small, None if big == NONE else big)
        for name, small, big in rows
    }


def table_of(tree: Path) -> str:
    """Write the file `checksums.txt` for a tree."""
    lines = ["# primitive checksumsmall checksumbig; see known.py"]
    for primitive in sorted(path for path in tree.glob("crypto_*/*") if path.is_dir()):
        sums = [_read(primitive / name) for name in NAMES]
        if any(sums):
            place = primitive.relative_to(tree).as_posix()
            lines.append(" ".join([place, *(one or NONE for one in sums)]))
    return "\n".join(lines) + "\n"


def _read(path: Path) -> str:
    return path.read_text("ascii").strip() if path.is_file() else ""


if __name__ == "__main__":
    sys.stdout.write(table_of(Path(sys.argv[1])))

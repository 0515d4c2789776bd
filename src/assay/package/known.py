# SPDX-License-Identifier: MIT
"""What Assay itself knows of primitives by their names: checksums, and verified vectors.

It counts where a package's own tree has nothing. The checksums of `submissions/supercop/` stand
in `checksums.txt`, which `python -m assay.package.known submissions/supercop` writes; vectors
lie beside the packages that Assay comes with.
"""

import re
import sys
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

from assay.model.api import Api
from assay.package.places import TREE, shipped
from assay.package.text import code_of, read_text

CHECKSUMS = "checksums.txt"
NAMES = ("checksumsmall", "checksumbig")
NONE = "-"
FOLDER = "submissions"
MANIFEST = "shipped.txt"
_ECRYPT_NAME = re.compile(
    r'^[ \t]*#[ \t]*define[ \t]+ECRYPT_NAME[ \t]+"([^"\n]+)"[ \t\r]*$', re.MULTILINE
)
_VERSION = re.compile(r"[-_ ]v?(\d+)\.0$")


def known_checksums(primitive: str) -> tuple[str | None, str | None]:
    """Return the small and the big checksum of a primitive such as `crypto_hash/sha256`."""
    return _checksums().get(primitive, (None, None))


def checksums_reference(primitive: str) -> str:
    """Name where its checksums are from."""
    return f"{TREE}/{primitive}"


def known_vectors(api: Api, place: str, folder: Path, header: Path | None = None) -> Path | None:
    """Return the shipped file of verified vectors for a package in a folder; None without.

    A cipher is known by its ECRYPT_NAME and its API, wherever it lies and however it was named:
    `salsa20/reduced/8-rounds` calls itself Salsa20/8. Other packages, and ciphers without a
    name, are known by their place (`sha256`, `sha256/mine`), their folder or the one around it.
    """
    called = ecrypt_name(header) if header is not None else None
    if called is not None:
        primitive = _ciphers().get((api.name, cipher_key(called)))
        return _file(primitive, api) if primitive else None
    parts = PurePosixPath(place).parts
    parts = parts[1:] if parts[:1] == (FOLDER,) else parts
    names = (*parts[:1], folder.resolve().name, folder.resolve().parent.name)
    return next(filter(None, (_file(one, api) for one in names)), None)


def _file(primitive: str, api: Api) -> Path | None:
    """Return the file of a primitive of which there are listed packages."""
    path = shipped() / FOLDER / primitive / api.answers[0]
    return path if primitive in _primitives() and path.is_file() else None


def ecrypt_name(header: Path) -> str | None:
    """Return the ECRYPT_NAME that a header states as one string; None if it does not."""
    found = _ECRYPT_NAME.findall(code_of(read_text(header)))
    return found[0] if len(found) == 1 else None


def cipher_key(name: str) -> str:
    """Return a cipher's name without case and punctuation: `MICKEY-128 2.0` is `mickey128v2`.

    Only a version such as 2.0 behind a blank or a hyphen is written as `v2`.
    """
    versioned = _VERSION.sub(r"v\1", name.casefold())
    return "".join(one for one in versioned if one.isalnum())


def vectors_reference(path: Path) -> str:
    """Name a shipped file, from the folder of submissions on."""
    return "/".join(path.parts[-3:])


@cache
def _ciphers() -> dict[tuple[str, str], str]:
    return {(api, name): place.split("/")[1] for place, _, api, name in listed() if name != NONE}


@cache
def _primitives() -> frozenset[str]:
    return frozenset(place.split("/")[1] for place, *_ in listed())


@cache
def listed() -> tuple[tuple[str, str, str, str], ...]:
    """Return place, digest, API and cipher of the packages that came with Assay."""
    text = resources.files("assay.package").joinpath(MANIFEST).read_text("ascii")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return tuple((place, digest, api, name) for place, digest, api, name in rows)


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

# SPDX-License-Identifier: MIT
"""What outputs are compared with: verified vectors beside a package, or what Assay itself knows.

Vectors lie in a package's folder or in one above: one file there serves several implementations,
however a package was named, by itself, by a folder above, or from within. Published figures are in
`published.toml`.

Where a package's own tree has nothing, checksums and verified vectors count that Assay has of
primitives by their names. The checksums of `submissions/supercop/` stand in `checksums.txt`, which
`python -m assay.package.known submissions/supercop` writes; vectors lie beside the packages that
Assay comes with.
"""

import re
import sys
import tomllib
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

from assay.errors import PackageError
from assay.model.api import Api
from assay.model.apis import SYNC
from assay.model.footprint import Published
from assay.package.places import FOLDERS, TREE, shipped
from assay.package.text import code_of, read_text
from assay.package.tree import confined

CHECKSUMS = "checksums.txt"
NAMES = ("checksumsmall", "checksumbig")
NONE = "-"
FOLDER = "submissions"
MANIFEST = "shipped.txt"
_ECRYPT_NAME = re.compile(
    r'^[ \t]*#[ \t]*define[ \t]+ECRYPT_NAME[ \t]+"([^"\n]+)"[ \t\r]*$', re.MULTILINE
)
_VERSION = re.compile(r"[-_ ]v?(\d+)\.0$")
LEVELS = 3  # above a package: primitive, version, implementation
_OTHERS_WRITE = 0o002
VECTORS = SYNC.answers[0]


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


def folders_up(folder: Path) -> Iterator[Path]:
    """Yield a package's folder and those above in which its known answers may lie.

    They end with a repository's folder, and before the folder of all submissions, a home folder,
    the root of all files, and what everybody may write to: files there are of other projects.
    """
    yield folder
    here = folder.resolve()
    for above in tuple(here.parents)[:LEVELS]:
        with suppress(OSError):
            if (here / ".git").exists() or above.stat().st_mode & _OTHERS_WRITE:
                return
        if above.name in FOLDERS or above in (Path.home(), Path(above.anchor)):
            return
        yield above
        here = above


def verified_vectors(folder: Path, limit: Path) -> tuple[Path, ...]:
    """List the verified vector files of the nearest folder that has any, the best first.

    `verified.test-vectors` itself comes first, then the others in order. Links may lead
    anywhere below `limit` (a resolved folder), and into the folders that are looked at.
    """
    places = tuple(folders_up(folder))
    return next(filter(None, (_in(place, limit, places) for place in places)), ())


def answers_near(folder: Path, limit: Path, names: tuple[str, ...]) -> Path | None:
    """Return the best file of known answers in a folder or the nearest one above.

    `names` are patterns, the best first; one may lead into a folder beside.
    """
    places = tuple(folders_up(folder))
    for place in places:
        found = (path for name in names for path in sorted(place.glob(name)))
        best = next((path for path in found if _allowed(path, limit, places)), None)
        if best:
            return best
    return None


def _allowed(path: Path, limit: Path, places: Collection[Path]) -> bool:
    """Return whether there is a file; PackageError if a link leads out of these folders."""
    real = path.resolve()
    looked_at = {one.resolve() for one in places}
    return (real if real.parent in looked_at else confined(path, limit)).is_file()


def family_of(path: Path) -> tuple[Path, ...]:
    """Return all files that belong to a file of known answers, in order.

    The SHA-3 competition has one for each size, of short and of long messages.
    """
    if not path.match("ShortMsgKAT_*.txt"):
        return (path,)
    beside = (*path.parent.glob("ShortMsgKAT_*.txt"), *path.parent.glob("LongMsgKAT_*.txt"))
    return tuple(one for one in sorted(beside) if one == path or not one.is_symlink())


def _in(folder: Path, limit: Path, places: Collection[Path]) -> tuple[Path, ...]:
    """List the verified vector files directly in a folder."""
    names = [
        name
        for name in _names(folder)
        if name.endswith(VECTORS) and not name.endswith("unverified.test-vectors")
    ]
    names.sort(key=lambda name: (name != VECTORS, name))
    paths = [folder / name for name in names]
    return tuple(path for path in paths if _allowed(path, limit, places))


def _names(folder: Path) -> list[str]:
    """Name what is in a folder; nothing where it cannot be read."""
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


PUBLISHED = "published.toml"


def published_figures(folder: Path) -> tuple[Published, ...]:
    """Read the file in `folder` or one of the two above; none if there is none.

    PackageError if it cannot be understood.
    """
    found = next(
        (p / PUBLISHED for p in (folder, *folder.parents[:2]) if (p / PUBLISHED).is_file()), None
    )
    if found is None:
        return ()
    try:
        content = tomllib.loads(read_text(found))
        return tuple(
            Published(
                str(row["architecture"]),
                int(row["size_bytes"]),
                float(row["long_cycles"]) if "long_cycles" in row else None,
                int(row["short_cycles"]) if "short_cycles" in row else None,
                str(row.get("machine", "")),
                str(content["source"]),
            )
            for row in content["figure"]
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PackageError(
            f"{found}: {error!r}", "docs/reference/sizes.md shows the form."
        ) from None


if __name__ == "__main__":
    sys.stdout.write(table_of(Path(sys.argv[1])))

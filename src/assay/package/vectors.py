# SPDX-License-Identifier: MIT
"""What lies beside a package: its verified vectors, in its folder or in one above, and figures.

One file of vectors above several implementations serves them all, however a package was named: by
itself, by a folder above, or from within. Published figures are in `published.toml`.
"""

import tomllib
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from assay.errors import PackageError
from assay.model.apis import SYNC
from assay.model.footprint import Published
from assay.package.places import FOLDERS
from assay.package.text import read_text
from assay.package.tree import confined

LEVELS = 3  # above a package: primitive, version, implementation
_OTHERS_WRITE = 0o002
VECTORS = SYNC.answers[0]


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

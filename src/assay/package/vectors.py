# SPDX-License-Identifier: MIT
"""Where a package's verified vectors lie: in its folder or in one above.

One file above several implementations serves them all.
"""

from pathlib import Path

from assay.model.apis import SYNC
from assay.package.tree import confined

VECTORS = SYNC.answers[0]


def verified_vectors(folder: Path, limit: Path) -> tuple[Path, ...]:
    """List the verified vector files of the nearest folder that has any, the best first.

    Only folders from `folder` up to `limit` (a resolved folder) are looked at.
    `verified.test-vectors` itself comes first, then the others in order.
    """
    for place in (folder, *folder.parents):
        found = _in(place, limit)
        if found or place.resolve() == limit or not place.resolve().is_relative_to(limit):
            return found
    return ()


def answers_near(folder: Path, limit: Path, names: tuple[str, ...]) -> Path | None:
    """Return the best file of known answers in a folder or the nearest one above, up to `limit`.

    `names` are patterns, the best first; one may lead into a folder beside.
    """
    for place in (folder, *folder.parents):
        if not place.resolve().is_relative_to(limit):
            return None
        found = (path for name in names for path in sorted(place.glob(name)))
        best = next((path for path in found if confined(path, limit).is_file()), None)
        if best:
            return best
    return None


def family_of(path: Path) -> tuple[Path, ...]:
    """Return all files that belong to a file of known answers, in order.

    The SHA-3 competition has one for each size, of short and of long messages.
    """
    if not path.match("ShortMsgKAT_*.txt"):
        return (path,)
    beside = (*path.parent.glob("ShortMsgKAT_*.txt"), *path.parent.glob("LongMsgKAT_*.txt"))
    return tuple(one for one in sorted(beside) if one == path or not one.is_symlink())


def _in(folder: Path, limit: Path) -> tuple[Path, ...]:
    """List the verified vector files directly in a folder."""
    names = [
        name
        for name in (entry.name for entry in folder.iterdir())
        if name.endswith(VECTORS) and not name.endswith("unverified.test-vectors")
    ]
    names.sort(key=lambda name: (name != VECTORS, name))
    paths = [folder / name for name in names]
    return tuple(path for path in paths if confined(path, limit).is_file())

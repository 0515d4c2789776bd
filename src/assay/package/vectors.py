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

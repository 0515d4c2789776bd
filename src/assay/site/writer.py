# SPDX-License-Identifier: MIT
"""Writing pages below a folder: what is as it was is not touched, and nothing else's is."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.machine.cache import cache_folder
from assay.site.cells import digest
from assay.writing import remove_below, write_below

MARK = "site.json"  # says that a folder holds a site
FORMAT = 1


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Pages with one digest of all that they depend on, by their paths, each with its own."""

    inputs: str
    files: Mapping[str, str]
    summary: object = None


def written(
    to: Path, pages: Iterable[tuple[str, str | bytes]], known: Mapping[str, str]
) -> dict[str, str]:
    """Write pages whose text is not what `known` has; return the digests of all."""
    found = {}
    for path, text in pages:
        found[path] = digest(text if isinstance(text, str) else text.hex(), length=16)
        if known.get(path) != found[path] or not (to / path).is_file():
            write_below(to, path, text)
    return found


def require_ours(to: Path) -> None:
    """Raise UsageError for a folder with other things than a site in it."""
    if (to / MARK).is_file() or not to.exists():
        return
    if not to.is_dir() or any(to.iterdir()):
        raise UsageError(f"{to} holds something else than a site", "Name a new or empty folder.")


def _manifest(to: Path) -> Path:
    """Name the record of what was made there: in the user's cache, where no stranger writes."""
    return cache_folder() / "site" / f"{digest(str(to.resolve()), length=32)}.made.json"


def read_manifest(to: Path) -> dict[str, PageGroup]:
    """Return what was made before; nothing where that is not known."""
    try:
        found = json.loads(_manifest(to).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: PageGroup(one[0], one[1], one[2]) for key, one in found.items()}


def write_manifest(
    to: Path, made: Mapping[str, PageGroup], before: Mapping[str, PageGroup]
) -> None:
    """Record what was made, and remove pages that are no more."""
    kept = {path for group in made.values() for path in group.files}
    for group in before.values():
        for path in group.files:
            if path not in kept:
                remove_below(to, path)
    listed = {key: [one.inputs, dict(one.files), one.summary] for key, one in sorted(made.items())}
    place = _manifest(to)
    write_below(place.parent, place.name, json.dumps(listed, separators=(",", ":")))
    write_below(to, MARK, json.dumps({"format": FORMAT, "site": "Assay"}) + "\n")

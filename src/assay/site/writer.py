# SPDX-License-Identifier: MIT
"""Writing pages below a folder: what is as it was is not touched, and nothing else's is."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from stat import S_ISREG
from typing import Any

import msgspec
from msgspec import Struct

from assay import __version__
from assay.errors import UsageError
from assay.machine.cache import cache_folder
from assay.site.cells import digest, digest_of
from assay.writing import remove_below, write_below

MARK = "site.json"  # says that a folder holds a site
FORMAT = 1
MAKERS = tuple(f"assay.{one}" for one in ("site", "report", "summary", "stats", "model"))


class Derived(Struct, frozen=True):
    """A file that follows from a text, and is made only where that, or what makes it, changed."""

    text: str
    make: Callable[[], bytes]


Page = tuple[str, str | Derived]  # its path below the site, and what is in it


class PageGroup(Struct, frozen=True):
    """Pages with one digest of all that they depend on, by their paths, each with its own."""

    inputs: str
    files: Mapping[str, str]
    summary: Any = None

    def is_as(self, inputs: str, to: Path) -> bool:
        """Return whether the pages are there, and were made of these inputs."""
        return self.inputs == inputs and all(_is_file(f"{to}/{path}") for path in self.files)


UNMADE = PageGroup("", {})  # in place of a group that was never made


def written(to: Path, pages: Iterable[Page], known: Mapping[str, str]) -> dict[str, str]:
    """Write pages whose text is not what `known` has; return the digests of all."""
    found = {}
    for path, page in pages:
        text, make = (page.text, page.make) if isinstance(page, Derived) else (page, None)
        data = text.encode("utf-8", "replace")
        found[path] = digest_of(data + maker_digest().encode() if make else data, length=16)
        if known.get(path) != found[path] or not _is_file(to / path):
            write_below(to, path, make() if make else data)
    return found


def _is_file(place: Path | str) -> bool:
    """Return whether there is a file, and no link to one, which could be a stranger's."""
    try:
        return S_ISREG(os.lstat(place).st_mode)
    except OSError:
        return False


@cache
def maker_digest() -> str:
    """Name what makes pages: the version, and the sources of these packages."""
    found = hashlib.sha256(__version__.encode())
    for package in MAKERS:
        root = resources.files(package)
        for path in sorted(Path(str(root)).rglob("*")):
            if path.suffix in {".py", ".j2", ".css", ".js"}:
                found.update(path.read_bytes())
    return found.hexdigest()[:32]


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
        return msgspec.json.decode(_manifest(to).read_bytes(), type=dict[str, PageGroup])
    except (OSError, msgspec.MsgspecError):
        return {}


def write_manifest(
    to: Path, made: Mapping[str, PageGroup], before: Mapping[str, PageGroup]
) -> None:
    """Record what was made, and remove pages that are no more."""
    kept = {path for group in made.values() for path in group.files}
    for group in before.values():
        for path in group.files:
            if path not in kept:
                remove_below(to, path)
    if made != before:
        place = _manifest(to)
        write_below(place.parent, place.name, msgspec.json.encode(made))
    if not _is_file(to / MARK):
        write_below(to, MARK, f'{{"format": {FORMAT}, "site": "Assay"}}\n')

# SPDX-License-Identifier: MIT
"""An archive becomes a folder: all of it or nothing, with links that stay inside.

The work is done in a hidden folder beside the one to make. A lock of the kernel's is
held on it, so that the next call knows and removes what a killed one left behind.
"""

import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from assay.errors import PackageError, UsageError
from assay.model.operations import OPERATIONS
from assay.package.archive import ArchiveLimits, unpack

USUAL = ArchiveLimits(files=20_000, total_bytes=256 << 20)
"""Enough for every single package and for the zip files of NIST's calls with their answers."""
LARGE = ArchiveLimits(files=200_000, total_bytes=2 << 30)
"""Enough for a whole tree of SUPERCOP, which has 37,759 files and 72,412 links."""

_PREFIX = ".assay-add-"


class Arrived(Struct, frozen=True):
    """A folder that was unpacked: what is in it, and names that differ in case only."""

    folder: Path
    names: tuple[str, ...]
    alike: tuple[tuple[str, str], ...]


def arrive(archive: Path, into: Path, limits: ArchiveLimits = USUAL) -> Arrived:
    """Unpack an archive into a folder that appears when all is well, and only then.

    Folders that hold nothing but one folder are left out, unless it is that of an
    operation (`crypto_hash`), which gives packages their names. Symbolic links that stay
    inside are kept. Raises PackageError for what `unpack` refuses and for links that lead
    out, UsageError if `into` is there already.
    """
    if os.path.lexists(into) and not (into.is_dir() and not any(into.iterdir())):
        raise UsageError(f"{into} is there already", "Name a new folder with --into.")
    with staged(into.absolute().parent) as scratch:
        raw = scratch / "raw"
        unpack(archive, raw, limits, keep_links=True)
        # No link in the archive can name this folder, so none can lead out and back in.
        whole = _innermost(raw).rename(scratch / secrets.token_hex(16))
        names = _names(whole)
        if not names:
            raise PackageError(f"{archive} has no files", "Pack the package's folder.")
        for name in names:
            _stays_inside(whole, name)
        whole.rename(into)
    return Arrived(into, names, _alike(names))


@contextmanager
def staged(parent: Path) -> Iterator[Path]:
    """Make a hidden folder in `parent` for a while; remove what killed ones left there."""
    parent.mkdir(parents=True, exist_ok=True)
    for left in parent.glob(f"{_PREFIX}*"):
        _remove_if_left(left)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_if_left(folder: Path) -> None:
    """Remove a hidden folder that no process holds."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(lock)


def _innermost(folder: Path) -> Path:
    """Go down folders that hold nothing but one folder."""
    while True:
        entries = list(folder.iterdir())
        only = entries[0] if len(entries) == 1 else None
        if only is None or only.is_symlink() or not only.is_dir() or only.name in OPERATIONS:
            return folder
        if folder.name in OPERATIONS or folder.parent.name in OPERATIONS:
            return folder
        folder = only


def _names(folder: Path) -> tuple[str, ...]:
    """Name the files and links below a folder, sorted; links are not followed."""
    found = []
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        found += [str((Path(place) / name).relative_to(folder)) for name in (*files, *links)]
    return tuple(sorted(found))


def _stays_inside(folder: Path, name: str) -> None:
    """Refuse a link that leads out of the folder, by whatever way; it may lead to nothing."""
    path = folder / name
    if not path.is_symlink():
        return
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(folder.resolve()) or path.readlink().is_absolute():
        raise PackageError(
            f"the archive has a link {name!a} to {str(path.readlink())!a}, which leads out of it",
            "Put the file itself in the archive, or pack the folder that holds both.",
        )


def _alike(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pair names that differ in the case of letters only."""
    seen: dict[str, str] = {}
    pairs = ((seen.setdefault(name.casefold(), name), name) for name in names)
    return tuple((other, name) for other, name in pairs if other != name)

# SPDX-License-Identifier: MIT
"""The user's cache: what is compiled once and used by all campaigns.

What lies there is run, so nobody else may write there.
"""

import fcntl
import functools
import os
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path

from assay.errors import MachineError

DAY = 86_400
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """Return the user's cache of Assay (XDG base directories), made where it is absent.

    MachineError if it is another user's.
    """
    return _own(os.environ.get("XDG_CACHE_HOME") or _usual(os.environ.get("HOME")))


@functools.cache  # it is asked for with every launch that is read
def _usual(_home: str | None) -> str:
    """Return where caches are, of a home that is named or that of the user."""
    return os.path.expanduser("~/.cache")  # noqa: PTH111 - without a home it stays as it is


def written_cache() -> Path:
    """Return the cache for what cannot do without it; MachineError if it cannot be written."""
    folder = cache_folder()
    if not os.access(folder, os.W_OK):
        raise MachineError(
            f"{folder}, where Assay keeps compiled code, cannot be written",
            "Make it writable, or name another folder in XDG_CACHE_HOME.",
        )
    return folder


@functools.cache
def _own(base: str) -> Path:
    """Return a folder in which only this user can write; whoever keeps something sees others."""
    folder = Path(base) / "assay"
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        found = folder.stat()
    except OSError:
        return folder
    if found.st_uid != os.geteuid():
        raise MachineError(
            f"{folder}, where Assay keeps compiled code, belongs to another user",
            "Remove it, or name a folder of your own in XDG_CACHE_HOME.",
        )
    if found.st_mode & OTHERS_WRITE:
        folder.chmod(0o700)
    return folder


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one thread of one process at a time fill a folder of the cache; the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def trim(
    folder: Path,
    used: Collection[str] = (),
    *,
    days: float = inf,
    most_bytes: float = inf,
    most: float = inf,
) -> None:
    """Remove files and folders that were not used for some days, and the oldest beyond a size.

    Or beyond a number. What begins with a name in `used` stays, and counts as used now; links are
    left alone.
    """
    found = []
    for path in folder.glob("*"):
        with suppress(OSError):
            if path.is_symlink():
                continue
            kept = path.name.partition(".")[0] in used
            if kept:
                os.utime(path, follow_symlinks=False)
            found.append((kept, path.stat().st_mtime, _size(path), path))
    total, oldest = 0, time.time() - days * DAY
    for number, (kept, moment, size, path) in enumerate(sorted(found, reverse=True)):
        total += size
        if not kept and (total > most_bytes or number >= most or moment < oldest):
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _size(path: Path) -> int:
    """Return the bytes of a file, or of those that lie in a folder."""
    return sum(one.lstat().st_size for one in (path.iterdir() if path.is_dir() else (path,)))

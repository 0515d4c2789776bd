# SPDX-License-Identifier: MIT
"""The user's cache: what is compiled once and used by all campaigns.

What lies there is run, so nobody else may write there.
"""

import fcntl
import functools
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.errors import MachineError

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """Return the user's cache of Assay (XDG base directories), made where it is absent.

    MachineError if it is another user's.
    """
    # Without a Path: it is asked for with every launch that is read.
    return _own(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111


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

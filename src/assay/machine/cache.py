# SPDX-License-Identifier: MIT
"""The user's cache: what is compiled once and used by all campaigns."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_folder() -> Path:
    """Name the user's cache of Assay (XDG base directories)."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "assay"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one thread of one process at a time fill a folder of the cache; the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

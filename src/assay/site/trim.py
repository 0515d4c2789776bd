# SPDX-License-Identifier: MIT
"""Removing what the user's cache holds of folders and sites that were not used for long."""

import os
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

DAY = 86_400
OLDEST_DAYS = 90
MOST_BYTES = 4 << 30


def trim(folder: Path, used: Collection[str], most_bytes: int = MOST_BYTES) -> None:
    """Remove files of a cache that were not used for 90 days, and the oldest beyond a size.

    What begins with a name in `used` stays, and counts as used now.
    """
    kept, old = 0, []
    for path in folder.glob("*"):
        with suppress(FileNotFoundError):
            known = path.lstat()
            if not S_ISREG(known.st_mode):
                continue
            if path.name.partition(".")[0] in used:
                os.utime(path, follow_symlinks=False)
                kept += known.st_size
            else:
                old.append((known.st_mtime, known.st_size, path))
    for moment, size, path in sorted(old, reverse=True):
        kept += size
        if kept > most_bytes or moment < time.time() - OLDEST_DAYS * DAY:
            path.unlink(missing_ok=True)

# SPDX-License-Identifier: MIT
"""How much a jailed command has written into its folder: many small files fill a disk, too."""

import contextlib
import os
import stat
import time
from pathlib import Path

from assay.execute.jail import MIB, Limits

LOOK_SECONDS = 0.2
LOOKS_SHARE = 20  # of the time at most one part in so many goes into looking


def overfull(folder: Path, limits: Limits) -> str:
    """Report a folder that holds more than it may; links are not followed."""
    files = size = 0
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # it was removed while we looked
                    found = entry.stat(follow_symlinks=False)
                    files += 1
                    size += found.st_blocks * 512
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append(entry.path)
                if files > limits.folder_files:
                    return f"made more than {limits.folder_files} files"
    if size > limits.folder_bytes:
        return f"wrote more than {limits.folder_bytes // MIB} MiB"
    return ""


class Looks:
    """When to look into a folder: not too often, however much there is to see."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        """Begin to wait."""
        self._folder, self._limits = folder, limits
        self.seconds = LOOK_SECONDS  # until the next look

    def look(self) -> str:
        """Look; say what is wrong, or nothing."""
        begun = time.monotonic()
        found = overfull(self._folder, self._limits)
        self.seconds = max(LOOK_SECONDS, LOOKS_SHARE * (time.monotonic() - begun))
        return found

# SPDX-License-Identifier: MIT
"""One campaign at a time in a results folder.

The lock is the kernel's and dies with its holder, whatever kills it.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from assay.errors import UsageError
from assay.writing import folder_below

LOCK = PurePath(".assay/lock")


@contextmanager
def working_alone(folder: Path) -> Iterator[None]:
    """Hold a results folder for one campaign; UsageError if another one is at work there."""
    how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    with folder_below(folder, *LOCK.parent.parts) as place:
        descriptor = os.open(LOCK.name, how, 0o644, dir_fd=place)
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"another campaign is at work in {folder}",
            "Wait until it has ended, or name another results folder with --results.",
        ) from None

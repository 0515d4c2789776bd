# SPDX-License-Identifier: MIT
"""One campaign at a time in a results folder.

The lock is the kernel's and dies with its holder, whatever kills it.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import UsageError

LOCK = ".assay/lock"


@contextmanager
def working_alone(folder: Path) -> Iterator[None]:
    """Hold a results folder for one campaign; UsageError if another one is at work there."""
    path = folder / LOCK
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
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

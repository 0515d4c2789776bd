# SPDX-License-Identifier: MIT
"""One measurement at a time on a machine, and no compiling beside it.

The lock is a file lock of the kernel: it dies with its holder, whatever kills it.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODE = 0o644


def _path() -> Path:
    return Path(tempfile.gettempdir()) / "assay-machine.lock"


def _open(path: Path) -> int:
    """Open the lock's file, whoever made it: reading suffices, and links are not followed.

    The kernel refuses O_CREAT on another user's file in a folder like /tmp.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, flags)
    return os.open(path, flags | os.O_CREAT, MODE)


@contextmanager
def machine_lock(*, exclusive: bool) -> Iterator[None]:
    """Hold the machine's lock: exclusively to measure, shared to compile and check."""
    descriptor = _open(_path())
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)

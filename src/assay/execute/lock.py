# SPDX-License-Identifier: MIT
"""One measurement at a time on a machine, and no compiling beside it.

The lock is a file lock of the kernel: it dies with its holder, whatever kills it.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODE = 0o666


def _path() -> Path:
    return Path(tempfile.gettempdir()) / "assay-machine.lock"


@contextmanager
def machine_lock(*, exclusive: bool) -> Iterator[None]:
    """Hold the machine's lock: exclusively to measure, shared to compile and check."""
    descriptor = os.open(_path(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)

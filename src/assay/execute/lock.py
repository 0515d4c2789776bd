# SPDX-License-Identifier: MIT
"""One measurement at a time on a machine, and no compiling beside it.

The locks are file locks of the kernel: they die with their holder, whatever kills it.
Everybody passes a turnstile first, in which whoever wants to measure stays until the
machine is free: so a long row of compilations lets a measurement in.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODE = 0o644


def _path(name: str = "machine") -> Path:
    return Path(tempfile.gettempdir()) / f"assay-{name}.lock"


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
    with _held(_path("turnstile"), fcntl.LOCK_EX):
        descriptor = _open(_path())
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        except BaseException:
            os.close(descriptor)
            raise
    try:
        yield
    finally:
        os.close(descriptor)


def awaited() -> bool:
    """Whether somebody waits for the machine: who does stands in the turnstile."""
    descriptor = _open(_path("turnstile"))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def _held(path: Path, how: int) -> Iterator[None]:
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)

# SPDX-License-Identifier: MIT
"""The user's cache: what is compiled once and used by all campaigns, and a key to mark files with.

What lies there is run, so nobody else may write there. Marks are HMAC-SHA-256 with the key: they
tell what Assay wrote for this user from what came with somebody's files.
"""

import fcntl
import functools
import hmac
import os
import secrets
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
KEY_BYTES, MARK_CHARACTERS = 32, 64
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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


def mark_of(*parts: bytes) -> str:
    """Return the mark of some bytes; where one part ends counts."""
    *first, last = parts
    made = _begun(_key(cache_folder()), *first).copy()  # in half the time of `hmac.digest`
    made.update(len(last).to_bytes(8, "little") + last)
    return made.hexdigest()


def is_mark(mark: str, *parts: bytes) -> bool:
    """Return whether this user's Assay made a mark of just these bytes."""
    return mark.isascii() and hmac.compare_digest(mark, mark_of(*parts))


@functools.lru_cache(maxsize=64)  # launches of a code differ in their last part alone
def _begun(key: bytes, *parts: bytes) -> hmac.HMAC:
    """Return the mark of the first parts, which can go on."""
    counted = (len(part).to_bytes(8, "little") + part for part in parts)
    return hmac.new(key, b"".join(counted), "sha256")


@functools.cache
def _key(folder: Path) -> bytes:
    """Return the user's key, made where there is none; one of this process if none can be kept."""
    path, new = folder / "key", secrets.token_bytes(KEY_BYTES)
    partial = folder / f".key-{secrets.token_hex(8)}"
    known = _read(path)
    if known is not None:
        return known
    with suppress(OSError):
        with os.fdopen(os.open(partial, _NEW, 0o600), "wb") as file:
            file.write(new)
        with suppress(OSError):  # another thread or process was faster, or what is there is no key
            path.hardlink_to(partial)
        if _read(path) is None:
            partial.replace(path)
        partial.unlink(missing_ok=True)
    return _read(path) or new


def _read(path: Path) -> bytes | None:
    """Return the key in a file that only this user can read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        closed = stat.S_ISREG(found.st_mode) and not stat.S_IMODE(found.st_mode) & 0o077
        if not closed or found.st_uid != os.geteuid():
            return None
        key = file.read(KEY_BYTES + 1)
    return key if len(key) == KEY_BYTES else None

# SPDX-License-Identifier: MIT
"""Marks that only this user can make: HMAC-SHA-256 with a key in the user's cache.

They tell what Assay wrote here from what came with somebody's files.
"""

import functools
import hmac
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from assay.machine.cache import cache_folder

KEY_BYTES, MARK_CHARACTERS = 32, 64
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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

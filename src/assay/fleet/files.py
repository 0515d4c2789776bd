# SPDX-License-Identifier: MIT
"""Files by their SHA-256 in a folder: archives and bundles on the machine of the server."""

import hashlib
import os
import re
from pathlib import Path
from typing import IO

from assay.fleet.queue import QueueError
from assay.writing import named_file, new_below, remove_below

PART = 1 << 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


def check_digest(digest: str) -> str:
    """Return a digest; QueueError if it is none, and might be a path."""
    if not _DIGEST.fullmatch(digest):
        raise QueueError(f"{digest!r:.80} is no SHA-256 in hexadecimal")
    return digest


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_checked(source: IO[bytes], target: IO[bytes], digest: str) -> None:
    """Copy a file to the disk; QueueError if it has another digest than was said."""
    found = hashlib.sha256()
    while part := source.read(PART):
        found.update(part)
        target.write(part)
    if found.hexdigest() != digest:
        raise QueueError(
            f"a file of the queue has the SHA-256 {found.hexdigest()}, not {digest}",
            "It was damaged or changed; submit it again.",
        )
    target.flush()
    os.fsync(target.fileno())


class KeptFiles:
    """Files that are kept by their digest."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that is there."""
        self._folder = folder

    def keep(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""
        digest = digest_of(path)
        if not (self._folder / digest).is_file():
            with path.open("rb") as source, new_below(self._folder, digest) as target:
                copy_checked(source, target, digest)
        return digest

    def write(self, digest: str, path: Path) -> None:
        """Write a kept file to a path, where it appears when its digest was compared."""
        try:
            source = (self._folder / check_digest(digest)).open("rb")
        except FileNotFoundError:
            raise QueueError(f"the queue has no file {digest}") from None
        with source, named_file(path) as target:
            copy_checked(source, target, digest)

    def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""
        remove_below(self._folder, check_digest(digest))

# SPDX-License-Identifier: MIT
"""Files by their SHA-256 in the object store of NATS."""

import asyncio
import base64
from pathlib import Path

from nats.js.errors import DigestMismatchError, NotFoundError, ObjectNotFoundError
from nats.js.object_store import ObjectStore

from assay.fleet.files import check_digest, digest_of
from assay.fleet.queue import QueueError
from assay.writing import named_file

TRANSFER_S = 900.0  # for one file; a message that is lost is not noticed before


class Transfer:
    """Files that are kept by their digest."""

    def __init__(self, store: ObjectStore) -> None:
        """Use a store that is there."""
        self._store = store

    async def keep(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""
        digest = await asyncio.to_thread(digest_of, path)
        if not await self._has(digest):
            with path.open("rb") as file:
                await asyncio.wait_for(self._store.put(digest, file), TRANSFER_S)
            if not await self._has(digest):
                raise QueueError(f"{path} was changed while it was uploaded")
        return digest

    async def _has(self, digest: str) -> bool:
        """Return whether a file is kept whole under its own digest."""
        try:
            known = await self._store.get_info(digest)
        except (ObjectNotFoundError, NotFoundError):
            return False
        return known.digest == _digest_of_store(digest)

    async def write(self, digest: str, path: Path) -> None:
        """Write a kept file to a path, where it appears when its digest was compared."""
        if not await self._has(check_digest(digest)):
            raise QueueError(f"the queue has no file {digest}")
        try:
            with named_file(path) as file:
                got = self._store.get(digest, writeinto=file)  # type: ignore[arg-type]
                await asyncio.wait_for(got, TRANSFER_S)
        except DigestMismatchError as error:
            raise QueueError(f"the file {digest} of the queue is damaged") from error

    async def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""
        if await self._has(check_digest(digest)):
            await self._store.delete(digest)


def _digest_of_store(digest: str) -> str:
    """Return a digest as the store writes it; it compares content with that."""
    return "SHA-256=" + base64.urlsafe_b64encode(bytes.fromhex(digest)).decode()

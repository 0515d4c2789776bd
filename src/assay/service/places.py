# SPDX-License-Identifier: MIT
"""What lies where in a service's folder, and how bytes and programs get there."""

import asyncio
import hashlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError
from assay.fleet.following import PROGRAM
from assay.package.download import LIMIT_BYTES, SILENCE_SECONDS, WHOLE_SECONDS
from assay.site.page import assets
from assay.writing import make_folder, remove_below, write_below

MOST_SAID = 20_000
MODE = 0o700


class UploadError(AssayError):
    """An upload that is too large, too slow or cut short."""


class ServiceFolder(Struct, frozen=True):
    """One folder has all that a service keeps; a copy of it is a backup."""

    root: Path

    @property
    def queue(self) -> Path:
        """Return the folder of the queue, unless that is elsewhere."""
        return self.root / "queue"

    @property
    def archives(self) -> Path:
        """Return the folder of archives by their SHA-256."""
        return self.root / "archives"

    @property
    def bundles(self) -> Path:
        """Return the folder of bundles by their SHA-256."""
        return self.root / "bundles"

    @property
    def results(self) -> Path:
        """Return the results folder: a store for each bundle, in machines/."""
        return self.root / "results"

    @property
    def site(self) -> Path:
        """Return the folder of the pages made of the results."""
        return self.root / "site"

    @property
    def assets(self) -> Path:
        """Return the folder of what all pages need, results or not."""
        return self.root / "assets"

    @property
    def incoming(self) -> Path:
        """Return the folder of uploads that are not complete."""
        return self.root / "incoming"

    def archive(self, digest: str) -> Path:
        """Return where an archive lies."""
        return self.archives / digest

    def make(self) -> None:
        """Make all folders, closed to other users."""
        make_folder(self.root)
        self.root.chmod(MODE)
        for one in (self.queue, self.archives, self.bundles, self.results, self.incoming,
                    self.site, self.assets):  # fmt: skip
            make_folder(one)
        for name, text in (*assets(), ("favicon.ico", "")):  # browsers ask for it
            write_below(self.assets, name, text)

    def tidy(self) -> None:
        """Remove uploads that were cut short when a service was killed."""
        for left in self.incoming.iterdir():
            remove_below(self.incoming, left.name)


class Upload:
    """Bytes that arrive: counted, digested, and an archive once all are there."""

    def __init__(self, folder: ServiceFolder) -> None:
        """Open a new file for them."""
        self._folder = folder
        self._name = secrets.token_hex(16)
        self._file = (folder.incoming / self._name).open("xb")
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        """Add bytes; UploadError beyond the limit."""
        self.size += len(chunk)
        if self.size > LIMIT_BYTES:
            raise UploadError(
                f"the archive is larger than {LIMIT_BYTES >> 20} MB",
                "Pack the one package, without objects and other programs' files.",
            )
        self._digest.update(chunk)
        self._file.write(chunk)

    def keep(self) -> str:
        """Make an archive of the bytes; return its SHA-256."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        digest = self._digest.hexdigest()
        (self._folder.incoming / self._name).replace(self._folder.archive(digest))
        return digest

    def drop(self) -> None:
        """Remove what was not kept."""
        self._file.close()
        remove_below(self._folder.incoming, self._name)


@asynccontextmanager
async def uploading(folder: ServiceFolder) -> AsyncIterator[Upload]:
    """Lend an upload, of which nothing is left unless it was kept."""
    upload = Upload(folder)
    try:
        yield upload
    finally:
        upload.drop()


async def receive(chunks: AsyncIterator[bytes], upload: Upload) -> None:
    """Write all chunks; UploadError if they stop coming, or come for too long."""
    try:
        async with asyncio.timeout(WHOLE_SECONDS):
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    return
                upload.write(chunk)
    except TimeoutError:
        raise UploadError("the upload took too long", "Try again.") from None


def drop_file(folder: ServiceFolder, digest: str) -> None:
    """Remove the archive or bundle of a SHA-256, if it is there."""
    remove_below(folder.archives, digest)
    remove_below(folder.bundles, digest)


def drop_tree(folder: Path, *parts: str) -> None:
    """Remove a folder below the service's own with all that is in it; it may be absent."""
    shutil.rmtree(folder.joinpath(*parts), ignore_errors=True)


async def run_assay(*arguments: str, seconds: float) -> tuple[int, str]:
    """Run an Assay of its own with little priority; return its exit code and what it said."""
    process = await asyncio.create_subprocess_exec(
        "nice", *PROGRAM, *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        async with asyncio.timeout(seconds):
            said, _ = await process.communicate()
    except TimeoutError:
        return -1, f"it took more than {seconds:.0f} seconds"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, said[:MOST_SAID].decode(errors="replace")

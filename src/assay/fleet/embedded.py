# SPDX-License-Identifier: MIT
"""The queue of one machine: a folder, shared by a server and workers in processes of their own.

Jobs and tidings are in SQLite; beside it are files by their digest, and what machines say of
themselves.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import Any, TypeVar, cast

from msgspec import Struct
from simplebroker import open_broker, resolve_config
from simplebroker.ext import BrokerConnection, BrokerError

from assay.fleet.archived import KeptFiles
from assay.fleet.holding import BROKEN, HELD, LANE, Holding, KeptJobs, alone
from assay.fleet.jobs import Job, Registration, Tidings, WireError, decode, encode, name_of, token
from assay.fleet.queue import (
    ABOUT,
    PATIENCE_S,
    QueueError,
    QueueUnreachableError,
    require_version,
)
from assay.writing import make_folder, write_below

POLL_S = 0.25
TIDINGS = "tidings"
Result = TypeVar("Result")
# A power cut may undo the last changes, all after some moment and none before. Then what was put
# is put again, and what was done is done again; nothing waits for the disk with every change.
_IN_ORDER = resolve_config(env={"BROKER_SYNC_MODE": "NORMAL"})


class Embedded:
    """A queue in a folder."""

    def __init__(self, folder: Path, patience: float = PATIENCE_S) -> None:
        """Open the queue, which is made where it is absent."""
        self.patience = patience
        self.folder = folder
        self._thread = ThreadPoolExecutor(1)
        self._open = ExitStack()
        self._closed = False
        for one in (folder, folder / HELD, folder / "files", folder / "machines"):
            make_folder(one)
        self._require_version()
        self._files = KeptFiles(folder / "files")
        self._broker: BrokerConnection = self._open.enter_context(
            open_broker(str(folder / "broker.sqlite"), config=_IN_ORDER)
        )
        self.jobs = KeptJobs(folder, self._broker, patience)

    def _require_version(self) -> None:
        """Raise QueueError if another version of Assay has made the queue."""
        with alone(self.folder):
            file = self.folder / "about"
            if not file.exists():
                write_below(self.folder, file.name, ABOUT)
            require_version(file.read_text(), str(self.folder))

    async def put(self, job: Job) -> bool:
        """Add a job; return False if one of this name was put before."""
        return await self.run(self.jobs.put, job, encode(job))

    async def withdraw(self, name: str) -> bool:
        """Remove a job that nobody has taken; return whether that could be done."""
        return await self.run(self.jobs.withdraw, name)

    async def take(self, lanes: Sequence[str], wait: float) -> "HeldJob | None":
        """Claim the oldest job of the first of these lanes that has one."""
        until = time.monotonic() + wait
        while (held := await self.run(self.jobs.take, lanes)) is None:
            rest = until - time.monotonic()
            if rest <= 0:
                return None
            await asyncio.sleep(min(POLL_S, rest))
        return HeldJob(held.job, self, held)

    async def waiting(self) -> dict[str, int]:
        """Return how many jobs wait, by lane."""
        found = await self.run(self._broker.list_queue_stats, prefix=LANE)
        return {name_of(one.queue.removeprefix(LANE)): one.pending for one in found if one.pending}

    async def upload(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""
        return await asyncio.to_thread(self._files.keep, path)

    async def download(self, digest: str, path: Path) -> None:
        """Write a kept file, whose digest is compared before it appears at its path."""
        await asyncio.to_thread(self._files.write, digest, path)

    async def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""
        await asyncio.to_thread(self._files.forget, digest)

    async def tell(self, tidings: Tidings) -> None:
        """Send the server news of a job; kept until the server has it."""
        await self.run(self._broker.write, TIDINGS, encode(tidings))

    async def tidings(self) -> AsyncIterator[Tidings]:
        """Yield what workers tell, each at least once, until the queue is closed."""
        while not self._closed:
            found = await self.run(self._broker.peek_one, TIDINGS, with_timestamps=True)
            if found is None:
                await asyncio.sleep(POLL_S)
                continue
            text, number = cast("tuple[str, int]", found)
            try:
                news = decode(Tidings, text)
            except WireError:
                await self.run(self.jobs.move, TIDINGS, BROKEN, number)
                continue
            yield news
            await self.run(self._broker.delete_message_ids, TIDINGS, [number])

    async def register(self, registration: Registration) -> None:
        """Make a machine known, or say again that it is there."""
        name = PurePath("machines", f"{token(registration.machine)}.json")
        await self.run(write_below, self.folder, name, encode(registration))

    async def machines(self) -> dict[str, tuple[Registration, float]]:
        """Return the machines and when each was heard of last, in seconds since 1970."""
        return await self.run(lambda: dict(self._machines()))

    def _machines(self) -> Iterator[tuple[str, tuple[Registration, float]]]:
        for file in sorted((self.folder / "machines").glob("*.json")):
            try:
                known = decode(Registration, file.read_text())
            except WireError:
                continue
            yield known.machine, (known, file.stat().st_mtime)

    async def close(self) -> None:
        """Let go of all that is held."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._open.close)
            self._thread.shutdown()

    async def run(self, call: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """Call in the thread of this queue, and name the queue where that fails."""
        if self._closed:
            raise QueueError(f"the queue in {self.folder} is closed")
        loop = asyncio.get_running_loop()
        with _usable(self.folder):
            return await loop.run_in_executor(self._thread, lambda: call(*given, **named))


class HeldJob(Struct, frozen=True):
    """A job that a worker holds."""

    job: Job
    queue: Embedded
    held: Holding

    async def alive(self) -> None:
        """Keep the claim; ClaimLostError if it is another's by now."""
        await self.queue.run(self.queue.jobs.keep, self.held)

    async def done(self) -> None:
        """End the job; ClaimLostError if it is another's by now."""
        await self.queue.run(self.queue.jobs.end, self.held)

    async def give_back(self, delay: float = 0.0) -> None:
        """Let another worker take it, after so many seconds."""
        await self.queue.run(self.queue.jobs.free, self.held, delay)


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    """Name the queue in what goes wrong within."""
    try:
        yield
    except (BrokerError, sqlite3.Error, OSError, RuntimeError) as error:
        raise QueueUnreachableError(
            f"the queue in {folder} cannot be used: {error}",
            "Check the disk and who may write in the folder.",
        ) from error


def open_embedded(folder: Path, patience: float = PATIENCE_S) -> Embedded:
    """Open the queue of a folder; QueueUnreachableError if it cannot be used."""
    with _usable(folder):
        return Embedded(folder, patience)

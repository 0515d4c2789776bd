# SPDX-License-Identifier: MIT
"""The queue of one machine: a folder, shared by a server and workers in processes of their own.

SimpleBroker keeps the jobs and tidings in SQLite and moves a job from one of its queues to
another in one transaction: from its lane to `held`, and from there to `ended`, or back. Who
holds a job, and when it was last heard of, is a file below `held/`. A lock of the kernel makes
each function one step for all processes, and after `kill -9` at any moment every job is in
exactly one of the queues.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, TypeVar, cast

from simplebroker import open_broker, resolve_config
from simplebroker.ext import BrokerConnection, BrokerError, IntegrityError

from assay.fleet.files import KeptFiles
from assay.fleet.jobs import Job, Registration, Tidings
from assay.fleet.queue import (
    ABOUT,
    PATIENCE_S,
    ClaimLostError,
    QueueError,
    QueueUnreachableError,
    require_version,
)
from assay.fleet.wire import WireError, decode, encode, name_of, token
from assay.writing import make_folder, remove_below, write_below

POLL_S = 0.25
HELD, ENDED, BROKEN, NAMES, TIDINGS = "held", "ended", "broken", "names", "tidings"
LANE = "lane."
Result = TypeVar("Result")
# A power cut may undo the last changes, all after some moment and none before. Then what was put
# is put again, and what was done is done again; nothing waits for the disk with every change.
_IN_ORDER = resolve_config(env={"BROKER_SYNC_MODE": "NORMAL"})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the job of a name is, or was."""

    id: int
    lane: str


class Embedded:
    """A queue in a folder."""

    def __init__(self, folder: Path, patience: float = PATIENCE_S) -> None:
        """Open the queue, which is made where it is absent."""
        self.patience = patience
        self.folder = folder
        self._thread = ThreadPoolExecutor(1)
        self._open = ExitStack()
        self._closed = False
        for one in (folder, folder / "held", folder / "files", folder / "machines"):
            make_folder(one)
        self._require_version()
        self._files = KeptFiles(folder / "files")
        self._broker: BrokerConnection = self._open.enter_context(
            open_broker(str(folder / "broker.sqlite"), config=_IN_ORDER)
        )

    def _require_version(self) -> None:
        """Raise QueueError if another version of Assay has made the queue."""
        with self._alone():
            file = self.folder / "about"
            if not file.exists():
                write_below(self.folder, file.name, ABOUT)
            require_version(file.read_text(), str(self.folder))

    async def put(self, job: Job) -> bool:
        """Add a job; return False if one of this name was put before."""
        return await self.run(self._put, job, encode(job))

    def _put(self, job: Job, text: str) -> bool:
        """Note the name first: who is killed in between finds it, and goes on."""
        with self._alone():
            place = self._place(job.name)
            if place is None:
                place = _Place(self._broker.generate_timestamp(), LANE + token(job.lane))
                note = json.dumps([job.name, place.lane, place.id])
                self._broker.insert_messages([(NAMES, note, _number(job.name))])
            try:
                self._broker.insert_messages([(place.lane, text, place.id)])
            except IntegrityError:
                return False
        return True

    def _place(self, name: str) -> _Place | None:
        """Return where the job of a name is, or was."""
        note = self._broker.peek_one(NAMES, exact_timestamp=_number(name), with_timestamps=False)
        if note is None:
            return None
        same, lane, number = json.loads(cast("str", note))
        if same != name:
            raise QueueError(f"the names {name} and {same} have one number; choose another")
        return _Place(number, lane)

    async def withdraw(self, name: str) -> bool:
        """Remove a job that nobody has taken; return whether that could be done."""
        return await self.run(self._withdraw, name)

    def _withdraw(self, name: str) -> bool:
        with self._alone():
            place = self._place(name)
            return place is not None and self._move(place.lane, ENDED, place.id)

    async def take(self, lanes: Sequence[str], wait: float) -> "HeldJob | None":
        """Claim the oldest job of the first of these lanes that has one."""
        until = time.monotonic() + wait
        while (claim := await self.run(self._take, lanes)) is None:
            rest = until - time.monotonic()
            if rest <= 0:
                return None
            await asyncio.sleep(min(POLL_S, rest))
        return claim

    def _take(self, lanes: Sequence[str]) -> "HeldJob | None":
        with self._alone():
            self._free_silent()
            for lane in lanes:
                while found := self._broker.move_one(
                    LANE + token(lane), HELD, with_timestamps=True
                ):
                    text, number = cast("tuple[str, int]", found)
                    try:
                        job = decode(Job, text)
                    except WireError:
                        self._move(HELD, BROKEN, number)
                        continue
                    mark = _boot() + secrets.token_hex(8)
                    _heard(write_below(self.folder, _mark(number), mark))
                    return HeldJob(job, self, number, mark)
        return None

    def _free_silent(self) -> None:
        """Put back what is held by nobody who was heard of lately."""
        held = self._broker.peek_many(HELD, limit=10_000, with_timestamps=True)
        for text, number in cast("list[tuple[str, int]]", held):
            file = self.folder / _mark(number)
            if _since(file) < self.patience:
                continue
            self._move(HELD, LANE + token(decode(Job, text).lane), number)
            remove_below(self.folder, _mark(number))

    def _move(self, source: str, target: str, number: int) -> bool:
        """Move one job; return whether it was there."""
        return (
            self._broker.move_one(source, target, exact_timestamp=number, with_timestamps=False)
            is not None
        )

    def keep(self, claim: "HeldJob") -> None:
        """Note that a claim is kept."""
        with self._alone():
            self._require(claim)
            _heard(self.folder / _mark(claim.number))

    def end(self, claim: "HeldJob") -> None:
        """End a job."""
        with self._alone():
            self._require(claim)
            self._move(HELD, ENDED, claim.number)
            remove_below(self.folder, _mark(claim.number))

    def free(self, claim: "HeldJob", delay: float) -> None:
        """Let a job count as held by somebody silent, after a while."""
        with self._alone():
            if self._holds(claim):
                path = write_below(self.folder, _mark(claim.number), _boot())
                _heard(path, delay - self.patience)

    def _require(self, claim: "HeldJob") -> None:
        """Raise ClaimLostError if a claim is another's."""
        if not self._holds(claim):
            raise ClaimLostError(f"the job {claim.job.name} is another worker's by now")

    def _holds(self, claim: "HeldJob") -> bool:
        """Return whether a claim is still its holder's."""
        file = self.folder / _mark(claim.number)
        return file.exists() and file.read_text() == claim.mark

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
                await self.run(self._move, TIDINGS, BROKEN, number)
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

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep every other process and thread out."""
        with (self.folder / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A job that a worker holds."""

    job: Job
    queue: Embedded
    number: int
    mark: str

    async def alive(self) -> None:
        """Keep the claim; ClaimLostError if it is another's by now."""
        await self.queue.run(self.queue.keep, self)

    async def done(self) -> None:
        """End the job; ClaimLostError if it is another's by now."""
        await self.queue.run(self.queue.end, self)

    async def give_back(self, delay: float = 0.0) -> None:
        """Let another worker take it, after so many seconds."""
        await self.queue.run(self.queue.free, self, delay)


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


def _mark(number: int) -> PurePath:
    """Return the file that says who holds a job."""
    return PurePath("held", str(number))


def _heard(mark: Path, later: float = 0.0) -> None:
    """Note on the file of a claim when its holder was heard of."""
    moment = _uptime() + later
    os.utime(mark, (moment, moment))


def _uptime() -> float:
    """Return the seconds since the machine was started, which nobody can set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _boot() -> str:
    """Return which start of the machine it is that seconds are counted from."""
    return Path("/proc/sys/kernel/random/boot_id").read_text()


def _since(mark: Path) -> float:
    """Return how many seconds ago the holder of a claim was heard of, if ever since the start."""
    known = mark.exists() and mark.read_text().startswith(_boot())
    return _uptime() - mark.stat().st_mtime if known else float("inf")


def _number(name: str) -> int:
    """Return a number for a name, below every number that a clock of our days gives."""
    return 1 + (int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 4)

# SPDX-License-Identifier: MIT
"""A queue in the memory of a test, which can be out of reach."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.fleet.jobs import Advance, Job, Registration, Tidings
from assay.fleet.queue import ClaimLostError, QueueError, QueueUnreachableError

TICK_SECONDS = 0.01


@dataclass
class MemoryClaim:
    """A claim that a test can take away."""

    job: Job
    queue: "MemoryQueue"
    lost: bool = False
    ended: bool = False

    async def alive(self) -> None:
        """Keep it, if it is not another's."""
        await self.queue.reach()
        if self.lost:
            raise ClaimLostError("another worker has it")

    async def done(self) -> None:
        """End the job."""
        await self.alive()
        self.ended = True

    async def give_back(self, delay: float = 0.0) -> None:
        """Let it be taken again."""
        await self.queue.reach()
        self.queue.given_back.append((self.job.name, delay))
        self.queue.jobs.append(self.job)


@dataclass
class MemoryQueue:
    """Jobs, files and news in lists."""

    patience: float = 0.3
    jobs: list[Job] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    news: list[Tidings] = field(default_factory=list)
    known: list[Registration] = field(default_factory=list)
    given_back: list[tuple[str, float]] = field(default_factory=list)
    claims: list[MemoryClaim] = field(default_factory=list)
    down: bool = False

    async def reach(self) -> None:
        """Fail where the queue is out of reach."""
        await asyncio.sleep(0)
        if self.down:
            raise QueueUnreachableError("nobody answers", "Start the server.")

    async def put(self, job: Job) -> bool:
        """Add a job."""
        self.jobs.append(job)
        return True

    async def withdraw(self, name: str) -> bool:
        """Remove nothing."""
        del name
        return False

    async def take(self, lanes: Sequence[str], wait: float) -> MemoryClaim | None:
        """Claim the first job of the lanes; nobody waits long in a test."""
        del wait
        await self.reach()
        for job in self.jobs:
            if job.lane in lanes:
                self.jobs.remove(job)
                self.claims.append(MemoryClaim(job, self))
                return self.claims[-1]
        await asyncio.sleep(TICK_SECONDS)
        return None

    async def waiting(self) -> dict[str, int]:
        """Count nothing."""
        return {}

    async def upload(self, path: Path) -> str:
        """Keep a file."""
        await self.reach()
        content = await asyncio.to_thread(path.read_bytes)
        digest = hashlib.sha256(content).hexdigest()
        self.files[digest] = content
        return digest

    async def download(self, digest: str, path: Path) -> None:
        """Write a file."""
        await self.reach()
        if digest not in self.files:
            raise QueueError(f"the queue has no file {digest}")
        await asyncio.to_thread(path.write_bytes, self.files[digest])

    async def forget(self, digest: str) -> None:
        """Remove a file."""
        self.files.pop(digest, None)

    async def tell(self, tidings: Tidings) -> None:
        """Hear news."""
        await self.reach()
        self.news.append(tidings)

    async def tidings(self) -> AsyncIterator[Tidings]:
        """Yield what was heard."""
        for one in self.news:
            yield one

    async def register(self, registration: Registration) -> None:
        """Hear of a machine."""
        await self.reach()
        self.known.append(registration)

    async def machines(self) -> dict[str, tuple[Registration, float]]:
        """Return the machines."""
        return {one.machine: (one, 0.0) for one in self.known}

    async def close(self) -> None:
        """Do nothing."""

    def heard(self, advance: Advance) -> list[Tidings]:
        """Return the news of one sort."""
        return [one for one in self.news if one.advance is advance]

# SPDX-License-Identifier: MIT
"""The few functions of a queue, before both of its engines.

On one machine the embedded engine keeps everything in one folder; across machines NATS
JetStream does. Workers and servers know this interface only, and one test-suite holds for
both engines.
"""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from assay.errors import AssayError, UsageError
from assay.fleet.jobs import FORMAT, Job, Registration, Tidings

PATIENCE_S = 60.0
ABOUT = f"Assay, format {FORMAT}"


class QueueError(AssayError):
    """The queue has no such file, or a damaged one, or is closed; or one of the next two."""


class QueueUnreachableError(QueueError):
    """The queue does not answer: no server, no network, a full or a locked disk. Try later."""


class ClaimLostError(QueueError):
    """Another worker holds the job by now, since this one was silent for too long."""


def require_version(about: str | None, shown: str) -> None:
    """Raise QueueError if a queue was made by another version of Assay."""
    if about != ABOUT:
        raise QueueError(
            f"the queue at {shown} is of {about}; this is {ABOUT}",
            "Use one version of Assay for the server and all of its workers.",
        )


class Claim(Protocol):
    """A job that one worker holds until it lets go, or goes silent for `Queue.patience`.

    Tell of what was done before `done`: the server takes the first news of the end of a job.
    """

    @property
    def job(self) -> Job:
        """Return what is to be done."""

    async def alive(self) -> None:
        """Keep the claim; ClaimLostError if it is another's by now, and work should end."""

    async def done(self) -> None:
        """End the job, so that nobody gets it again; ClaimLostError if it is another's by now."""

    async def give_back(self, delay: float = 0.0) -> None:
        """Let another worker take it, after so many seconds."""


class Queue(Protocol):
    """Jobs by lane, files by digest, tidings of jobs, and the machines that are known."""

    patience: float  # seconds of silence after which a claim is another's

    async def put(self, job: Job) -> bool:
        """Add a job; return False if one of this name was put before."""

    async def withdraw(self, name: str) -> bool:
        """Remove a job that nobody has taken; return whether that could be done."""

    async def take(self, lanes: Sequence[str], wait: float) -> Claim | None:
        """Claim the oldest job of the first of these lanes that has one.

        Wait for one for so many seconds, if none of them has.
        """

    async def waiting(self) -> dict[str, int]:
        """Return how many jobs wait, by lane."""

    async def upload(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""

    async def download(self, digest: str, path: Path) -> None:
        """Write a kept file, whose digest is compared before it appears at its path."""

    async def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""

    async def tell(self, tidings: Tidings) -> None:
        """Send the server news of a job; kept until the server has it."""

    def tidings(self) -> AsyncIterator[Tidings]:
        """Yield what workers tell, each at least once, until the queue is closed."""

    async def register(self, registration: Registration) -> None:
        """Make a machine known, or say again that it is there."""

    async def machines(self) -> dict[str, tuple[Registration, float]]:
        """Return the machines and when each was heard of last, in seconds since 1970."""

    async def close(self) -> None:
        """Let go of all that is held."""


async def open_queue(url: str, patience: float = PATIENCE_S) -> Queue:
    """Open the queue at an address: a folder (also as `file:///path`), or `nats://host:port`.

    UsageError for another address; QueueError if it cannot be reached or used.
    """
    if "://" not in url:
        return _embedded(Path(url), patience)
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
        return _embedded(Path(unquote(parts.path)), patience)
    if parts.scheme in ("nats", "tls"):
        return await _jetstream(url, patience)
    raise UsageError(
        f"{parts.scheme}:// is no address of a queue",
        "Name a folder on this machine, or nats://host:port.",
    )


def _embedded(folder: Path, patience: float) -> Queue:
    """Open the queue of a folder; its library is loaded for nothing else."""
    from assay.fleet.embedded import open_embedded  # noqa: PLC0415

    return open_embedded(folder, patience)


async def _jetstream(url: str, patience: float) -> Queue:
    """Open a queue on NATS."""
    from assay.fleet.address import read_address  # noqa: PLC0415
    from assay.fleet.jetstream import open_jetstream  # noqa: PLC0415

    return await open_jetstream(read_address(url), patience)

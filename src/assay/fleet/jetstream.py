# SPDX-License-Identifier: MIT
"""The queue of many machines: NATS JetStream.

Jobs are a stream from which a message goes when it is acknowledged, with a consumer for each
lane. Messages may come twice; the note of a job's name says whether it is still to be done.
Times are the server's.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import (
    APIError,
)

from assay.fleet.address import Address, connect
from assay.fleet.jobs import Job, Registration, Tidings, WireError, decode, encode, name_of, token
from assay.fleet.lanes import JobLanes, JobNote, JobNotes, NoteState, decline, subject
from assay.fleet.queue import PATIENCE_S, ClaimLostError, QueueError, QueueUnreachableError
from assay.fleet.streams import JOBS, SERVER, TIDINGS, Buckets, Transfer, make_streams

ANSWER_S = 10.0


class JetStream:
    """A queue on NATS."""

    def __init__(
        self, client: Client, buckets: Buckets, address: Address, patience: float
    ) -> None:
        """Use a connection, with streams that are there."""
        self.patience = patience
        self._client = client
        self._stream = client.jetstream(timeout=ANSWER_S)
        self._notes = JobNotes(buckets.names)
        self._lanes = JobLanes(client, self._stream, patience, ANSWER_S)
        self._machines = buckets.machines
        self._transfer = Transfer(buckets.files)
        self._shown = address.shown
        self._closed = False

    async def put(self, job: Job) -> bool:
        """Add a job; return False if one of this name was put before."""
        text = encode(job).encode()
        with self.asked():
            await self._lanes.serve(job.lane)
            note = await self._notes.note(job)
            if note.state is not NoteState.NEW:
                return False
            # Who was killed here goes on when the job is put again. If there are two messages
            # then, the note names one of them, and the other is dropped when it is taken.
            sent = await self._stream.publish(subject(note.lane), text)
            if await self._notes.change(job.name, replace(note, sequence=sent.seq), NoteState.PUT):
                return True
            now = await self._notes.find(job.name)
            return now is not None and now.sequence == sent.seq

    async def withdraw(self, name: str) -> bool:
        """Remove a job that nobody has taken; return whether that could be done."""
        with self.asked():
            note = await self._notes.find(name)
            if note is None or note.state in (NoteState.HELD, NoteState.ENDED):
                return False
            if await self._notes.change(name, note, NoteState.ENDED) is None:
                return False
            with suppress(APIError):  # whoever takes it drops it, too
                await self._stream.delete_msg(JOBS, note.sequence)
        return True

    async def take(self, lanes: Sequence[str], wait: float) -> "HeldMessage | None":
        """Claim the oldest job of the first of these lanes that has one."""
        until = asyncio.get_running_loop().time() + wait
        with self.asked():
            for lane in lanes:
                await self._lanes.serve(lane)
                while (message := await self._lanes.pull(lane, 0)) is not None:
                    if claim := await self._claim(message):
                        return claim
            while (rest := until - asyncio.get_running_loop().time()) > 0:
                message = await self._lanes.first(lanes, rest)
                if message is None:
                    return None
                if claim := await self._claim(message):
                    return claim
        return None

    async def _claim(self, message: Msg) -> "HeldMessage | None":
        """Take the job of a message, if it is still to be done."""
        try:
            job = decode(Job, message.data)
        except WireError:
            await message.term()
            return None
        note = await self._notes.find(job.name)
        if note is None:
            await message.term()  # nobody has put it
            return None
        sequence = message.metadata.sequence.stream
        if note.state is NoteState.ENDED or note.sequence not in (0, sequence):
            await message.ack()
            return None
        held = replace(note, sequence=sequence)
        revision = await self._notes.change(job.name, held, NoteState.HELD)
        if revision is None:
            await message.nak()
            return None
        return HeldMessage(job, self, message, replace(held, revision=revision))

    async def keep(self, claim: "HeldMessage") -> None:
        """Keep a claim; ClaimLostError if it is another's by now."""
        with self.asked():
            note = await self._notes.find(claim.job.name)
            if note is None or note.revision != claim.note.revision:
                raise ClaimLostError(f"the job {claim.job.name} is another worker's by now")
            await claim.message.in_progress()

    async def end(self, claim: "HeldMessage") -> None:
        """End a job; ClaimLostError if it is another's by now."""
        with self.asked():
            if await self._notes.change(claim.job.name, claim.note, NoteState.ENDED) is None:
                raise ClaimLostError(f"the job {claim.job.name} is another worker's by now")
            await claim.message.ack()

    async def free(self, claim: "HeldMessage", delay: float) -> None:
        """Let another worker take a job, after a while."""
        with self.asked():
            if await self._notes.change(claim.job.name, claim.note, NoteState.PUT) is not None:
                await claim.message.nak(delay or None)

    async def waiting(self) -> dict[str, int]:
        """Return how many jobs wait, by lane."""
        found: dict[str, int] = {}
        with self.asked():
            while page := await self._stream.consumers_info(JOBS, offset=len(found)):
                found |= {name_of(one.name): one.num_pending or 0 for one in page}
        return {lane: count for lane, count in found.items() if count}

    async def upload(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""
        with self.asked():
            return await self._transfer.keep(path)

    async def download(self, digest: str, path: Path) -> None:
        """Write a kept file, whose digest is compared before it appears at its path."""
        with self.asked():
            await self._transfer.write(digest, path)

    async def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""
        with self.asked():
            await self._transfer.forget(digest)

    async def tell(self, tidings: Tidings) -> None:
        """Send the server news of a job; kept until the server has it."""
        with self.asked():
            await self._stream.publish(TIDINGS, encode(tidings).encode())

    async def tidings(self) -> AsyncIterator[Tidings]:
        """Yield what workers tell, each at least once, until the queue is closed."""
        with self.asked():
            news = await self._stream.pull_subscribe_bind(durable=SERVER, stream=TIDINGS)
        while not self._closed:
            with self.asked():
                try:
                    (message,) = await news.fetch(1, timeout=ANSWER_S)
                except NatsTimeoutError:
                    continue
            try:
                told = decode(Tidings, message.data)
            except WireError:
                await message.term()
                continue
            try:
                yield told
            except GeneratorExit:
                await decline(message)
                raise
            with self.asked():
                await message.ack()

    async def register(self, registration: Registration) -> None:
        """Make a machine known, or say again that it is there."""
        with self.asked():
            await self._machines.put(token(registration.machine), encode(registration).encode())

    async def machines(self) -> dict[str, tuple[Registration, float]]:
        """Return the machines and when each was heard of last, in seconds since 1970."""
        found: dict[str, tuple[Registration, float]] = {}
        with self.asked():
            watcher = await self._machines.watchall()
            async for entry in watcher:
                if entry is None:
                    break
                with suppress(WireError):
                    known = decode(Registration, entry.value)
                    found[known.machine] = (known, entry.created.timestamp())
            await watcher.stop()  # type: ignore[no-untyped-call]
        return found

    async def close(self) -> None:
        """Let go of all that is held."""
        if not self._closed:
            self._closed = True
            with suppress(NatsError, OSError):
                await self._client.close()

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Name the queue in what goes wrong within."""
        if self._closed:
            raise QueueError(f"the queue at {self._shown} is closed")
        try:
            yield
        except (NatsError, OSError, ValueError) as error:
            reason = str(error) or type(error).__name__
            raise QueueUnreachableError(
                f"the queue at {self._shown} does not answer: {reason}",
                "What was asked can be asked again; the connection is made again by itself.",
            ) from error


class HeldMessage(Struct, frozen=True):
    """A job that a worker holds."""

    job: Job
    queue: JetStream
    message: Msg
    note: JobNote

    async def alive(self) -> None:
        """Keep the claim; ClaimLostError if it is another's by now."""
        await self.queue.keep(self)

    async def done(self) -> None:
        """End the job; ClaimLostError if it is another's by now."""
        await self.queue.end(self)

    async def give_back(self, delay: float = 0.0) -> None:
        """Let another worker take it, after so many seconds."""
        await self.queue.free(self, delay)


async def open_jetstream(address: Address, patience: float = PATIENCE_S) -> JetStream:
    """Connect to a queue on NATS, and make its streams where they are absent."""
    client = await connect(address)
    try:
        buckets = await make_streams(client.jetstream(timeout=ANSWER_S), address, patience)
    except BaseException:
        await client.close()
        raise
    return JetStream(client, buckets, address, patience)

# SPDX-License-Identifier: MIT
"""The queue of many machines: NATS JetStream.

Jobs are a stream from which a message goes when it is acknowledged, with a consumer for each
lane. A bucket of keys and values has one record for each name of a job: whoever takes a job,
ends it or withdraws it changes the record from the revision that was read, so that of two who
try only one succeeds. Messages may come twice; the record says whether a job is still to be
done. Times are the server's.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import MsgAlreadyAckdError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import AckPolicy, ConsumerConfig, Header
from nats.js.errors import (
    APIError,
    BadRequestError,
    KeyNotFoundError,
    KeyWrongLastSequenceError,
    NotFoundError,
)

from assay.fleet.address import Address, connect
from assay.fleet.jobs import Job, Registration, Tidings
from assay.fleet.queue import PATIENCE_S, ClaimLostError, QueueError, QueueUnreachableError
from assay.fleet.streams import JOBS, SERVER, TIDINGS, Buckets, make_streams
from assay.fleet.transfer import Transfer
from assay.fleet.wire import WireError, decode, encode, name_of, token

ANSWER_S = 10.0
_NOTHING = ("404", "408")  # no messages; none came in time


class _State(StrEnum):
    """What became of the job of a name."""

    NEW = "new"  # its name is noted, and its message may have been sent
    PUT = "put"
    HELD = "held"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class _Record:
    """A job's name as its bucket has it."""

    lane: str
    state: _State = _State.NEW
    sequence: int = 0  # of the one message that counts, once it is known
    revision: int = 0

    def written(self) -> bytes:
        """Return what is kept of it."""
        return f"{self.state} {self.sequence} {token(self.lane)}".encode()


class JetStream:
    """A queue on NATS."""

    def __init__(
        self, client: Client, buckets: Buckets, address: Address, patience: float
    ) -> None:
        """Use a connection, with streams that are there."""
        self.patience = patience
        self._client = client
        self._stream = client.jetstream(timeout=ANSWER_S)
        self._names = buckets.names
        self._machines = buckets.machines
        self._transfer = Transfer(buckets.files)
        self._shown = address.shown
        self._lanes: set[str] = set()
        self._closed = False

    async def put(self, job: Job) -> bool:
        """Add a job; return False if one of this name was put before."""
        text = encode(job).encode()
        with self.asked():
            await self._serve(job.lane)
            record = await self._noted(job)
            if record.state is not _State.NEW:
                return False
            # Who was killed here goes on when the job is put again. If there are two messages
            # then, the record names one of them, and the other is dropped when it is taken.
            sent = await self._stream.publish(_subject(record.lane), text)
            if await self._change(job.name, replace(record, sequence=sent.seq), _State.PUT):
                return True
            now = await self._record(job.name)
            return now is not None and now.sequence == sent.seq

    async def _noted(self, job: Job) -> _Record:
        """Note a name, or return what was noted before."""
        new = _Record(job.lane)
        with suppress(KeyWrongLastSequenceError):
            revision = await self._names.create(token(job.name), new.written())
            return replace(new, revision=revision)
        return await self._record(job.name) or new

    async def _serve(self, lane: str) -> None:
        """Make sure that jobs of a lane are counted and handed out."""
        if lane in self._lanes:
            return
        wanted = ConsumerConfig(
            durable_name=token(lane),
            filter_subject=_subject(lane),
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.patience,
            max_ack_pending=-1,
            max_waiting=20_000,
        )
        try:
            await self._stream.consumer_info(JOBS, token(lane))
        except NotFoundError:
            with suppress(BadRequestError):  # somebody else has just made it
                await self._stream.add_consumer(JOBS, wanted)
        self._lanes.add(lane)

    async def _record(self, name: str) -> _Record | None:
        """Return what is known of the job of a name."""
        try:
            entry = await self._names.get(token(name))
        except KeyNotFoundError:
            return None
        state, sequence, lane = (entry.value or b"").decode().split(" ")
        return _Record(name_of(lane), _State(state), int(sequence), entry.revision or 0)

    async def _change(self, name: str, record: _Record, state: _State) -> int | None:
        """Change a record; return its revision, or None if somebody else was first."""
        try:
            return await self._names.update(
                token(name), replace(record, state=state).written(), last=record.revision
            )
        except KeyWrongLastSequenceError:
            return None

    async def withdraw(self, name: str) -> bool:
        """Remove a job that nobody has taken; return whether that could be done."""
        with self.asked():
            record = await self._record(name)
            if record is None or record.state in (_State.HELD, _State.ENDED):
                return False
            if await self._change(name, record, _State.ENDED) is None:
                return False
            with suppress(APIError):  # whoever takes it drops it, too
                await self._stream.delete_msg(JOBS, record.sequence)
        return True

    async def take(self, lanes: Sequence[str], wait: float) -> "HeldMessage | None":
        """Claim the oldest job of the first of these lanes that has one."""
        until = asyncio.get_running_loop().time() + wait
        with self.asked():
            for lane in lanes:
                await self._serve(lane)
                while (message := await self._pull(lane, 0)) is not None:
                    if claim := await self._claim(message):
                        return claim
            while (rest := until - asyncio.get_running_loop().time()) > 0:
                message = await self._first(lanes, rest)
                if message is None:
                    return None
                if claim := await self._claim(message):
                    return claim
        return None

    async def _first(self, lanes: Sequence[str], wait: float) -> Msg | None:
        """Wait for a message of any lane; what comes besides goes back at once."""
        pulls = {asyncio.ensure_future(self._pull(lane, wait)) for lane in lanes}
        found: Msg | None = None
        try:
            waiting = set(pulls)
            while waiting and found is None:
                done, waiting = await asyncio.wait(waiting, return_when="FIRST_COMPLETED")
                for pull in done:
                    found = found or pull.result()
        finally:
            for pull in pulls:
                pull.add_done_callback(lambda pull: self._return(pull, found))
        return found

    def _return(self, pull: "asyncio.Future[Msg | None]", found: Msg | None) -> None:
        """Return a message that came for somebody who no longer waits."""
        if pull.cancelled() or pull.exception() is not None:
            return
        message = pull.result()
        if message is not None and message is not found and not self._closed:
            self._later = asyncio.ensure_future(_decline(message))

    async def _pull(self, lane: str, wait: float) -> Msg | None:
        """Ask for one message of a lane, and wait so long for it."""
        asked: dict[str, object] = {"batch": 1}
        asked |= {"expires": int(wait * 1e9)} if wait else {"no_wait": True}
        inbox = await self._client.subscribe(self._client.new_inbox())
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{JOBS}.{token(lane)}"
        try:
            await self._client.publish(subject, json.dumps(asked).encode(), reply=inbox.subject)
            answer = await inbox.next_msg(wait + ANSWER_S)
        finally:
            with suppress(NatsError):
                await inbox.unsubscribe()
        status = (answer.headers or {}).get(Header.STATUS)
        if status and status not in _NOTHING:
            self._lanes.discard(lane)  # the consumer may have been removed
            raise NatsError(f"{status} {(answer.headers or {}).get(Header.DESCRIPTION)}")
        return None if status else answer

    async def _claim(self, message: Msg) -> "HeldMessage | None":
        """Take the job of a message, if it is still to be done."""
        try:
            job = decode(Job, message.data)
        except WireError:
            await message.term()
            return None
        record = await self._record(job.name)
        if record is None:
            await message.term()  # nobody has put it
            return None
        sequence = message.metadata.sequence.stream
        if record.state is _State.ENDED or record.sequence not in (0, sequence):
            await message.ack()
            return None
        held = replace(record, sequence=sequence)
        revision = await self._change(job.name, held, _State.HELD)
        if revision is None:
            await message.nak()
            return None
        return HeldMessage(job, self, message, replace(held, revision=revision))

    async def keep(self, claim: "HeldMessage") -> None:
        """Keep a claim; ClaimLostError if it is another's by now."""
        with self.asked():
            record = await self._record(claim.job.name)
            if record is None or record.revision != claim.record.revision:
                raise ClaimLostError(f"the job {claim.job.name} is another worker's by now")
            await claim.message.in_progress()

    async def end(self, claim: "HeldMessage") -> None:
        """End a job; ClaimLostError if it is another's by now."""
        with self.asked():
            if await self._change(claim.job.name, claim.record, _State.ENDED) is None:
                raise ClaimLostError(f"the job {claim.job.name} is another worker's by now")
            await claim.message.ack()

    async def free(self, claim: "HeldMessage", delay: float) -> None:
        """Let another worker take a job, after a while."""
        with self.asked():
            if await self._change(claim.job.name, claim.record, _State.PUT) is not None:
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
                await _decline(message)
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


@dataclass(frozen=True, slots=True)
class HeldMessage:
    """A job that a worker holds."""

    job: Job
    queue: JetStream
    message: Msg
    record: _Record

    async def alive(self) -> None:
        """Keep the claim; ClaimLostError if it is another's by now."""
        await self.queue.keep(self)

    async def done(self) -> None:
        """End the job; ClaimLostError if it is another's by now."""
        await self.queue.end(self)

    async def give_back(self, delay: float = 0.0) -> None:
        """Let another worker take it, after so many seconds."""
        await self.queue.free(self, delay)


async def _decline(message: Msg) -> None:
    """Let a message come to another worker at once."""
    with suppress(NatsError, MsgAlreadyAckdError, OSError):
        await message.nak()


def _subject(lane: str) -> str:
    """Return the subject of the jobs of a lane.

    A subject for each job would make the server count them all for every lane that is asked for:
    with 1,001 lanes and 100,000 jobs `waiting` took longer than 10 seconds.
    """
    return f"{JOBS}.{token(lane)}"


async def open_jetstream(address: Address, patience: float = PATIENCE_S) -> JetStream:
    """Connect to a queue on NATS, and make its streams where they are absent."""
    client = await connect(address)
    try:
        buckets = await make_streams(client.jetstream(timeout=ANSWER_S), address, patience)
    except BaseException:
        await client.close()
        raise
    return JetStream(client, buckets, address, patience)

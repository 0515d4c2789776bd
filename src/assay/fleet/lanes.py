# SPDX-License-Identifier: MIT
"""The lanes of a queue on NATS, and what is noted of its jobs.

Each lane is a consumer of the stream of jobs, and is pulled from. Notes on the name of each job
lie in a bucket of keys and values: whoever takes a job, ends it or withdraws it changes the note
from the revision that was read, so that of two who try only one succeeds.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import MsgAlreadyAckdError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, Header
from nats.js.errors import (
    BadRequestError,
    KeyNotFoundError,
    KeyWrongLastSequenceError,
    NotFoundError,
)
from nats.js.kv import KeyValue

from assay.fleet.jobs import Job, name_of, token
from assay.fleet.streams import JOBS

_NOTHING = ("404", "408")  # no messages; none came in time


class JobLanes:
    """The lanes that were asked for."""

    def __init__(
        self, client: Client, stream: JetStreamContext, patience: float, answer_s: float
    ) -> None:
        """Use a connection, whose server answers within so many seconds."""
        self._client, self._stream = client, stream
        self._patience, self._answer_s = patience, answer_s
        self._served: set[str] = set()

    async def serve(self, lane: str) -> None:
        """Make sure that jobs of a lane are counted and handed out."""
        if lane in self._served:
            return
        wanted = ConsumerConfig(
            durable_name=token(lane),
            filter_subject=subject(lane),
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self._patience,
            max_ack_pending=-1,
            max_waiting=20_000,
        )
        try:
            await self._stream.consumer_info(JOBS, token(lane))
        except NotFoundError:
            with suppress(BadRequestError):  # somebody else has just made it
                await self._stream.add_consumer(JOBS, wanted)
        self._served.add(lane)

    async def first(self, lanes: Sequence[str], wait: float) -> Msg | None:
        """Wait for a message of any lane; what comes besides goes back at once."""
        pulls = {asyncio.ensure_future(self.pull(lane, wait)) for lane in lanes}
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
        if message is not None and message is not found and not self._client.is_closed:
            self._later = asyncio.ensure_future(decline(message))

    async def pull(self, lane: str, wait: float) -> Msg | None:
        """Ask for one message of a lane, and wait so long for it."""
        asked: dict[str, object] = {"batch": 1}
        asked |= {"expires": int(wait * 1e9)} if wait else {"no_wait": True}
        inbox = await self._client.subscribe(self._client.new_inbox())
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{JOBS}.{token(lane)}"
        try:
            await self._client.publish(subject, json.dumps(asked).encode(), reply=inbox.subject)
            answer = await inbox.next_msg(wait + self._answer_s)
        finally:
            with suppress(NatsError):
                await inbox.unsubscribe()
        status = (answer.headers or {}).get(Header.STATUS)
        if status and status not in _NOTHING:
            self._served.discard(lane)  # the consumer may have been removed
            raise NatsError(f"{status} {(answer.headers or {}).get(Header.DESCRIPTION)}")
        return None if status else answer


async def decline(message: Msg) -> None:
    """Let a message come to another worker at once."""
    with suppress(NatsError, MsgAlreadyAckdError, OSError):
        await message.nak()


def subject(lane: str) -> str:
    """Return the subject of the jobs of a lane.

    A subject for each job would make the server count them all for every lane that is asked for:
    with 1,001 lanes and 100,000 jobs `waiting` took longer than 10 seconds.
    """
    return f"{JOBS}.{token(lane)}"


class NoteState(StrEnum):
    """What became of the job of a name."""

    NEW = "new"  # its name is noted, and its message may have been sent
    PUT = "put"
    HELD = "held"
    ENDED = "ended"


class JobNote(Struct, frozen=True):
    """A job's name as its bucket has it."""

    lane: str
    state: NoteState = NoteState.NEW
    sequence: int = 0  # of the one message that counts, once it is known
    revision: int = 0

    def written(self) -> bytes:
        """Return what is kept of it."""
        return f"{self.state} {self.sequence} {token(self.lane)}".encode()


class JobNotes:
    """The notes of all names."""

    def __init__(self, bucket: KeyValue) -> None:
        """Use a bucket that is there."""
        self._bucket = bucket

    async def note(self, job: Job) -> JobNote:
        """Note a name, or return what was noted before."""
        new = JobNote(job.lane)
        with suppress(KeyWrongLastSequenceError):
            revision = await self._bucket.create(token(job.name), new.written())
            return replace(new, revision=revision)
        return await self.find(job.name) or new

    async def find(self, name: str) -> JobNote | None:
        """Return what is known of the job of a name."""
        try:
            entry = await self._bucket.get(token(name))
        except KeyNotFoundError:
            return None
        state, sequence, lane = (entry.value or b"").decode().split(" ")
        return JobNote(name_of(lane), NoteState(state), int(sequence), entry.revision or 0)

    async def change(self, name: str, note: JobNote, state: NoteState) -> int | None:
        """Change a note; return its revision, or None if somebody else was first."""
        try:
            return await self._bucket.update(
                token(name), replace(note, state=state).written(), last=note.revision
            )
        except KeyWrongLastSequenceError:
            return None

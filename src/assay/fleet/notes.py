# SPDX-License-Identifier: MIT
"""What is noted of the name of each job of a queue on NATS, in a bucket of keys and values.

Whoever takes a job, ends it or withdraws it changes the note from the revision that was read, so
that of two who try only one succeeds.
"""

from contextlib import suppress
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue

from assay.fleet.jobs import Job, name_of, token


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

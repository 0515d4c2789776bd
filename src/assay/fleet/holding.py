# SPDX-License-Identifier: MIT
"""The jobs in a folder's queue, and who holds them: each function is one step for all processes.

SimpleBroker keeps the jobs in SQLite and moves a job from one of its queues to another in one
transaction: from its lane to `held`, and from there to `ended`, or back. A lock of the kernel
keeps others out meanwhile, and after `kill -9` at any moment every job is in exactly one of the
queues. Who holds a job, and when it was heard of last, is a file below `held/`. Seconds are
counted from the start of the machine, which nobody can set; what another start of it has left
is from nobody who lives.
"""

import fcntl
import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from msgspec import Struct
from simplebroker.ext import BrokerConnection, IntegrityError

from assay.fleet.jobs import Job, WireError, decode, token
from assay.fleet.queue import ClaimLostError, QueueError
from assay.writing import remove_below, write_below

HELD, ENDED, BROKEN, NAMES = "held", "ended", "broken", "names"
LANE = "lane."


class _Place(Struct, frozen=True):
    """Where the job of a name is, or was."""

    id: int
    lane: str


class Holding(Struct, frozen=True):
    """A job that is held, with the mark of its holder."""

    job: Job
    number: int
    mark: str


class KeptJobs:
    """The jobs of a folder."""

    def __init__(self, folder: Path, broker: BrokerConnection, patience: float) -> None:
        """Use a folder and a broker that are there."""
        self._folder, self._broker, self._patience = folder, broker, patience
        self._marks = ClaimMarks(folder / HELD)

    def put(self, job: Job, text: str) -> bool:
        """Add a job; return False if one of this name was put before.

        The name is noted first: who is killed in between finds it, and goes on.
        """
        with alone(self._folder):
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

    def withdraw(self, name: str) -> bool:
        """Remove a job that nobody has taken; return whether that could be done."""
        with alone(self._folder):
            place = self._place(name)
            return place is not None and self.move(place.lane, ENDED, place.id)

    def take(self, lanes: Sequence[str]) -> "Holding | None":
        """Hold the oldest job of the first of these lanes that has one."""
        with alone(self._folder):
            self._free_silent()
            for lane in lanes:
                while found := self._broker.move_one(
                    LANE + token(lane), HELD, with_timestamps=True
                ):
                    text, number = cast("tuple[str, int]", found)
                    try:
                        job = decode(Job, text)
                    except WireError:
                        self.move(HELD, BROKEN, number)
                        continue
                    return Holding(job, number, self._marks.make(number))
        return None

    def _free_silent(self) -> None:
        """Put back what is held by nobody who was heard of lately."""
        held = self._broker.peek_many(HELD, limit=10_000, with_timestamps=True)
        for text, number in cast("list[tuple[str, int]]", held):
            if self._marks.since(number) >= self._patience:
                self.move(HELD, LANE + token(decode(Job, text).lane), number)
                self._marks.remove(number)

    def move(self, source: str, target: str, number: int) -> bool:
        """Move one job; return whether it was there."""
        return (
            self._broker.move_one(source, target, exact_timestamp=number, with_timestamps=False)
            is not None
        )

    def keep(self, claim: "Holding") -> None:
        """Note that a claim is kept."""
        with alone(self._folder):
            self._require(claim)
            self._marks.heard(claim.number)

    def end(self, claim: "Holding") -> None:
        """End a job."""
        with alone(self._folder):
            self._require(claim)
            self.move(HELD, ENDED, claim.number)
            self._marks.remove(claim.number)

    def free(self, claim: "Holding", delay: float) -> None:
        """Let a job count as held by somebody silent, after a while."""
        with alone(self._folder):
            if self._marks.has(claim.number, claim.mark):
                self._marks.leave(claim.number, delay - self._patience)

    def _require(self, claim: "Holding") -> None:
        """Raise ClaimLostError if a claim is another's."""
        if not self._marks.has(claim.number, claim.mark):
            raise ClaimLostError(f"the job {claim.job.name} is another worker's by now")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep every other process and thread out of a folder's queue."""
    with (folder / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class ClaimMarks:
    """The marks in a folder, by the numbers of jobs."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that is there."""
        self._folder = folder

    def make(self, number: int) -> str:
        """Return a new mark of a job, whose holder was heard of now."""
        mark = _boot() + secrets.token_hex(8)
        write_below(self._folder, str(number), mark)
        self.heard(number)
        return mark

    def has(self, number: int, mark: str) -> bool:
        """Return whether a job is still held with a mark."""
        file = self._folder / str(number)
        return file.exists() and file.read_text() == mark

    def heard(self, number: int, later: float = 0.0) -> None:
        """Note that the holder of a job is heard of now, or so many seconds later."""
        moment = _uptime() + later
        os.utime(self._folder / str(number), (moment, moment))

    def leave(self, number: int, later: float) -> None:
        """Leave a job to nobody, who is heard of for the last time so many seconds later."""
        write_below(self._folder, str(number), _boot())
        self.heard(number, later)

    def since(self, number: int) -> float:
        """Return how many seconds ago the holder of a job was heard of."""
        file = self._folder / str(number)
        if not (file.exists() and file.read_text().startswith(_boot())):
            return float("inf")
        return _uptime() - file.stat().st_mtime

    def remove(self, number: int) -> None:
        """Remove a mark, if it is there."""
        remove_below(self._folder, str(number))


def _uptime() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _boot() -> str:
    """Return which start of the machine it is."""
    return Path("/proc/sys/kernel/random/boot_id").read_text()


def _number(name: str) -> int:
    """Return a number for a name, below every number that a clock of our days gives."""
    return 1 + (int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 4)

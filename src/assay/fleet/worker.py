# SPDX-License-Identifier: MIT
"""A worker: takes the jobs of its lanes one after another, and tells the server what came of them.

Results are written down before anybody is told, so that a worker that is killed at any moment
goes on where it was: with the job, if it comes again, or with the news, if they were not told.
"""

import asyncio
import contextlib
import shutil
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay import __version__
from assay.errors import AssayError
from assay.fence import ends_all, reason_of
from assay.fleet.jobs import (
    CLOCK,
    FORMAT,
    Advance,
    Job,
    Registration,
    Tidings,
    measure_lane,
    refused_option,
)
from assay.fleet.labour import UndoneJobError, UnfitJobError, carry_out, unpack
from assay.fleet.machine import Workplace
from assay.fleet.queue import Claim, ClaimLostError, Queue, QueueError, QueueUnreachableError
from assay.fleet.shelf import ARCHIVE, BUNDLE, DRAINING, PACKAGE, READY, RESULTS, Shelf
from assay.fleet.verdict import Judgement

WAIT_SECONDS = 5.0  # for a job, before the owner's wishes are looked at again
PAUSE_SECONDS = 2.0
REGISTER_SECONDS = 30.0
AGAIN_SECONDS = (5.0, 30.0, 120.0)  # after a job could not be done; then it is refused
LATER_SECONDS = 20.0  # before a job that is another's gets to this worker again
LEAST_FREE_BYTES = 1 << 30  # of the disk; with less no job is taken

Say = Callable[[str], object]
Bundling = Callable[[Path, Path], object]
"""Makes one signed file of a results folder."""
Labour = Callable[[Job, Workplace, Path], Awaitable[Judgement]]
"""Does a job whose archive was unpacked in a folder."""


class Until(Struct, frozen=True):
    """When a worker ends: after one job, or when there is none; otherwise never."""

    one: bool = False
    idle: bool = False


class Worker:
    """One worker of one machine."""

    def __init__(
        self,
        place: Workplace,
        queue: Queue,
        entry: Registration,
        bundle: Bundling,
        say: Say,
        labour: Labour = carry_out,
    ) -> None:
        """Work for a queue; `entry` is what the server is told of the machine."""
        self._place, self._queue, self._entry = place, queue, entry
        self._bundle, self._say, self._labour = bundle, say, labour
        self._shelf = Shelf(place.folder)
        self._registered = 0.0
        self._state = ""
        self._unreachable = False
        self._tries: dict[str, int] = {}
        self._refused: set[str] = set()

    async def work(self, until: Until = Until()) -> None:
        """Work until the owner drains the machine, or as long as `until` says.

        Cancel it to give back the job in work; what was finished of it is kept.
        """
        while True:
            try:
                await self._tell_kept()
                ended = await self._turn(until)
                self._reached()
                if ended:
                    return
            except QueueUnreachableError as error:
                self._lost(error)
                await asyncio.sleep(PAUSE_SECONDS)

    async def _turn(self, until: Until) -> bool:
        """Take a job and do it, unless the owner wants none; return whether that was all."""
        state = self._wanted()
        await self._register(state, at_once=state != self._state)
        if state == DRAINING:
            self._say("drained: nothing is in work, and no more jobs are taken")
            return True
        if state != READY:
            await asyncio.sleep(PAUSE_SECONDS)
            return until.idle
        claim = await self._queue.take(self._entry.lanes, WAIT_SECONDS)
        if claim is None:
            return until.idle
        await self._hold(claim)
        return until.one

    def _wanted(self) -> str:
        """Return the owner's wish; a full disk pauses as well."""
        state = self._shelf.state()
        free = shutil.disk_usage(self._place.folder).free
        if state == READY and free < LEAST_FREE_BYTES:
            state = "paused: the disk is full"
        if state != self._state:
            self._say(f"{self._place.name} is {state}")
        return state

    async def _register(self, state: str, *, at_once: bool = False) -> None:
        """Make the machine known, from time to time."""
        if at_once or time.monotonic() - self._registered > REGISTER_SECONDS:
            facts = {**self._entry.facts, CLOCK: f"{time.time():.0f}"}
            await self._queue.register(replace(self._entry, state=state, facts=facts))
            self._registered, self._state = time.monotonic(), state

    async def _hold(self, claim: Claim) -> None:
        """Do a job for as long as the claim on it is this worker's."""
        doing = asyncio.create_task(self._answer(claim))
        keeping = asyncio.create_task(self._keep(claim))
        try:
            await asyncio.wait((doing, keeping), return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                self._say(f"{claim.job.name}: another worker has it by now; left to it")
                doing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await doing
        except asyncio.CancelledError:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)
            with contextlib.suppress(AssayError):
                await claim.give_back()
            self._say(f"{claim.job.name}: given back")
            raise
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def _keep(self, claim: Claim) -> None:
        """Keep a claim alive; return when it is lost."""
        while True:
            await asyncio.sleep(min(self._queue.patience / 3, REGISTER_SECONDS))
            try:
                await claim.alive()
                await self._register(self._shelf.state())
                self._reached()
            except ClaimLostError:
                return
            except QueueUnreachableError as error:
                self._lost(error)

    async def _answer(self, claim: Claim) -> None:
        """Do a job and tell of it, or refuse it in words."""
        job = claim.job
        try:
            if (told := await self._answered(job)) is not None:
                await self._queue.tell(told)
                await claim.done()
            elif reason := self._unwanted(job):
                await self._leave(claim, reason)
            else:
                await self._do(claim)
        except UnfitJobError as error:
            await self._refuse(claim, error)
        except ClaimLostError:
            self._say(f"{job.name}: another worker has it by now")
        except QueueUnreachableError:
            raise
        except Exception as error:  # noqa: BLE001 - a job must not end the worker
            await self._again(claim, error)

    async def _answered(self, job: Job) -> Tidings | None:
        """Return what was told of a job before, unless the queue is another one by now."""
        told = self._shelf.answered(job)
        if told is not None:
            try:
                await self._queue.download(told.bundle, self._shelf.place(job) / BUNDLE)
            except QueueUnreachableError:
                raise
            except QueueError:  # a service that was restored lacks the results
                return None
            self._shelf.forget(job)
        return told

    def _unwanted(self, job: Job) -> str:
        """Return why this worker takes no such job, though another one may."""
        if job.format != FORMAT:
            return (
                f"{self._place.name} has Assay {__version__}, whose jobs have format {FORMAT}, "
                f"and this one has {job.format}: install the same version on server and workers"
            )
        if job.account in self._place.refused:
            return f"the owner of {self._place.name} takes no jobs of {job.account}"
        return ""

    async def _leave(self, claim: Claim, reason: str) -> None:
        """Leave a job to other workers; what this machine alone could do is refused."""
        job = claim.job
        if job.name not in self._refused:
            self._refused.add(job.name)
            self._say(f"{job.name}: refused: {reason}")
            await self._queue.tell(self._news(job, Advance.REFUSED, reason))
        if job.lane == measure_lane(self._place.name) and job.format == FORMAT:
            await claim.done()
        else:
            await claim.give_back(LATER_SECONDS)

    async def _refuse(self, claim: Claim, error: AssayError) -> None:
        """Refuse a job for good."""
        reason = f"{error}. {error.cure}".strip()
        self._say(f"{claim.job.name}: refused: {reason}")
        await self._queue.tell(self._news(claim.job, Advance.REFUSED, reason))
        await claim.done()
        self._shelf.forget(claim.job)

    async def _again(self, claim: Claim, error: Exception) -> None:
        """Return a job that could not be done; refuse it after some tries."""
        name = claim.job.name
        tries = self._tries[name] = self._tries.get(name, 0) + 1
        known = isinstance(error, UndoneJobError) or ends_all(error)
        reason = str(error) if known else reason_of(error)
        if tries > len(AGAIN_SECONDS):
            await self._refuse(claim, UnfitJobError(reason))
            return
        self._say(f"{name}: {reason}; tried again later")
        await claim.give_back(AGAIN_SECONDS[tries - 1])

    async def _do(self, claim: Claim) -> None:
        """Do a job; its results are kept before they are told."""
        job, began = claim.job, time.monotonic()
        if reason := refused_option(job.action, job.options):
            raise UnfitJobError(reason)
        self._say(f"{job.name}: {job.action} for {job.account}")
        await self._queue.tell(self._news(job, Advance.BEGUN))
        folder = self._shelf.place(job)
        if not (folder / PACKAGE).exists():
            await self._queue.download(job.archive, folder / ARCHIVE)
        await asyncio.to_thread(unpack, job, folder)
        judgement = await self._labour(job, self._place, folder)
        await asyncio.to_thread(self._bundle, folder / RESULTS, folder / BUNDLE)
        self._shelf.keep(self._news(job, Advance.DONE, str(judgement)))
        self._say(f"{job.name}: {_short(judgement)} ({time.monotonic() - began:.0f} s)")
        await self._tell_kept()
        await claim.done()

    async def _tell_kept(self) -> None:
        """Send all news that are kept; who is not reached keeps them for the next time."""
        for news in self._shelf.kept():
            digest = await self._queue.upload(self._shelf.bundle(news))
            told = replace(news, bundle=digest)
            await self._queue.tell(told)
            self._shelf.told(told)

    def _news(self, job: Job, advance: Advance, reason: str = "") -> Tidings:
        return Tidings(job.name, self._place.name, advance, reason=reason)

    def _lost(self, error: AssayError) -> None:
        """Report once that the queue is gone."""
        if not self._unreachable:
            self._unreachable = True
            self._say(f"the queue cannot be reached: {error}. Work goes on, results are kept")

    def _reached(self) -> None:
        if self._unreachable:
            self._unreachable = False
            self._say("the queue can be reached again")


def _short(judgement: Judgement) -> str:
    """Return a verdict in words, for a log."""
    return " ".join(str(judgement).split())[:200]

# SPDX-License-Identifier: MIT
"""What happens to submissions while nobody asks: fetch, unpack, judge, measure, publish.

Everything that is known lies in the tables, and each step may be done twice: a service that was
killed goes on where it was.
"""

import asyncio
import errno
import logging
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy.exc import OperationalError

from assay.errors import AssayError
from assay.fleet.jobs import APPROVAL, ASKED, FORMAT, Action, Advance, Tidings
from assay.fleet.queue import Queue, QueueUnreachableError
from assay.model import Verdict
from assay.package.download import LIMIT_BYTES
from assay.service import work
from assay.service.accounts import account_of
from assay.service.fetching import PUBLIC, FetchError, Permitted, fetch
from assay.service.places import ServiceFolder, run_assay, uploading
from assay.service.publishing import Sender, import_bundle, judged_by, make_site
from assay.service.records import ServiceRecords
from assay.service.states import JobState, State
from assay.service.submissions import Submission, advance, describe, find, in_state
from assay.writing import remove_below, write_below

TICK_SECONDS = 2.0
AFTER_TROUBLE_SECONDS = 5.0
UNPACK_SECONDS = 600.0
EXPECTED = (JobState.UNSENT, JobState.PUT, JobState.BEGUN)  # jobs of which workers may tell
MOST_ATTEMPTS = 3  # to have a package judged by somebody whose bundle can be believed
STALE = "stale"  # a file in the folder: the site is to be made anew
log = logging.getLogger("assay.service")


class SubmissionDesk(Struct, frozen=True):
    """The tables, the folder and the queue of a service, and where packages are judged."""

    records: ServiceRecords
    folder: ServiceFolder
    queue: Queue
    judges: tuple[str, ...] = ("native",)
    permitted: Permitted = PUBLIC

    async def run(self) -> None:
        """Work until cancelled."""
        await _again(self.put_again, 0, once=True)
        async with asyncio.TaskGroup() as group:
            for step in (self.look_through, self.publish, self.listen):
                group.create_task(_again(step, TICK_SECONDS))

    async def put_again(self) -> None:
        """Put jobs that the queue lacks: a kill came before, or it is another one and empty."""
        for one in work.in_states(self.records, JobState.PUT, JobState.BEGUN):
            await self._put(one)

    async def look_through(self) -> None:
        """Do what is to be done for submissions that have not ended."""
        for job in work.in_states(self.records, JobState.UNSENT):
            work.change(self.records, job.name, JobState.PUT, reason="")
            await self._put(job)
        for one in in_state(self.records, State.RECEIVED):
            if not work.jobs_of(self.records, one.id):
                await self._admit(one)
        for one in in_state(self.records, State.JUDGED):
            advance(self.records, one.id, State.WAITING)
        waiting = in_state(self.records, State.WAITING, State.MEASURING)
        if waiting:
            machines = await self.queue.machines()
            asking = {
                name: one.facts.get(APPROVAL) == ASKED for name, (one, _) in machines.items()
            }
            for one in waiting:
                rows = [work.planned(one.id, Action.MEASURE, name, ask=ask)
                        for name, ask in sorted(asking.items())]  # fmt: skip
                await self._put_all(work.add(self.records, rows))

    async def _admit(self, one: Submission) -> None:
        """Fetch what is not here, unpack it once with all care, and ask for it to be judged."""
        try:
            if one.source and not self.folder.archive(one.digest).exists():
                await self._fetch(one)
            what = await self._unpacked(one)
        except AssayError as error:
            advance(self.records, one.id, State.REFUSED, f"{error}\n{error.cure}".strip())
            return
        describe(self.records, one.id, what=what)
        rows = [work.planned(one.id, Action.JUDGE, target) for target in self.judges]
        await self._put_all(work.add(self.records, rows))

    async def _fetch(self, one: Submission) -> None:
        async with uploading(self.folder) as upload:
            await fetch(one.source, one.digest, upload.write, permitted=self.permitted)
            upload.keep()
        describe(self.records, one.id, size=upload.size)

    async def _unpacked(self, one: Submission) -> str:
        """Return what is in an archive; FetchError if it is refused, or has no package."""
        with tempfile.TemporaryDirectory(prefix="assay-service-") as scratch:
            archive, into = self.folder.archive(one.digest), Path(scratch, "package")
            code, said = await run_assay(
                "add", str(archive), "--into", str(into), "--sha256", one.digest,
                seconds=UNPACK_SECONDS,
            )  # fmt: skip
        said = said.replace(str(into), "PACKAGE").replace(str(archive), "the archive")
        lines = [line for line in said.splitlines() if not line.startswith(("sha256", "warning"))]
        if code and shutil.disk_usage(tempfile.gettempdir()).free < LIMIT_BYTES:
            raise OSError(errno.ENOSPC, f"{tempfile.gettempdir()} has no room to unpack")
        if code:
            raise FetchError("\n".join(lines).removeprefix("error: "))
        return lines[0].removeprefix("PACKAGE: ") if lines else ""

    async def _put_all(self, new: list[work.JobRecord]) -> None:
        for one in new:
            if one.state is JobState.PUT:
                await self._put(one)

    async def _put(self, one: work.JobRecord) -> None:
        """Bring the archive and the job into the queue, whatever is there already.

        A job that cannot be put now is put later, and those after it do not wait for that.
        """
        of = find(self.records, one.submission)
        if of is None or not self.folder.archive(of.digest).exists():
            return
        job = work.for_queue(one, of, account_of(self.records, of.account).name)
        try:
            await self.queue.upload(self.folder.archive(of.digest))
            await self.queue.put(job)
        except QueueUnreachableError as error:
            work.change(self.records, one.name, JobState.UNSENT, reason=str(error))

    async def decide(self, name: str, who: str, *, agreed: bool) -> bool:
        """Put a job that waited for a person, or decline it; return whether it waited."""
        waited = work.decide(self.records, name, who, agreed=agreed)
        one = work.named(self.records, name)
        if waited and agreed and one is not None:
            await self._put(one)
        return waited

    async def listen(self) -> None:
        """Take what workers tell, one after another, until the queue is closed."""
        async for one in self.queue.tidings():
            try:
                await self.hear(one)
            except QueueUnreachableError:
                raise  # what was not taken is told again
            except AssayError as error:
                log.warning("tidings of %s on %s: %s", one.job, one.machine, error)

    async def hear(self, told: Tidings) -> None:
        """Take one tiding; what is unknown, late or of another format changes nothing."""
        one = work.named(self.records, told.job)
        if one is None or told.format != FORMAT or one.state not in EXPECTED:
            return
        if told.advance is Advance.BEGUN:
            work.change(self.records, one.name, JobState.BEGUN, machine=told.machine)
            if one.action is Action.MEASURE:
                reason = f"on {told.machine}"
                advance(self.records, one.submission, State.MEASURING, reason)
        elif told.advance is Advance.REFUSED:
            self._refused(one, told)
        else:
            await self._done(one, told)

    def _refused(self, one: work.JobRecord, told: Tidings) -> None:
        """Record that a machine will not; another may take what is to be judged."""
        if one.action is Action.JUDGE:
            work.change(self.records, one.name, JobState.PUT, reason=told.reason)
            return
        work.change(self.records, one.name, JobState.REFUSED, reason=told.reason)
        left = {each.state for each in self._measured(one.submission)}
        if left <= {JobState.REFUSED, JobState.DECLINED}:
            advance(self.records, one.submission, State.REFUSED,
                    f"no machine measures it: {told.reason}")  # fmt: skip

    async def _done(self, one: work.JobRecord, told: Tidings) -> None:
        """Take the results of a job; a bundle that cannot be believed is none."""
        path = self.folder.bundles / told.bundle
        try:
            await self.queue.download(told.bundle, path)
            sender = await self._sender(told.machine)
            if one.action is Action.JUDGE:
                found, judgement = await asyncio.to_thread(judged_by, path, sender)
            else:
                found = await asyncio.to_thread(
                    import_bundle, path, self.folder, one.name, sender, told.reason
                )
        except QueueUnreachableError:
            raise
        except AssayError as error:
            reason = f"the results of {told.machine} cannot be taken: {error}"
            log.warning("%s: %s", one.name, reason)
            await self._unbelieved(one, told, reason)
            return
        if one.action is Action.MEASURE:  # the site may have been made of others' results before
            write_below(self.folder.root, STALE, one.name)
        given = {**asdict(found), "bundle": told.bundle, "machine": told.machine}
        work.change(self.records, one.name, JobState.DONE, **given)
        if one.action is Action.JUDGE:
            self._judge(one, judgement.verdict, judgement.reason)

    async def _sender(self, machine: str) -> Sender:
        """Return who a worker says that it is."""
        known = (await self.queue.machines()).get(machine)
        return Sender(machine, known[0].key if known else "")

    async def _unbelieved(self, one: work.JobRecord, told: Tidings, reason: str) -> None:
        """Have a package judged by another job, a few times; what was measured is refused."""
        if one.action is Action.MEASURE:
            self._refused(one, Tidings(one.name, told.machine, Advance.REFUSED, reason=reason))
            return
        work.change(self.records, one.name, JobState.REFUSED, reason=reason)
        attempts = sum(
            each.lane == one.lane for each in work.jobs_of(self.records, one.submission)
        )
        if attempts == MOST_ATTEMPTS:
            advance(self.records, one.submission, State.REFUSED, f"nobody judges it: {reason}")
            return
        row = work.planned(one.submission, one.action, one.where, attempt=attempts + 1)
        await self._put_all(work.add(self.records, [row]))

    def _judge(self, one: work.JobRecord, verdict: Verdict, reason: str) -> None:
        """Refuse what failed; what passed everywhere goes on."""
        if verdict in (Verdict.FAIL, Verdict.SKIPPED):
            advance(self.records, one.submission, State.REFUSED, f"{one.where}: {reason}")
            return
        mine = work.jobs_of(self.records, one.submission)
        asked = {each.state for each in mine if each.action is Action.JUDGE}
        if asked <= {JobState.DONE, JobState.REFUSED}:
            said = "" if verdict is Verdict.PASS else f"{verdict}: {reason}"
            advance(self.records, one.submission, State.JUDGED, said)

    def _measured(self, submission: str) -> list[work.JobRecord]:
        return [one for one in work.jobs_of(self.records, submission)
                if one.action is Action.MEASURE]  # fmt: skip

    async def publish(self) -> None:
        """Make the site anew if results came, and say of whom they are."""
        ready = [
            one for one in in_state(self.records, State.WAITING, State.MEASURING)
            if any(each.folder for each in self._measured(one.id))
        ]  # fmt: skip
        withdrawn = self.stale.read_bytes() if self.stale.exists() else b""
        if not (ready or withdrawn):
            return
        await make_site(self.folder)
        if withdrawn and self.stale.read_bytes() == withdrawn:  # and nothing since
            remove_below(self.folder.root, self.stale.name)
        for one in ready:
            advance(self.records, one.id, State.PUBLISHED)

    @property
    def stale(self) -> Path:
        """Return the file that says that the site has more than the results."""
        return self.folder.root / STALE


async def _again(
    step: Callable[[], Awaitable[None]], seconds: float, *, once: bool = False
) -> None:
    """Do a step again and again, or until it was done once, whatever trouble it has."""
    while True:
        try:
            await step()
            if once:
                return
            await asyncio.sleep(seconds)
        except (AssayError, OSError, OperationalError) as error:  # a full disk, no queue
            log.warning("%s; trying again", error)
            await asyncio.sleep(AFTER_TROUBLE_SECONDS)
        except Exception:  # a fault of one step must not end the others
            log.exception("a fault of the service; trying again")
            await asyncio.sleep(AFTER_TROUBLE_SECONDS)

# SPDX-License-Identifier: MIT
"""What a worker does with jobs, whatever happens meanwhile; a mock does the jobs themselves."""

import asyncio
import hashlib
import io
import tarfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.mock.queue import MemoryQueue

from assay.errors import UsageError
from assay.fleet import worker as module
from assay.fleet.jobs import FORMAT, Action, Advance, Job, Registration
from assay.fleet.labour import UndoneJobError, words_of
from assay.fleet.machine import Workplace
from assay.fleet.shelf import DRAINING, PAUSED, RESULTS, Shelf
from assay.fleet.verdict import Judgement
from assay.fleet.worker import Until, Worker
from assay.model import Verdict

ROOT = Path(__file__).parents[3]
HASH = "submissions/supercop/crypto_hash/sha256/ref"
PATIENT_SECONDS = 20.0


def packed(*members: tuple[str, bytes]) -> bytes:
    """Return an archive with a package of the SUPERCOP API, or with these members."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        if not members:
            tar.add(ROOT / HASH, "crypto_hash/sha256/ref")
        for name, content in members:
            one = tarfile.TarInfo(name)
            one.size = len(content)
            tar.addfile(one, io.BytesIO(content))
    return file.getvalue()


@dataclass
class World:
    """A worker's folder, its queue, what it said, and who does its jobs."""

    folder: Path
    queue: MemoryQueue = field(default_factory=MemoryQueue)
    said: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    labour: Callable[[], Awaitable[None]] | None = None
    refused: frozenset[str] = frozenset()
    told: asyncio.Event = field(default_factory=asyncio.Event)  # that the queue is out of reach

    def say(self, text: str) -> None:
        """Hear what the worker prints."""
        self.said.append(text)
        if "cannot be reached" in text:
            self.told.set()

    @property
    def place(self) -> Workplace:
        """The machine."""
        return Workplace("m", self.folder, "limits", ("native",), refused=self.refused)

    def job(self, archive: bytes | None = None, **fields: object) -> Job:
        """Put a job."""
        content = packed() if archive is None else archive
        digest = hashlib.sha256(content).hexdigest()
        self.queue.files[digest] = content
        job = Job("one", "judge.native", Action.JUDGE, digest, "alice")
        job = replace(job, **fields)
        self.queue.jobs.append(job)
        return job

    def worker(self) -> Worker:
        """Make the worker, as it is after each start."""

        async def labour(job: Job, place: Workplace, folder: Path) -> Judgement:
            del place
            self.done.append(job.name)
            if self.labour is not None:
                await self.labour()
            (folder / RESULTS).mkdir(exist_ok=True)
            return Judgement(Verdict.FAIL, "a/b: wrong")

        def bundle(results: Path, file: Path) -> None:
            assert results.is_dir()
            file.write_bytes(b"a bundle")

        entry = Registration("m", self.place.lanes(), "0.1.0", {})
        return Worker(self.place, self.queue, entry, bundle, self.say, labour)

    def work(self, until: Until | None = None) -> None:
        """Work until there is nothing to do, or as long as a test says."""

        async def run() -> None:
            async with asyncio.timeout(PATIENT_SECONDS):
                await self.worker().work(until or Until(idle=True))

        asyncio.run(run())

    def left(self) -> list[str]:
        """Return the folders of jobs that are still there."""
        jobs = self.folder / "jobs"
        return [one.name for one in jobs.iterdir()] if jobs.is_dir() else []


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Give a worker that waits for nothing long."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.02)
    monkeypatch.setattr(module, "LEAST_FREE_BYTES", 0)
    folder = tmp_path / "worker"
    folder.mkdir()
    return World(folder)


def test_a_job_ends_with_its_bundle_and_its_verdict(world: World) -> None:
    """The server hears of the beginning and of the end, and the queue has the results."""
    world.job()
    world.work()
    begun, done = world.queue.news
    assert (begun.advance, begun.machine) == (Advance.BEGUN, "m")
    assert (done.advance, done.reason) == (Advance.DONE, "fail: a/b: wrong")
    assert world.queue.files[done.bundle] == b"a bundle"
    assert world.queue.claims[0].ended
    assert world.left() == []


def test_a_job_that_comes_again_is_answered_and_not_done_again(world: World) -> None:
    """A worker that was killed after its news, and before it let the job go, gets it again."""
    job = world.job()
    world.work()
    world.queue.jobs.append(job)
    world.work()
    assert world.done == ["one"]
    first, second = world.queue.heard(Advance.DONE)
    assert first == second
    assert world.queue.claims[1].ended


def test_results_are_kept_while_the_queue_is_out_of_reach(world: World) -> None:
    """The worker says so once, and sends them when the queue is back."""
    world.job()

    async def cut() -> None:
        world.queue.down = True
        asyncio.get_running_loop().call_later(0.4, setattr, world.queue, "down", False)

    world.labour = cut
    world.work()
    assert world.done == ["one"]
    assert len(world.queue.heard(Advance.DONE)) == 1
    assert sum("cannot be reached" in line for line in world.said) == 1
    assert sum("reached again" in line for line in world.said) == 1


def test_a_job_that_comes_again_is_done_again_where_the_queue_has_lost_its_results(
    world: World,
) -> None:
    """A service was restored from a backup that is older than the job's end."""
    job = world.job()
    world.work()
    (told,) = world.queue.heard(Advance.DONE)
    del world.queue.files[told.bundle]
    world.queue.jobs.append(job)
    world.work()
    assert world.done == ["one", "one"]
    assert told.bundle in world.queue.files


def test_results_that_were_kept_are_told_after_the_next_start(world: World) -> None:
    """Killed with results that nobody had heard of, it tells them and does nothing again."""
    job = world.job()

    async def cut() -> None:
        world.queue.down = True

    world.labour = cut

    async def killed() -> None:
        task = asyncio.create_task(world.worker().work())
        await world.told.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(killed())
    assert world.queue.heard(Advance.DONE) == []
    world.queue.down = False
    world.queue.jobs.append(job)
    world.work()
    assert world.done == ["one"]
    assert len({one.bundle for one in world.queue.heard(Advance.DONE)}) == 1


@pytest.mark.parametrize(("lane", "ended"), [("judge.native", False), ("measure.m", True)])
def test_the_owner_refuses_an_account_in_words(world: World, lane: str, ended: bool) -> None:
    """Another worker may judge; what this machine alone can measure is refused."""
    world.refused = frozenset({"alice"})
    world.job(lane=lane, action=Action(lane.partition(".")[0]))
    world.work(Until(one=True))
    (news,) = world.queue.news
    assert news.advance is Advance.REFUSED
    assert news.reason == "the owner of m takes no jobs of alice"
    assert world.queue.claims[0].ended is ended
    assert bool(world.queue.given_back) is not ended
    assert world.done == []


def test_a_job_of_another_version_is_left_to_others_in_words(world: World) -> None:
    """Two versions of Assay in one fleet: who speaks another format says what to install."""
    world.job(format=FORMAT + 1)
    world.work(Until(one=True))
    (news,) = world.queue.news
    assert news.advance is Advance.REFUSED
    assert f"format {FORMAT}, and this one has {FORMAT + 1}" in news.reason
    assert world.queue.given_back
    assert world.done == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"options": ("--jail", "limits")}, "no option '--jail'"),
        ({"options": ("--deep", "--results", "/")}, "no option '--results'"),
        ({"packages": ("../../..",)}, "no package '../../..'"),
        ({"packages": ("crypto_hash/md5",)}, "no package"),
        ({"archive": b"no archive"}, "the archive is refused"),
        ({"archive": packed(("a/notes.txt", b"hello"))}, "no package"),
        ({"archive": packed(("../evil", b""))}, "the archive is refused"),
    ],
)
def test_what_cannot_be_done_is_refused_for_good(
    world: World, fields: dict[str, object], reason: str
) -> None:
    """Nothing of such a submission is executed, and the submitter reads why."""
    world.job(**fields)  # type: ignore[arg-type]
    world.work()
    (news,) = world.queue.heard(Advance.REFUSED)
    assert reason in news.reason
    assert world.queue.claims[0].ended
    assert (world.done, world.left()) == ([], [])


@pytest.mark.parametrize("error", [UndoneJobError("the disk is full"), KeyError("odd")])
def test_a_job_that_cannot_be_done_now_is_tried_again_and_refused_at_last(
    world: World, error: Exception
) -> None:
    """A machine's trouble passes, or the submitter hears of it; the worker goes on."""
    world.job()

    async def fail() -> None:
        raise error

    world.labour = fail
    world.work()
    assert world.done == ["one"] * 4
    assert [delay for _, delay in world.queue.given_back] == list(module.AGAIN_SECONDS)
    (news,) = world.queue.heard(Advance.REFUSED)
    assert "the disk is full" in news.reason or "Assay itself failed: KeyError" in news.reason


def test_a_job_that_another_worker_has_by_now_is_left_to_it(world: World) -> None:
    """It is ended, and nothing is told of it."""
    world.job()
    ended: list[str] = []

    async def long() -> None:
        world.queue.claims[0].lost = True
        try:
            await asyncio.sleep(PATIENT_SECONDS)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    world.labour = long
    world.work(Until(one=True))
    assert ended == ["cancelled"]
    assert world.queue.heard(Advance.DONE) == []


def test_who_is_interrupted_gives_its_job_back(world: World) -> None:
    """Another worker need not wait until this one counts as silent."""
    world.job()

    async def interrupted() -> None:
        task = asyncio.create_task(world.worker().work())

        async def cut() -> None:
            asyncio.get_running_loop().call_soon(task.cancel)
            await asyncio.sleep(PATIENT_SECONDS)

        world.labour = cut
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    assert world.queue.given_back == [("one", 0.0)]


def test_the_owner_pauses_and_drains(world: World) -> None:
    """No job is taken meanwhile, and the server hears of both."""
    world.job()
    shelf = Shelf(world.folder)
    shelf.want(PAUSED)
    world.work(Until(idle=True))
    shelf.want(DRAINING)
    world.work(Until())
    assert (world.done, world.queue.claims) == ([], [])
    assert [one.state for one in world.queue.known] == [PAUSED, DRAINING]


def test_a_folder_has_one_worker(world: World) -> None:
    """The second is told how to name another folder."""
    with (
        Shelf(world.folder).alone(),
        pytest.raises(UsageError, match="another worker") as refused,
        Shelf(world.folder).alone(),
    ):
        pass
    assert "--folder" in refused.value.cure


def test_the_commands_of_a_job_are_those_of_a_user(world: World) -> None:
    """The jail is the owner's, whatever the job says; a target is where it is not this machine."""
    job = Job("one", "judge.native", Action.JUDGE, "", "", options=("--deep",))
    words = words_of(job, world.place, ("p",), Path("r"))
    assert words == ("check", "p", "--results", "r", "--jail", "limits", "--deep")
    avr = Workplace("avr", world.folder, "bubblewrap", ("native",))
    measured = words_of(replace(job, action=Action.MEASURE), avr, ("p",), Path("r"))
    assert measured[:4] == ("run", "p", "--best", "5")
    named = replace(job, action=Action.MEASURE, options=("--best", "2"))
    assert words_of(named, avr, ("p",), Path("r")).count("--best") == 1


def test_a_machine_has_a_name_that_can_be_a_lane(tmp_path: Path) -> None:
    """Lanes are subjects of a message broker: dots and stars mean something there."""
    with pytest.raises(UsageError, match="cannot be a machine's name"):
        Workplace("a.b", tmp_path, "bubblewrap")

# SPDX-License-Identifier: MIT
"""Both engines of the queue behave alike: every test here runs on each of them."""

import asyncio
import hashlib
import multiprocessing
import random
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.unit.fleet.nats_server import nats_server

from assay.errors import AssayError, UsageError
from assay.fleet.jobs import Action, Advance, Job, Registration, Tidings
from assay.fleet.queue import ClaimLostError, Queue, QueueError, QueueUnreachableError, open_queue

PATIENCE_S = 1.0
LANE = "judge.x86-64"
Scene = Callable[[Queue], Coroutine[object, object, None]]


@pytest.fixture(params=["folder", "nats"])
def url(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Lend the address of an empty queue of each engine."""
    if request.param == "folder":
        yield str(tmp_path / "queue")
        return
    with nats_server(tmp_path / "nats") as server:
        yield server.url


@asynccontextmanager
async def opened(url: str, patience: float = PATIENCE_S) -> AsyncIterator[Queue]:
    """Lend a queue."""
    queue = await open_queue(url, patience)
    try:
        yield queue
    finally:
        await queue.close()


def play(url: str, scene: Scene, patience: float = PATIENCE_S) -> None:
    """Run a scene with a queue."""

    async def played() -> None:
        async with opened(url, patience) as queue:
            await scene(queue)

    asyncio.run(played())


def job(name: str, lane: str = LANE) -> Job:
    """Return a job."""
    return Job(name, lane, Action.JUDGE, "0" * 64, "alice", ("crypto_hash/x",), ("--quick",))


def test_a_job_is_taken_as_it_was_put_and_only_once(url: str) -> None:
    """Every field arrives; a second worker gets nothing."""

    async def scene(queue: Queue) -> None:
        assert await queue.put(job("one"))
        claim = await queue.take([LANE], 1)
        assert claim is not None
        assert claim.job == job("one")
        assert await queue.take([LANE], 0.1) is None
        await claim.done()
        assert await queue.take([LANE], 0.1) is None

    play(url, scene)


def test_a_name_is_put_once(url: str) -> None:
    """A server that was killed puts its jobs again: waiting, held or done, none is doubled."""

    async def scene(queue: Queue) -> None:
        assert await queue.put(job("one"))
        assert not await queue.put(job("one"))
        claim = await queue.take([LANE], 1)
        assert claim is not None
        assert not await queue.put(job("one"))
        await claim.done()
        assert not await queue.put(job("one"))
        assert await queue.waiting() == {}

    play(url, scene)


def test_jobs_of_a_lane_come_in_the_order_in_which_they_were_put(url: str) -> None:
    """First come, first served."""

    async def scene(queue: Queue) -> None:
        names = [f"job {number}" for number in range(5)]
        for name in names:
            await queue.put(job(name))
        taken = [await queue.take([LANE], 1) for _ in names]
        assert [one.job.name for one in taken if one] == names

    play(url, scene)


def test_only_jobs_of_the_lanes_are_taken_in_the_order_of_the_lanes(url: str) -> None:
    """Names of lanes may have any characters, also those that mean something to an engine."""
    odd = "measure.Zoë's *.> machine"

    async def scene(queue: Queue) -> None:
        await queue.put(job("other", "judge.avr"))
        await queue.put(job("second", LANE))
        await queue.put(job("first", odd))
        assert await queue.waiting() == {"judge.avr": 1, LANE: 1, odd: 1}
        for name in ("first", "second"):
            claim = await queue.take([odd, LANE], 1)
            assert claim is not None
            assert claim.job.name == name
        assert await queue.take([odd, LANE], 0.1) is None

    play(url, scene)


def test_who_waits_gets_a_job_that_is_put_later(url: str) -> None:
    """A worker waits for any of its lanes."""

    async def scene(queue: Queue) -> None:
        waits = asyncio.create_task(queue.take(["judge.avr", LANE], 10))
        await asyncio.sleep(0.3)
        async with opened(url) as server:
            await server.put(job("late"))
        claim = await waits
        assert claim is not None
        assert claim.job.name == "late"

    play(url, scene)


def test_a_job_of_a_silent_worker_is_anothers(url: str) -> None:
    """And the first, when it comes back, is told that it is no longer its job."""

    async def scene(queue: Queue) -> None:
        await queue.put(job("one"))
        first = await queue.take([LANE], 1)
        assert first is not None
        async with opened(url) as other:
            second = await other.take([LANE], 10)
            assert second is not None
            assert second.job == first.job
            for call in (first.alive, first.done):
                with pytest.raises(ClaimLostError, match="one"):
                    await call()
            await first.give_back()
            await second.alive()
            await second.done()
        assert await queue.take([LANE], 0.1) is None

    play(url, scene)


def test_a_claim_that_is_kept_alive_stays(url: str) -> None:
    """Heartbeats count from the last one."""

    async def scene(queue: Queue) -> None:
        await queue.put(job("long"))
        claim = await queue.take([LANE], 1)
        assert claim is not None
        async with opened(url) as other:
            for _ in range(6):
                await claim.alive()
                assert await other.take([LANE], PATIENCE_S / 2) is None
        await claim.done()

    play(url, scene)


@pytest.mark.parametrize("hours", [-5, 5])
def test_a_clock_that_is_set_changes_no_claim(
    url: str, hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is a claim that is kept lost, nor does one of a silent worker stay for hours."""

    async def scene(queue: Queue) -> None:
        await queue.put(job("one"))
        claim = await queue.take([LANE], 1)
        assert claim is not None
        monkeypatch.setattr(time, "time", lambda: time.clock_gettime(0) + hours * 3600)
        async with opened(url) as other:
            assert await other.take([LANE], 0) is None
            await claim.alive()
            assert await other.take([LANE], 10) is not None

    play(url, scene)


def test_what_is_given_back_is_anothers_after_the_delay(url: str) -> None:
    """Not before it, and at once without one."""

    async def scene(queue: Queue) -> None:
        await queue.put(job("one"))
        claim = await queue.take([LANE], 1)
        assert claim is not None
        await claim.give_back()
        claim = await queue.take([LANE], 1)
        assert claim is not None
        await claim.give_back(1.5)
        with pytest.raises(ClaimLostError):
            await claim.done()
        assert await queue.take([LANE], 0.3) is None
        assert await queue.take([LANE], 10) is not None

    play(url, scene)


def test_only_a_job_that_nobody_has_taken_can_be_withdrawn(url: str) -> None:
    """It is never taken then, and its name stays used."""

    async def scene(queue: Queue) -> None:
        assert not await queue.withdraw("unknown")
        for name in ("first", "second"):
            await queue.put(job(name))
        claim = await queue.take([LANE], 1)
        assert claim is not None
        assert not await queue.withdraw("first")
        assert await queue.withdraw("second")
        assert not await queue.put(job("second"))
        assert await queue.waiting() == {}
        assert await queue.take([LANE], 0.1) is None
        await claim.done()
        assert not await queue.withdraw("first")

    play(url, scene)


def test_files_come_back_by_their_digest(url: str, tmp_path: Path) -> None:
    """Two megabytes, an empty file, and one that is kept twice."""
    large = tmp_path / "large"
    large.write_bytes(bytes(range(256)) * 8192)
    empty = tmp_path / "empty"
    empty.touch()

    async def scene(queue: Queue) -> None:
        for file in (large, empty, large):
            digest = await queue.upload(file)
            assert digest == hashlib.sha256(file.read_bytes()).hexdigest()
            await queue.download(digest, tmp_path / "copy")
            assert (tmp_path / "copy").read_bytes() == file.read_bytes()

    play(url, scene)


def test_a_file_that_is_absent_or_forgotten_is_named(url: str, tmp_path: Path) -> None:
    """Nothing appears at the path, and a path is no digest."""
    file = tmp_path / "file"
    file.write_text("content")

    async def scene(queue: Queue) -> None:
        digest = await queue.upload(file)
        await queue.forget(digest)
        await queue.forget(digest)
        for wrong in (digest, "1" * 64, "../../etc/passwd", ""):
            with pytest.raises(QueueError, match=r"has no file|is no SHA-256"):
                await queue.download(wrong, tmp_path / "copy")
        assert not (tmp_path / "copy").exists()

    play(url, scene)


def test_tidings_reach_a_server_that_starts_later_and_one_that_was_killed(url: str) -> None:
    """What a server had not finished with when it ended comes again; the rest does not."""
    news = [Tidings(f"job {n}", "machine", Advance.DONE, "2" * 64, "Zoë: <b>") for n in range(3)]

    async def scene(queue: Queue) -> None:
        for one in news:
            await queue.tell(one)
        seen = []
        async with opened(url) as server:
            async for one in server.tidings():
                seen.append(one)
                if len(seen) == 2:
                    break
        async with opened(url) as server:
            async for one in server.tidings():
                seen.append(one)
                if one == news[2]:
                    break
        assert seen == [news[0], news[1], news[1], news[2]]

    play(url, scene)


def test_machines_are_known_by_their_last_word(url: str) -> None:
    """With the time of it, which is the queue's and not the worker's."""
    first = Registration("Zoë's *", (LANE,), "0.1.0", {"cpu": "6502"})
    later = Registration("Zoë's *", (LANE, "judge.avr"), "0.1.0", {"cpu": "6502"}, "key", "paused")
    other = Registration("b", (), "0.1.0", {})

    async def scene(queue: Queue) -> None:
        assert await queue.machines() == {}
        for one in (first, other, later):
            await queue.register(one)
        machines = await queue.machines()
        assert {name: known for name, (known, _) in machines.items()} == {
            "Zoë's *": later,
            "b": other,
        }
        assert machines["Zoë's *"][1] >= machines["b"][1] > 1.7e9

    play(url, scene)


def test_a_closed_queue_says_so(url: str) -> None:
    """It can be closed twice."""

    async def scene(queue: Queue) -> None:
        await queue.close()
        with pytest.raises(QueueError, match="closed"):
            await queue.put(job("one"))

    play(url, scene)


@pytest.mark.parametrize("url", ["http://host/", "nats+x://host", "file://elsewhere/queue"])
def test_an_address_of_no_queue_is_refused(url: str) -> None:
    """With what would be one."""
    with pytest.raises(UsageError, match="no address of a queue") as caught:
        asyncio.run(open_queue(url))
    assert "nats://" in caught.value.cure
    assert isinstance(caught.value, AssayError)


async def churn(url: str, names: Sequence[str], ended: Path) -> None:
    """Put all jobs, then do what there is, until nothing is left that another might hold."""
    async with opened(url) as queue:
        for name in names:
            await queue.put(job(name))
        while claim := await queue.take([LANE], 4 * PATIENCE_S):
            await queue.tell(Tidings(claim.job.name, "machine", Advance.DONE))
            with suppress(ClaimLostError):
                await claim.done()
                with ended.open("a") as file:
                    file.write(f"{claim.job.name}\n")


def test_processes_that_are_killed_lose_no_job_and_end_none_twice(
    url: str, tmp_path: Path
) -> None:
    """`kill -9` at random moments while jobs are put, taken, told of and ended."""
    names = [f"job {number}" for number in range(40)]
    ended = tmp_path / "ended"
    chance = random.Random(1)
    fork = multiprocessing.get_context("fork")
    for moment in [*(chance.uniform(0.02, 0.4) for _ in range(8)), None]:
        process = fork.Process(target=lambda: asyncio.run(churn(url, names, ended)))
        process.start()
        process.join(moment)
        process.kill()
        process.join()
    told = set()

    async def scene(queue: Queue) -> None:
        assert await queue.waiting() == {}
        async for news in queue.tidings():
            told.add(news.job)
            if len(told) == len(names):
                break

    play(url, scene)
    assert told == set(names)
    lines = ended.read_text().splitlines()
    assert len(lines) == len(set(lines))


def test_a_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    """The newer refuses the older's queue, and the older the newer's."""
    asyncio.run(taken_once(tmp_path / "new"))
    about = tmp_path / "new" / "about"
    assert about.read_text() == "Assay, format 1"
    for other in ("Assay, format 0", "Assay, format 2"):
        about.write_text(other)
        with pytest.raises(QueueError, match=f"is of {other}; this is Assay, format 1"):
            asyncio.run(taken_once(tmp_path / "new"))


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """A file in its place, and a data base that is none."""
    (tmp_path / "file").touch()
    with pytest.raises(QueueUnreachableError, match=r"the queue in .*file cannot be used"):
        asyncio.run(taken_once(tmp_path / "file"))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "broker.sqlite").write_text("no data base" * 1000)
    with pytest.raises(QueueUnreachableError, match=r"the queue in .*damaged cannot be used"):
        asyncio.run(taken_once(tmp_path / "damaged"))


async def taken_once(folder: Path) -> None:
    """Open a queue and close it."""
    async with opened(str(folder)):
        pass

# SPDX-License-Identifier: MIT
"""The load trial: many workers that only pretend to work, on one nats-server of this machine.

`./scripts/load-fleet` runs it. Half of the jobs are for any worker (one lane), half for the
workers of one machine (a lane each). A pretended job is what a queue sees of a true one: it is
taken, kept alive once, told of and ended. At the end every job must have been told of once and
ended once.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
from tests.unit.fleet.nats_server import start

from assay.fleet.jobs import Action, Advance, Job, Registration, Tidings
from assay.fleet.queue import ClaimLostError, Queue, QueueUnreachableError, open_queue

SHARED = "judge.x86-64"
AT_ONCE = 50  # jobs that are put at the same time
IDLE_S = 15.0
AGAIN_S = 0.5


@dataclass(frozen=True)
class Figures:
    """What one trial gave; memory and processor time are nats-server's alone."""

    workers: int
    jobs: int
    put_s: float
    done_s: float
    told_twice: int
    ended: int
    lost: int
    asked_again: int
    empty_mib: float
    connected_mib: float
    full_mib: float
    peak_mib: float
    cpu_s: float
    disk_mib: float


def job(number: int, workers: int) -> Job:
    """Return one of the jobs: of the lane of all, or of one machine's."""
    lane = f"measure.machine-{number // 2 % workers}" if number % 2 else SHARED
    return Job(f"job-{number}", lane, Action.JUDGE, f"{number:064x}", "load")


async def put_all(url: str, jobs: int, workers: int) -> None:
    """Put all jobs, many at the same time."""
    queue = await open_queue(url)
    numbers = iter(range(jobs))

    async def put() -> None:
        for number in numbers:
            await persist(queue, job(number, workers))

    await asyncio.gather(*(put() for _ in range(AT_ONCE)))
    assert sum((await queue.waiting()).values()) == jobs
    await queue.close()


async def persist(queue: Queue, wanted: Job) -> None:
    """Put a job, again if the server is too busy to answer."""
    while True:
        try:
            await queue.put(wanted)
        except QueueUnreachableError:
            await asyncio.sleep(AGAIN_S)
        else:
            return


async def work(url: str, number: int, counts: Counter[str], ready: asyncio.Event) -> None:
    """Pretend to be a worker until there is nothing more to do."""
    queue = await open_queue(url)
    machine = f"machine-{number}"
    lanes = (f"measure.{machine}", SHARED)
    await queue.register(Registration(machine, lanes, "0", {"processor": "pretended"}))
    counts["connected"] += 1
    await ready.wait()
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < IDLE_S:
        try:
            if await one(queue, machine, lanes):
                counts["ended"] += 1
                idle_since = time.monotonic()
        except ClaimLostError:
            counts["lost"] += 1
        except QueueUnreachableError:
            counts["again"] += 1
            await asyncio.sleep(AGAIN_S)
    await queue.close()


async def one(queue: Queue, machine: str, lanes: Sequence[str]) -> bool:
    """Do one job as far as a queue sees it; return whether there was one."""
    claim = await queue.take(lanes, IDLE_S / 3)
    if claim is None:
        return False
    await claim.alive()
    await queue.tell(Tidings(claim.job.name, machine, Advance.DONE, "0" * 64))
    await claim.done()
    return True


async def work_all(url: str, first: int, count: int) -> None:
    """Be so many workers; begin when a line is read, and print what was counted."""
    counts: Counter[str] = Counter()
    ready = asyncio.Event()
    tasks = [asyncio.create_task(work(url, first + each, counts, ready)) for each in range(count)]
    while counts["connected"] < count:
        await asyncio.sleep(0.1)
        for task in tasks:
            if task.done():
                task.result()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    ready.set()
    await asyncio.gather(*tasks)
    print(json.dumps(counts), flush=True)


async def listen(url: str, jobs: int, server: psutil.Process) -> tuple[Counter[str], int]:
    """Return how often each job was told of, when all were, and the most memory seen."""
    queue = await open_queue(url)
    told: Counter[str] = Counter()
    peak = 0
    news = queue.tidings()
    async for tidings in news:
        told[tidings.job] += 1
        if len(told) % 100 == 0:
            peak = max(peak, server.memory_info().rss)
        if len(told) % 5000 == 0:
            print(f"  {len(told)} of {jobs}", file=sys.stderr)
        if len(told) == jobs:
            break
    with suppress(AttributeError):
        await news.aclose()  # type: ignore[attr-defined]
    await queue.close()
    return told, peak


def mib(bytes_: float) -> float:
    """Return mebibytes."""
    return round(bytes_ / 2**20, 1)


def trial(workers: int, jobs: int, processes: int) -> Figures:
    """Run one trial with a server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = start(Path(folder, "nats"))
        helpers: list[subprocess.Popen[str]] = []
        try:
            return measured(
                server.url,
                psutil.Process(server.process.pid),
                helpers,
                folder,
                workers,
                jobs,
                processes,
            )
        finally:
            for helper in helpers:
                helper.kill()
                helper.wait()
            server.process.kill()
            server.process.wait()


def measured(
    url: str,
    server: psutil.Process,
    helpers: list[subprocess.Popen[str]],
    folder: str,
    workers: int,
    jobs: int,
    processes: int,
) -> Figures:
    """Put the jobs, let the workers connect, begin, and wait for the last word."""

    def memory() -> float:
        return mib(server.memory_info().rss)

    asyncio.run(empty(url))
    before = memory()
    share = workers // processes
    for each in range(processes):
        command = [sys.executable, "-m", "tests.unit.fleet.load", "--url", url]
        command += ["--first", str(each * share), "--workers", str(share)]
        helpers.append(subprocess.Popen(command, stdin=-1, stdout=-1, text=True))
    for helper in helpers:
        assert helper.stdout is not None
        assert helper.stdout.readline() == "ready\n"
    connected = memory()
    began = time.monotonic()
    asyncio.run(put_all(url, jobs, workers))
    put_s = time.monotonic() - began
    full = memory()
    began = time.monotonic()
    for helper in helpers:
        assert helper.stdin is not None
        helper.stdin.write("begin\n")
        helper.stdin.flush()
    told, peak = asyncio.run(listen(url, jobs, server))
    done_s = time.monotonic() - began
    counts: Counter[str] = Counter()
    for helper in helpers:
        assert helper.stdout is not None
        counts.update(json.loads(helper.stdout.readline()))
    times = server.cpu_times()
    disk = sum(one.stat().st_size for one in Path(folder).rglob("*") if one.is_file())
    return Figures(
        workers,
        jobs,
        round(put_s, 1),
        round(done_s, 1),
        told.total() - jobs,
        counts["ended"],
        counts["lost"],
        counts["again"],
        before,
        connected,
        full,
        mib(peak),
        round(times.user + times.system, 1),
        mib(disk),
    )


async def empty(url: str) -> None:
    """Make the streams."""
    await (await open_queue(url)).close()


def main() -> None:
    """Run a trial, or be the workers of one."""
    parser = argparse.ArgumentParser(prog="./scripts/load-fleet", description=__doc__)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=2, help="that share the workers")
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.url:
        asyncio.run(work_all(given.url, given.first, given.workers))
        return
    figures = trial(given.workers, given.jobs, given.processes)
    for name, value in asdict(figures).items():
        print(f"{name:>14} {value}")
    print(f"{'done per s':>14} {figures.jobs / figures.done_s:.0f}")
    if figures.told_twice or figures.ended != figures.jobs:
        sys.exit("some jobs were not told of once and ended once")


if __name__ == "__main__":
    main()

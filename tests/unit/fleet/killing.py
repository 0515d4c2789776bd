# SPDX-License-Identifier: MIT
"""Three workers, a server and their queue, any of which is killed at any moment."""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import psutil
from tests.unit.campaign.conftest import MHZ, configuration

from assay.configure.folder import write_configurations, write_cpuinfo, write_shortlist
from assay.fleet.bundle import open_bundle
from assay.fleet.jobs import Action, Job
from assay.fleet.queue import QueueUnreachableError, open_queue
from assay.model import Launch
from assay.store import Store

ROOT = Path(__file__).parents[3]
MACHINES = ("ash", "beech", "cedar")
PATIENCE_SECONDS = 3.0  # of the queue
MEAN_SECONDS, LONGEST_SECONDS = 4.0, 15.0  # from kill to kill: mostly soon, and long at times
MOST_SECONDS = 300.0  # without an answer
OPTIONS = ("--glance", "--launches", "3", "--samples", "2", "--best", "1")

# `assay work`, which waits for nothing long.
WORKER = f"""
import functools, sys
from assay.cli import work
from assay.cli.main import main
from assay.fleet import worker
work.open_queue = functools.partial(work.open_queue, patience={PATIENCE_SECONDS})
worker.AGAIN_SECONDS = (0.2,) * 1000
sys.argv[0] = "assay"
main()
"""

# What a server does with news: the first end of a job counts.
SERVER = f"""
import asyncio, json, sys
from msgspec.structs import asdict
from pathlib import Path
from assay.fleet.queue import open_queue
from assay.fleet.jobs import Advance
from assay.fleet.queue import QueueUnreachableError

async def serve(url, folder):
    queue = await open_queue(url, {PATIENCE_SECONDS})
    async for news in queue.tidings():
        with (folder / "heard").open("a") as heard:
            heard.write(json.dumps(asdict(news)) + chr(10))
        if news.advance is Advance.DONE and not (folder / news.job).exists():
            await queue.download(news.bundle, folder / news.job)

async def main():
    while True:
        try:
            await serve(sys.argv[1], Path(sys.argv[2]))
        except QueueUnreachableError:
            await asyncio.sleep(0.2)

asyncio.run(main())
"""

Starters = dict[str, Callable[[], subprocess.Popen[bytes]]]


@dataclass
class Fleet:
    """The processes of a fleet on one machine, and what they leave."""

    base: Path
    url: str
    environment: dict[str, str]
    extra: Starters = field(default_factory=dict)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    killed: list[str] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)

    @property
    def published(self) -> Path:
        """The folder of the server."""
        return self.base / "published"

    def start(self, name: str) -> None:
        """Start a process, again if need be."""
        if name in self.extra:
            self.running[name] = self.extra[name]()
            return
        words = [sys.executable, *self.words(name)]
        with (self.base / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                words, env=self.environment, cwd=self.base, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def words(self, name: str) -> list[str]:
        """Return the program of a process, and its words."""
        if name not in MACHINES:
            return ["-c", SERVER, self.url, str(self.published)]
        place = str(self.base / name)
        return ["-c", WORKER, "work", "--queue", self.url, "--name", name, "--folder", place]

    def kill(self, chooser: random.Random) -> None:
        """Kill a worker, what it runs, the server or the queue's own server; start it again."""
        name = chooser.choice(sorted(self.running))
        process = self.running[name]
        if name in MACHINES and chooser.random() < 0.4:
            with contextlib.suppress(psutil.Error):
                below = psutil.Process(process.pid).children(recursive=True)
                if below:
                    chooser.choice(below).kill()
                    self.killed.append(f"a process of {name}")
                    return
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.killed.append(name)
        self.start(name)

    async def put(self, number: int, archive: Path) -> None:
        """Put the jobs of a submission, however long the queue cannot be reached."""
        measured = [
            Job(f"measure-{number}-{one}", f"measure.{one}", Action.MEASURE, "", "alice",
                options=OPTIONS) for one in MACHINES
        ]  # fmt: skip
        judged = Job(f"judge-{number}-native", "judge.native", Action.JUDGE, "", "alice")
        while True:
            try:
                queue = await open_queue(self.url, PATIENCE_SECONDS)
                digest = await queue.upload(archive)
                for one in (judged, *measured):
                    await queue.put(
                        Job(one.name, one.lane, one.action, digest, one.account, (), one.options)
                    )
                await queue.close()
            except QueueUnreachableError:
                await asyncio.sleep(0.2)
                continue
            self.jobs += (judged, *measured)
            return

    def missing(self) -> set[str]:
        """Return the jobs that the server has not heard the end of."""
        return {one.name for one in self.jobs if not (self.published / one.name).exists()}

    def heard(self) -> dict[str, set[str]]:
        """Return the bundles that the server heard of, by job."""
        found: dict[str, set[str]] = {}
        for line in (self.published / "heard").read_text().splitlines():
            with contextlib.suppress(ValueError):  # it was killed while it wrote
                said = json.loads(line)
                if said["bundle"]:
                    found.setdefault(said["job"], set()).add(said["bundle"])
        return found

    def launches(self, into: Path) -> list[Launch]:
        """Open all bundles as a server does; return the launches of all, by time."""
        found: list[Launch] = []
        for job in self.jobs:
            place = into / job.name
            place.mkdir()
            bundle = open_bundle(self.published / job.name, place)
            assert bundle.signature is not None
            assert job.action is Action.JUDGE or bundle.host == job.lane.partition(".")[2]
            with Store.open(bundle.results, read_only=True) as store:
                found += store.launch_heads()
        return sorted(found, key=lambda one: one.started_at)

    def ends(self) -> None:
        """End all processes, as their owner would."""
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            if process.poll() is None:
                process.kill()
                process.wait()


FleetT = TypeVar("FleetT", bound=Fleet)


def plan(base: Path) -> Path:
    """Configure the machines of a fleet; return the archive of a small package."""
    for name in MACHINES:
        reports = base / name / f"reports-{name}"
        write_configurations(reports, [configuration("gcc", "-O2")])
        write_shortlist(reports, "     20 gcc_default_O2\n")
        write_cpuinfo(reports, MHZ)
    (base / "published").mkdir()
    archive = base / "rc4.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(ROOT / "benchmarks" / "rc4" / "ref", "rc4/ref")
        tar.add(ROOT / "benchmarks" / "rc4" / "verified.test-vectors", "rc4/verified.test-vectors")
    return archive


@contextmanager
def fleet_of(
    kind: type[FleetT], base: Path, cache: Path, shared: Path, url: str, extra: Starters
) -> Iterator[tuple[FleetT, Path]]:
    """Lend a fleet that runs, and the archive that it works on."""
    archive = plan(base)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
        "XDG_CACHE_HOME": str(cache), "TMPDIR": str(shared), "HOME": str(base), "LC_ALL": "C",
    }  # fmt: skip
    fleet = kind(base, url, environment, extra)
    try:
        for name in (*fleet.extra, "server", *MACHINES):
            fleet.start(name)
        yield fleet, archive
    finally:
        fleet.ends()
        shutil.rmtree(shared, ignore_errors=True)


def campaign(fleet: Fleet, archive: Path, kills: int, seed: int) -> None:
    """Submit, kill so many processes meanwhile, and wait for the end of every job."""
    chooser = random.Random(seed)
    asyncio.run(fleet.put(0, archive))
    number, last, left = 1, time.monotonic(), len(fleet.missing())
    while len(fleet.killed) < kills or fleet.missing():
        if len(fleet.killed) < kills:
            time.sleep(min(chooser.expovariate(1 / MEAN_SECONDS), LONGEST_SECONDS))
            fleet.kill(chooser)
            if not fleet.missing():
                asyncio.run(fleet.put(number, archive))
                number += 1
        else:
            time.sleep(0.1)
        if len(fleet.missing()) != left:
            last, left = time.monotonic(), len(fleet.missing())
        assert time.monotonic() - last < MOST_SECONDS, fleet.missing()


def overlaps(launches: list[Launch]) -> list[tuple[str, str]]:
    """Return pairs of launches of which the second began before the first had ended.

    Beginnings are cut to milliseconds: a launch may have ended that much later.
    """
    cut = timedelta(milliseconds=1)
    times = [(datetime.fromisoformat(one.started_at), one.total_seconds) for one in launches]
    return [
        (str(begun), str(after))
        for (begun, seconds), (after, _) in pairwise(times)
        if after + cut < begun + timedelta(seconds=seconds)
    ]

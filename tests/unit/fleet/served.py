# SPDX-License-Identifier: MIT
"""A fleet whose server is `assay serve`: submissions by HTTP, and what it has published."""

import asyncio
import io
import json
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.objects import Json
from tests.unit.fleet.killing import MACHINES, OPTIONS, PATIENCE_SECONDS, Fleet

from assay.model import Launch
from assay.store import FILE_NAME, Store

ANSWER_SECONDS, START_SECONDS = 30.0, 120.0

# `assay serve`, which waits for nothing long, and has everything measured briefly.
SERVE = f"""
import functools, sys
from msgspec.structs import replace
from assay.cli.main import main
from assay.fleet.jobs import Action
from assay.service import running, work

whole = work.for_queue

def brief(*given):
    job = whole(*given)
    return replace(job, options={OPTIONS}) if job.action is Action.MEASURE else job

work.for_queue = brief
running.open_queue = functools.partial(running.open_queue, patience={PATIENCE_SECONDS})
sys.argv[0] = "assay"
main()
"""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@dataclass
class ServedFleet(Fleet):
    """Workers and a service."""

    port: int = field(default_factory=free_port)
    token: str = ""
    submissions: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=lambda: {"unknown"})

    @property
    def folder(self) -> Path:
        """The folder of the service."""
        return self.base / "service"

    def words(self, name: str) -> list[str]:
        """Return the program of a process, and its words."""
        if name in MACHINES:
            return super().words(name)
        return ["-c", SERVE, "serve", str(self.folder), "--queue", self.url, "--no-worker",
                "--port", str(self.port)]  # fmt: skip

    def enter(self) -> None:
        """Get a token, and wait until the service knows all machines."""
        words = ["-c", SERVE, "serve", str(self.folder), "--invite", "alice", "--administrator"]
        words += ["--waiting", "1000", "--daily", "1000"]
        code = subprocess.run(
            [sys.executable, *words], env=self.environment, check=True, capture_output=True
        ).stdout.decode().strip()  # fmt: skip
        self.token = self.patiently("tokens", {"code": code})["token"]
        until = time.monotonic() + START_SECONDS
        while len(self.patiently("machines")) < len(MACHINES):
            assert time.monotonic() < until
            time.sleep(0.2)

    def asked(self, path: str, data: object = None) -> Any:
        """Ask the service; OSError where it does not answer now."""
        head = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        body = data if isinstance(data, bytes) or data is None else json.dumps(data).encode()
        if body is not None:
            head["Content-Type"] = (
                "application/octet-stream" if body is data else "application/json"
            )
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1/{path}", body, head)
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310
            return json.load(answer)

    def patiently(self, path: str, data: object = None) -> Any:
        """Ask until the service answers, which is killed meanwhile."""
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.asked(path, data)
            except (URLError, OSError, ValueError):
                assert time.monotonic() < until
                time.sleep(0.2)

    async def put(self, number: int, archive: Path) -> None:
        """Submit the package, with a file that makes it another archive each time."""
        packed = io.BytesIO()
        with tarfile.open(archive) as old, tarfile.open(fileobj=packed, mode="w:gz") as new:
            for member in old.getmembers():
                new.addfile(member, old.extractfile(member) if member.isfile() else None)
            note = str(number).encode()
            member = tarfile.TarInfo("rc4/ref/NOTE")
            member.size = len(note)
            new.addfile(member, io.BytesIO(note))
        query = f"submissions?name=rc4-{number}"
        said = await asyncio.to_thread(self.patiently, query, packed.getvalue())
        self.submissions.append(said["id"])
        self.left = {said["id"]}

    def missing(self) -> set[str]:
        """Return submissions that are not published, and jobs that are not done."""
        try:
            seen = [self.asked(f"submissions/{one}") for one in self.submissions]
        except (URLError, OSError, ValueError):
            return self.left
        self.left = {name for one in seen for name in _missing(one)}
        return self.left

    def seen(self) -> list[Json]:
        """Return all submissions with jobs and history."""
        return [self.patiently(f"submissions/{one}") for one in self.submissions]

    def stored(self) -> tuple[int, list[Launch]]:
        """Return how many stores were published, and the launches of all, by time."""
        stores = sorted(self.folder.glob(f"results/machines/*/{FILE_NAME}"))
        found: list[Launch] = []
        for one in stores:
            with Store.open(one.parent, read_only=True) as store:
                found += store.launch_heads()
        return len(stores), sorted(found, key=lambda one: one.started_at)


def _missing(one: Json) -> set[str]:
    """Return what is still to come of a submission."""
    jobs = {job["name"] for job in one["jobs"] if job["state"] != "done"}
    whole = one["state"] == "published" and len(one["jobs"]) == 1 + len(MACHINES)
    return jobs if whole else {*jobs, one["id"]}

# SPDX-License-Identifier: MIT
"""Backup by the commands of the guide while the service serves, and what is restored of it."""

import asyncio
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from litestar.testing import TestClient
from tests.objects import Json
from tests.unit.service.conftest import ORIGIN, ROOT, Client, Person, fake_results

from assay.fleet.bundle import make_bundle
from assay.fleet.embedded import open_embedded
from assay.fleet.jobs import Action, Advance, Registration, Tidings
from assay.service import desk as module
from assay.service.app import make_app
from assay.service.desk import SubmissionDesk
from assay.service.house import House
from assay.service.places import ServiceFolder
from assay.service.records import ServiceRecords, open_records

GUIDE = ROOT / "docs" / "guide" / "service.md"
API = "/api/v1/submissions"
MOST_SECONDS = 120.0


def commands(number: int, folder: Path, backup: Path) -> str:
    """Return a block of commands of the guide, for folders of a test."""
    text = GUIDE.read_text().split("## Backup and restore")[1].split("```")[1 + 2 * number]
    assert "/srv/assay" in text
    return text.replace("/srv/assay", str(folder)).replace("/backup", str(backup))


@contextmanager
def served(root: Path) -> Iterator[tuple[Client, ServiceRecords]]:
    """Run the service of a folder with a queue of its own, working."""
    folder = ServiceFolder(root)
    folder.make()
    records = open_records(root)
    desk = SubmissionDesk(records, folder, open_embedded(folder.queue))
    with TestClient(make_app(House(records, folder, desk, ORIGIN)), base_url=ORIGIN) as client:
        yield client, records


async def worked(queue_folder: Path, scratch: Path, *, begin_only: bool = False) -> None:
    """Take a job as the worker of a machine, and do it unless it is only to be begun."""
    queue = open_embedded(queue_folder)
    lanes = ("measure.bench", "judge.native")
    await queue.register(Registration("bench", lanes, "0.1.0", {}))
    claim = await queue.take(lanes, MOST_SECONDS)
    assert claim is not None
    name = claim.job.name
    await queue.tell(Tidings(name, "bench", Advance.BEGUN))
    if not begin_only:
        path, _ = make_bundle(fake_results(scratch / name), None, scratch / f"{name}.tar.gz")
        digest = await queue.upload(path)
        await queue.tell(Tidings(name, "bench", Advance.DONE, digest))
        await claim.done()
        assert claim.job.action in Action
    await queue.close()


def awaited(client: Client, who: Person, number: str, state: str) -> Json:
    """Ask for a submission until one of its jobs, or it, has a state."""
    until = time.monotonic() + MOST_SECONDS
    while True:
        seen: Json = client.get(f"{API}/{number}", headers=who.headers).json()
        if state in {seen["state"], *(one["state"] for one in seen["jobs"])}:
            return seen
        assert time.monotonic() < until, seen
        time.sleep(0.05)


def test_a_backup_made_while_serving_is_restored_elsewhere_and_goes_on(
    tmp_path: Path, archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that a worker had begun is done again; no archive is missing that the tables name."""
    monkeypatch.setattr(module, "TICK_SECONDS", 0.05)
    old, new, backup = (tmp_path / name for name in ("old", "new", "backup"))
    backup.mkdir()
    with served(old) as (client, records):
        ann = Person(records, "ann", waiting=1000, daily=1000)

        def send(content: bytes) -> str:
            answer = client.post(
                API, params={"name": "x"}, content=content, headers=ann.headers
            ).json()
            return str(answer["id"])

        number = send(archive)
        asyncio.run(worked(old / "queue", tmp_path, begin_only=True))
        awaited(client, ann, number, "begun")
        ended = threading.Event()
        others: list[str] = []

        def sending() -> None:
            while not ended.is_set():
                others.append(send(b"no archive %d" % len(others)))

        thread = threading.Thread(target=sending)
        thread.start()
        made = subprocess.run(["bash", "-c", commands(0, old, backup)], check=False)
        ended.set()
        thread.join()
        late = send(b"too late")
    assert made.returncode in (0, 1)
    assert not new.exists()
    subprocess.run(["bash", "-ec", commands(1, new, backup)], check=True)
    names = {one.name for one in (new / "archives").iterdir()}
    with served(new) as (client, _):
        known = client.get(API, headers=ann.headers).json()
        assert number in {one["id"] for one in known}
        assert {one["sha256"] for one in known} <= names
        assert client.get(f"{API}/{late}", headers=ann.headers).status_code == 404
        for _ in range(2):
            asyncio.run(worked(new / "queue", tmp_path))
        seen = awaited(client, ann, number, "published")
        assert [job["state"] for job in seen["jobs"]] == ["done", "done"]
        body = b"sent again"
        again = client.post(API, params={"name": "x"}, content=body, headers=ann.headers)
        assert again.status_code == 201

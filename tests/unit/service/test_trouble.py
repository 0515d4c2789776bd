# SPDX-License-Identifier: MIT
"""What a service does with wrong clocks, workers that lie, full disks and others' tables."""

import asyncio
import errno
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from tests.unit.fleet.sealing import new_key
from tests.unit.service.conftest import (
    Client,
    FakeWorker,
    ListQueue,
    Person,
    fake_results,
    published,
    sent,
)

from assay.errors import UsageError
from assay.fleet.bundle import make_bundle
from assay.fleet.jobs import Advance, Registration, Tidings
from assay.service import desk as module
from assay.service import fetching
from assay.service.desk import SubmissionDesk
from assay.service.places import ServiceFolder, Upload
from assay.service.records import FILE, ServiceRecords, meta, open_records

API = "/api/v1/submissions"


@pytest.mark.parametrize(("hours", "said"), [(5, "5:00:00 ahead"), (-30, "1 day, 6:00:00 behind")])
def test_the_wrong_clock_of_a_machine_is_said(
    client: Client, queue: ListQueue, hours: int, said: str
) -> None:
    """Its own dates are as wrong; those of the service come from the service."""
    heard = 1_000_000_000.0  # what this queue says of each machine
    facts = {"clock": str(heard + 3600 * hours)}
    asyncio.run(queue.register(Registration("bench", (), "0.1.0", facts)))
    asyncio.run(queue.register(Registration("fine", (), "0.1.0", {"clock": str(heard + 3)})))
    asyncio.run(queue.register(Registration("odd", (), "0.1.0", {"clock": "nan"})))
    bench, fine, odd = client.get("/api/v1/machines").json()
    assert said in bench["facts"]["clock"]
    assert said in client.get("/").text
    assert (fine["facts"], odd["facts"]) == ({}, {})


def test_moments_of_a_submission_are_the_service_s(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """Whatever dates the results of a machine have: these are of a fixed day in the past."""
    begun = datetime.now(UTC) - timedelta(seconds=1)
    number = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, number))
    seen = client.get(f"{API}/{number}").json()
    moments = [one["at"] for one in seen["history"]] + [one["changed"] for one in seen["jobs"]]
    assert all(begun < datetime.fromisoformat(one) <= datetime.now(UTC) for one in moments)


def test_a_worker_that_lies_about_its_machine_is_shown_with_who_signed(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """It says that it is `fast` with one key; the bundle names `bench`, and another key signed."""
    monkeypatch.chdir(worker.scratch)
    registered, used = new_key("registered"), new_key("used")
    worker.machine = "fast"
    number = sent(client, ann, archive)["id"]

    key = Path(f"{registered}.pub").read_text()

    async def lie() -> None:
        await worker.queue.register(Registration("fast", (), "0.1.0", {}, key))
        await desk.look_through()
        await worker.do(f"judge-{number}-native")
        await desk.look_through()
        path, _ = make_bundle(fake_results(worker.scratch / "r"), used, worker.scratch / "b")
        digest = await worker.queue.upload(path)
        await desk.hear(Tidings(f"measure-{number}-fast", "fast", Advance.DONE, digest))
        await desk.publish()

    asyncio.run(lie())
    words = ["ssh-keygen", "-l", "-f", f"{used}.pub"]
    by = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()[1]
    page = client.get(f"/submissions/{number}").text
    assert by in page
    assert "its bundle names the machine bench" in page
    assert "not signed with the key that this machine registered" in page


def test_a_worker_that_says_the_truth_is_not_doubted(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """Nothing is said of its bundle."""
    number = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, number))
    seen = client.get(f"{API}/{number}").json()
    assert [one["reason"] for one in seen["jobs"]] == ["pass", ""]


@pytest.mark.parametrize("version", [0, 2])
def test_tables_of_another_version_are_refused_and_left_as_they_are(
    folder: ServiceFolder, version: int
) -> None:
    """Older and newer ones; the message names both versions."""
    records = open_records(folder.root)
    with records.change() as to:
        to.execute(update(meta).values(version=version))
        to.exec_driver_sql("DROP TABLE audit")
    records.close()
    before = (folder.root / FILE).read_bytes()
    with pytest.raises(UsageError, match=f"tables of version {version}, and this Assay knows 1"):
        open_records(folder.root)
    assert (folder.root / FILE).read_bytes() == before


@pytest.mark.parametrize("error", [OperationalError("", {}, OSError()), OSError(), KeyError("x")])
def test_no_trouble_ends_what_the_service_does_beside_its_answers(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A disk that is full for a while, and a fault of one step: it is done again."""
    monkeypatch.setattr(module, "AFTER_TROUBLE_SECONDS", 0.0)
    left = [error, error]

    async def step() -> None:
        if left:
            raise left.pop()

    asyncio.run(asyncio.wait_for(module._again(step, 0, once=True), 10))
    assert left == []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a small disk where the service's folder will be; that needs root."""
    place = tmp_path / "service"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def refused_for_now(client: Client, who: Person, content: bytes) -> None:
    """Send what cannot be kept: the answer says that, and that it may be sent later."""
    answer = client.post(API, params={"name": "x"}, content=content, headers=who.headers)
    assert answer.status_code == 503
    assert "cannot keep anything at the moment; try again later" in answer.text


def test_a_full_disk_is_said_and_what_was_sent_before_is_taken_up_later(
    disk: Path, client: Client, ann: Person, archive: bytes, desk: SubmissionDesk,
    queue: ListQueue,
) -> None:  # fmt: skip
    """Nothing that was received is lost or refused for it."""
    number = sent(client, ann, archive)["id"]
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while filler.write(bytes(4096)):
            pass
    refused_for_now(client, ann, bytes(100_000))
    with pytest.raises((OSError, OperationalError)):
        asyncio.run(desk.look_through())
    assert queue.jobs == {}
    assert client.get(f"{API}/{number}", headers=ann.headers).json()["state"] == "received"
    (disk / "filler").unlink()
    asyncio.run(desk.look_through())
    assert list(queue.jobs) == [f"judge-{number}-native"]
    assert sent(client, ann, bytes(100_000))["state"] == "received"


def test_a_disk_that_is_read_only_is_said_and_what_was_sent_before_is_there_again(
    disk: Path, client: Client, ann: Person, archive: bytes, desk: SubmissionDesk,
    records: ServiceRecords, queue: ListQueue,
) -> None:  # fmt: skip
    """The service need not be started again."""
    number = sent(client, ann, archive)["id"]
    records.close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    refused_for_now(client, ann, b"x")
    with pytest.raises((OSError, OperationalError)):
        asyncio.run(desk.look_through())
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    asyncio.run(desk.look_through())
    assert list(queue.jobs) == [f"judge-{number}-native"]


def test_an_address_is_not_refused_because_the_disk_is_full(
    client: Client, ann: Person, desk: SubmissionDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is fetched again when there is room."""
    body = {"url": "https://example.org/x.zip", "sha256": "0" * 64, "name": "x"}
    number = client.post(f"{API}/by-address", json=body, headers=ann.headers).json()["id"]

    @asynccontextmanager
    async def answer(*_: object) -> AsyncIterator[SimpleNamespace]:
        async def chunks() -> AsyncIterator[bytes]:
            yield b"PK"

        yield SimpleNamespace(aiter_stream=chunks)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching, "_answer", answer)
    monkeypatch.setattr(Upload, "write", full)
    with pytest.raises(OSError, match="No space"):
        asyncio.run(desk.look_through())
    assert client.get(f"{API}/{number}", headers=ann.headers).json()["state"] == "received"

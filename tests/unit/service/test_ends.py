# SPDX-License-Identifier: MIT
"""Withdrawal, approval, machines that refuse, and a service that was killed or restored."""

import asyncio
import dataclasses
import shutil
from pathlib import Path

import pytest
from tests.unit.service.conftest import Client, FakeWorker, ListQueue, Person, published, sent

from assay.fleet.jobs import Advance, Job, Tidings
from assay.fleet.queue import QueueUnreachableError
from assay.service.desk import MOST_ATTEMPTS, SubmissionDesk
from assay.service.places import ServiceFolder
from assay.service.records import ServiceRecords, open_records

API = "/api/v1/submissions"


def test_what_is_withdrawn_leaves_its_hash_and_nothing_else(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """Archive, bundles, results, pages and words go; anybody sees the tombstone."""
    one = sent(client, ann, archive, "a name")
    asyncio.run(published(desk, worker, one["id"]))
    page = client.get(f"{API}/{one['id']}").json()["jobs"][1]["results"][0]["address"]
    answer = client.delete(
        f"{API}/{one['id']}", params={"reason": "a mistake"}, headers=ann.headers
    )
    assert answer.status_code == 200
    asyncio.run(desk.publish())
    seen = client.get(f"{API}/{one['id']}").json()
    assert (seen["state"], seen["reason"], seen["sha256"]) == (
        "withdrawn", "a mistake", one["sha256"],
    )  # fmt: skip
    assert "a name" not in str(seen)
    assert client.get(f"/{page}").status_code == 404
    for place in (desk.folder.archives, desk.folder.bundles, desk.folder.results / "machines"):
        assert list(place.iterdir()) == []
    assert client.delete(f"{API}/{one['id']}", headers=ann.headers).status_code == 400


def test_a_machine_that_asks_gets_a_job_only_when_a_person_agrees(
    client: Client,
    ann: Person,
    admin: Person,
    archive: bytes,
    desk: SubmissionDesk,
    worker: FakeWorker,
    queue: ListQueue,
) -> None:
    """It is in the audit log who agreed."""
    number = sent(client, ann, archive)["id"]

    async def judged() -> None:
        await worker.register(approval="asked")
        await desk.look_through()
        await worker.do(f"judge-{number}-native")
        await desk.look_through()

    asyncio.run(judged())
    job = f"measure-{number}-bench"
    assert job not in queue.jobs
    answer = client.post(f"/api/v1/jobs/{job}", json={"agreed": True}, headers=admin.headers)
    assert answer.status_code == 200
    assert job in queue.jobs
    lines = client.get("/api/v1/audit", headers=admin.headers).json()
    assert ("root", "approve", job) in [
        (one["who"], one["action"], one["subject"]) for one in lines
    ]


def test_a_submission_that_every_machine_refuses_is_refused(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """With the reason of the machine."""
    number = sent(client, ann, archive)["id"]

    async def refused() -> None:
        await worker.register()
        await desk.look_through()
        await worker.do(f"judge-{number}-native")
        await desk.look_through()
        job = f"measure-{number}-bench"
        await desk.hear(Tidings(job, "bench", Advance.REFUSED, reason="not from ann"))

    asyncio.run(refused())
    seen = client.get(f"{API}/{number}", headers=ann.headers).json()
    assert (seen["state"], seen["reason"]) == ("refused", "no machine measures it: not from ann")


def test_tidings_that_come_twice_or_late_change_nothing(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """The first end of a job counts."""
    number = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, number))
    before = client.get(f"{API}/{number}").json()
    job = f"measure-{number}-bench"
    for late in (Advance.BEGUN, Advance.DONE, Advance.REFUSED):
        asyncio.run(desk.hear(Tidings(job, "other", late, "0" * 64, "late")))
    asyncio.run(desk.hear(Tidings("measure-unknown-x", "other", Advance.DONE, "0" * 64)))
    assert client.get(f"{API}/{number}").json() == before


def test_jobs_that_were_recorded_are_put_again_after_a_kill(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, queue: ListQueue
) -> None:
    """A queue that lost them, or never had them, has them again, under the same names."""
    sent(client, ann, archive)
    asyncio.run(desk.look_through())
    before = dict(queue.jobs)
    for state in ("put", "begun"):
        queue.jobs.clear()
        asyncio.run(desk.put_again())
        assert queue.jobs == before, state
        asyncio.run(desk.hear(Tidings(next(iter(before)), "bench", Advance.BEGUN)))


def test_a_job_that_the_queue_did_not_take_is_put_when_it_can_be_reached(
    client: Client,
    ann: Person,
    archive: bytes,
    desk: SubmissionDesk,
    queue: ListQueue,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the service as it runs: nobody has to start it again."""
    number = sent(client, ann, archive)["id"]
    with monkeypatch.context() as patch:
        patch.setattr(queue, "put", _unreachable)
        asyncio.run(desk.look_through())
        assert queue.jobs == {}
        (job,) = client.get(f"{API}/{number}", headers=ann.headers).json()["jobs"]
        assert (job["state"], job["reason"]) == ("unsent", "nobody answers")
    asyncio.run(desk.look_through())
    assert list(queue.jobs) == [f"judge-{number}-native"]
    (job,) = client.get(f"{API}/{number}", headers=ann.headers).json()["jobs"]
    assert (job["state"], job["reason"]) == ("put", "")


async def _unreachable(_: Job) -> bool:
    raise QueueUnreachableError("nobody answers")


def test_results_of_a_second_machine_come_to_a_site_that_is_published(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """The site is made again for them, though the submission has its last state."""
    number = sent(client, ann, archive)["id"]
    second = dataclasses.replace(worker, machine="second")

    async def both() -> None:
        await second.register()
        await published(desk, worker, number)
        await second.do(f"measure-{number}-second", name="rabbit/fast")

    asyncio.run(both())
    assert "rabbit" not in client.get("/index.html").text
    asyncio.run(desk.publish())
    assert "rabbit" in client.get("/index.html").text


def test_a_verdict_that_cannot_be_believed_is_asked_for_again_a_few_times(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, queue: ListQueue,
    tmp_path: Path,
) -> None:  # fmt: skip
    """One bad worker refuses nobody's package, and none waits for ever."""
    number = sent(client, ann, archive)["id"]
    bad = tmp_path / "bad.tar.gz"
    bad.write_bytes(b"no bundle")

    async def judged() -> None:
        await desk.look_through()
        digest = await queue.upload(bad)
        for count in range(1, MOST_ATTEMPTS + 1):
            assert len(queue.jobs) == count
            await desk.hear(Tidings([*queue.jobs][-1], "liar", Advance.DONE, digest))
            await desk.look_through()

    asyncio.run(judged())
    assert len(queue.jobs) == MOST_ATTEMPTS
    seen = client.get(f"{API}/{number}", headers=ann.headers).json()
    assert seen["state"] == "refused"
    assert "the results of liar cannot be taken" in seen["reason"]


def test_a_verdict_that_comes_with_the_second_attempt_counts(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker,
    queue: ListQueue, tmp_path: Path,
) -> None:  # fmt: skip
    """The attempt before it is not waited for."""
    number = sent(client, ann, archive)["id"]
    bad = tmp_path / "bad.tar.gz"
    bad.write_bytes(b"no bundle")

    async def judged() -> None:
        await desk.look_through()
        digest = await queue.upload(bad)
        await desk.hear(Tidings(f"judge-{number}-native", "liar", Advance.DONE, digest))
        await worker.do(f"judge-{number}-native-again-2")

    asyncio.run(judged())
    assert client.get(f"{API}/{number}", headers=ann.headers).json()["state"] == "judged"


def test_a_copy_of_the_folder_is_a_backup(
    client: Client,
    ann: Person,
    archive: bytes,
    desk: SubmissionDesk,
    worker: FakeWorker,
    records: ServiceRecords,
    tmp_path: Path,
) -> None:
    """Accounts, submissions and results are there again, and the site is made of them."""
    number = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, number))
    records.close()
    left = shutil.ignore_patterns("site", "assets", "incoming")
    shutil.copytree(desk.folder.root, tmp_path / "restored", ignore=left)
    folder = ServiceFolder(tmp_path / "restored")
    folder.make()
    opened = open_records(folder.root)
    restored = SubmissionDesk(opened, folder, desk.queue)
    restored.stale.write_text("restored")
    asyncio.run(restored.publish())
    opened.close()
    assert (folder.site / "index.html").is_file()
    assert "salsa20" in (folder.site / "index.html").read_text()

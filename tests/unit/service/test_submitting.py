# SPDX-License-Identifier: MIT
"""Submissions by the API: who sends what, what becomes of it, and who sees it."""

import asyncio

from tests.objects import Json
from tests.unit.service.conftest import Client, FakeWorker, ListQueue, Person, published, sent

from assay.service.desk import SubmissionDesk


def test_an_archive_is_received_and_asked_to_be_judged(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, queue: ListQueue
) -> None:
    """It was unpacked once without executing anything; the job names it by its digest."""
    one = sent(client, ann, archive)
    assert one["state"] == "received"
    asyncio.run(desk.look_through())
    (job,) = queue.jobs.values()
    assert (job.lane, job.archive, job.account) == ("judge.native", one["sha256"], "ann")
    seen = client.get(f"/api/v1/submissions/{one['id']}", headers=ann.headers).json()
    assert seen["what"] == "3 files, ecrypt-sync, 1 implementation"


def see(client: Client, number: str, who: Person | None = None) -> Json:
    """Return what the API says of a submission."""
    headers = who.headers if who else {}
    said: Json = client.get(f"/api/v1/submissions/{number}", headers=headers).json()
    return said


def test_what_is_judged_and_measured_is_published(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """Received, judged, waiting, measuring, published; then anybody sees its results."""
    number = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, number))
    seen = see(client, number)
    states = [one["state"] for one in seen["history"]]
    assert states == ["received", "judged", "waiting", "measuring", "published"]
    (result,) = next(job["results"] for job in seen["jobs"] if job["action"] == "measure")
    assert (result["name"], result["verdict"]) == ("salsa20/ref", "pass")
    page = client.get(f"/{result['address']}")
    assert page.status_code == 200
    assert "salsa20" in page.text


def test_a_package_that_fails_is_refused_and_never_measured(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """The reason names the check, and the letter has it."""
    number = sent(client, ann, archive)["id"]

    async def judged() -> None:
        await worker.register()
        await desk.look_through()
        await worker.do(f"judge-{number}-native", failed=True)
        await desk.look_through()

    asyncio.run(judged())
    seen = see(client, number, ann)
    assert seen["state"] == "refused"
    assert "context/interleaved: calls with another context" in seen["reason"]
    assert [job["action"] for job in seen["jobs"]] == ["judge"]
    letter = client.get(f"/api/v1/submissions/{number}/letter", headers=ann.headers).text
    assert "To: ann@example.org" in letter
    assert "context/interleaved" in letter

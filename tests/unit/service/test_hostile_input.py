# SPDX-License-Identifier: MIT
"""What strangers send: markup, other people's headers, paths, SQL, and uploads of every sort."""

import asyncio
import email
import io
import tarfile
import threading
import zipfile
from collections.abc import AsyncIterator, Callable
from email import policy
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from tests.unit.service.conftest import (
    Client,
    FakeWorker,
    ListQueue,
    Person,
    fake_results,
    published,
    sent,
)
from tests.unit.service.test_doors import sign_in

from assay.fleet.bundle import make_bundle
from assay.fleet.jobs import Advance, Tidings
from assay.service import places
from assay.service.accounts import invite
from assay.service.desk import SubmissionDesk
from assay.service.places import ServiceFolder, UploadError, receive, uploading
from assay.service.records import ServiceRecords

MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>]]>{{8191*8191}}"
API = "/api/v1/submissions"


def test_markup_in_names_and_messages_is_text_everywhere(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """On every page, and in the feed, which is still XML."""
    given = {"name": MARKUP, "message": MARKUP}
    one = client.post(API, params=given, content=archive, headers=ann.headers).json()
    asyncio.run(published(desk, worker, one["id"]))
    sign_in(client, ann)
    for path in ("/", "/submissions", f"/submissions/{one['id']}"):
        page = client.get(path).text
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "67092481" not in page.split("<main", 1)[1].split("SHA-256")[0].split("alert(1)")[0]
    feed = ET.fromstring(client.get("/submissions/feed.xml").text)  # noqa: S314 - our own
    titles = [each.text for each in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert titles == ["Submissions", f"{MARKUP}: published"]


def test_markup_in_results_is_text_on_the_page(
    client: Client, ann: Person, archive: bytes, desk: SubmissionDesk, worker: FakeWorker
) -> None:
    """Names of packages and machines come from workers, and reasons from packages."""
    number = sent(client, ann, archive)["id"]

    async def judged() -> None:
        await worker.register(processor=MARKUP)
        await desk.look_through()
        await worker.do(
            f"judge-{number}-native", failed=True, name=f"{MARKUP}/ref".replace("/s", "")
        )

    asyncio.run(judged())
    sign_in(client, ann)
    for path in ("/", f"/submissions/{number}"):
        page = client.get(path).text
        assert "<script>alert" not in page
        assert "<img" not in page


@pytest.mark.parametrize("name", ["x\r\nBcc: all@example.org", "x\nBcc: all@example.org\n\nBuy"])
def test_no_name_adds_a_header_to_a_letter(
    client: Client, ann: Person, archive: bytes, name: str
) -> None:
    """It has one recipient, whatever somebody typed."""
    one = client.post(API, params={"name": name}, content=archive, headers=ann.headers).json()
    raw = client.get(f"{API}/{one['id']}/letter", headers=ann.headers).content
    letter = email.message_from_bytes(raw, policy=policy.default)
    assert letter["To"] == "ann@example.org"
    assert letter["Bcc"] is None
    assert "Bcc: all@example.org" in letter["Subject"]


@pytest.mark.parametrize(
    "mail", ["a@b\r\nBcc: c@d", "a", "a@b, c@d", "@", "a@b>", "x" * 300 + "@y"]
)
def test_an_address_for_mail_is_one_mailbox(records: ServiceRecords, mail: str) -> None:
    """Letters go nowhere else."""
    with pytest.raises(Exception, match="no address for mail"):
        invite(records, "carl", mail)


@pytest.mark.parametrize(
    "path",
    [
        *("/../service.db", "/..%2fservice.db", "/%2e%2e/service.db", "/....//service.db"),
        *("//etc/passwd", "/%2fetc%2fpasswd", "/..%5cservice.db", "/site.css/../../service.db"),
        *("/submissions/..%2f..%2fservice.db", "/index.html%00.css", "/archives/", "/%ff%fe"),
        f"/submissions/{'a' * 12}/bundles/..%2f..%2fservice.db",
    ],
)
def test_no_path_leads_out_of_the_site(client: Client, ann: Person, path: str) -> None:
    """Tables, archives and the system's files are not served."""
    del ann
    answer = client.get(path)
    assert answer.status_code in (400, 404)
    assert b"SQLite format" not in answer.content
    assert b"root:" not in answer.content


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE accounts; --", "' OR '1'='1", '" OR 1=1 --', "%", "\0"]
)
def test_sql_is_text(client: Client, ann: Person, archive: bytes, text: str) -> None:
    """In names, numbers, cursors, codes and tokens."""
    one = client.post(API, params={"name": f"x{text}"}, content=archive, headers=ann.headers)
    assert one.json()["name"] == f"x{text}".replace("\0", "?")
    for answer in (
        client.get(f"{API}/{quote(text, safe='')}"),
        client.post("/api/v1/tokens", json={"code": text}),
        client.post("/sign-in", data={"token": text}),
        client.get(API, params={"before": text}),
    ):
        assert answer.status_code in (200, 400, 401, 404)
    assert client.get("/api/v1/account", headers=ann.headers).json()["name"] == "ann"


def zipped(name: str) -> bytes:
    """Pack a file of a name."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr(name, "x")
    return made.getvalue()


def tarred(kind: bytes, target: str) -> bytes:
    """Pack a link or a device."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as file:
        info = tarfile.TarInfo("package/link")
        info.type, info.linkname = kind, target
        file.addfile(info)
    return made.getvalue()


def bomb() -> bytes:
    """Pack 300 MB of zeros into 300 kB."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("package/zeros", bytes(300 << 20))
    return made.getvalue()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: b"MZ\x90\x00 no archive", "archive"),
        (lambda: b"<html>", "archive"),
        (lambda: zipped("../out.c"), "unsafe name"),
        (lambda: zipped("readme.txt"), "no package"),
        (lambda: tarred(tarfile.SYMTYPE, "/etc/passwd"), "to '/etc/passwd'"),
        (lambda: tarred(tarfile.CHRTYPE, ""), "special file"),
        (bomb, "too many bytes"),
    ],
)
def test_an_archive_that_add_refuses_is_refused_with_its_words(
    client: Client,
    ann: Person,
    desk: SubmissionDesk,
    queue: ListQueue,
    make: Callable[[], bytes],
    says: str,
) -> None:
    """Nothing of it reaches a worker; the reason names no place of the service's."""
    number = sent(client, ann, make())["id"]
    asyncio.run(desk.look_through())
    seen = client.get(f"{API}/{number}", headers=ann.headers).json()
    assert seen["state"] == "refused"
    assert says in seen["reason"]
    assert str(desk.folder.root) not in seen["reason"]
    assert queue.jobs == {}


def kept(folder: ServiceFolder) -> list[str]:
    """Return what lies among uploads and archives."""
    return [one.name for place in (folder.incoming, folder.archives) for one in place.iterdir()]


def test_an_upload_beyond_the_limit_is_refused(
    client: Client, ann: Person, folder: ServiceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what it announces before a byte is read, and by what comes."""
    huge = {**ann.headers, "Content-Length": str(1 << 40)}
    assert client.post(API, params={"name": "x"}, content=b"x", headers=huge).status_code == 413
    monkeypatch.setattr(places, "LIMIT_BYTES", 1000)
    answer = client.post(API, params={"name": "x"}, content=bytes(2000), headers=ann.headers)
    assert answer.status_code == 400
    assert kept(folder) == []


def test_an_upload_that_falls_silent_is_dropped(
    folder: ServiceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds nothing any more."""
    monkeypatch.setattr(places, "SILENCE_SECONDS", 0.05)

    async def silent() -> AsyncIterator[bytes]:
        yield b"a beginning"
        await asyncio.sleep(60)

    async def try_it() -> None:
        async with uploading(folder) as upload:
            await receive(silent(), upload)

    with pytest.raises(UploadError, match="took too long"):
        asyncio.run(try_it())
    assert kept(folder) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b",
        b"--b\r\nContent-Disposition: form-data; name=mark\r\n\r\nMARK\r\n",
        b"--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\nfirst, without a mark",
        b"\0" * 5000,
        b"--b\r\n" + b"X" * 9000 + b": y\r\n\r\n",
        b"--b\r\nContent-Disposition: form-data; name=mark\r\n\r\n" + b"x" * 40_000 + b"\r\n--b--",
        b"--b\r\nContent-Disposition: form-data; name=x\r\n\r\ny\r\n" * 50 + b"--b--",
    ],
)
def test_a_form_that_is_cut_short_or_wrong_leaves_nothing(
    client: Client, ann: Person, folder: ServiceFolder, body: bytes
) -> None:
    """The answer says so, and no part of a file is kept."""
    mark = sign_in(client, ann)
    answer = client.post(
        "/submit",
        content=body.replace(b"MARK", mark.encode()),
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )
    assert answer.status_code in (400, 403)
    assert kept(folder) == []


@pytest.mark.parametrize("kind", ["", "text/plain", "application/json", "multipart/form-data"])
def test_a_form_of_another_type_is_refused(client: Client, ann: Person, kind: str) -> None:
    """Without a boundary, too."""
    sign_in(client, ann)
    answer = client.post("/submit", content=b"x", headers={"Content-Type": kind})
    assert answer.status_code == 400


def test_a_quota_holds_before_anything_is_read(
    client: Client, records: ServiceRecords, archive: bytes, folder: ServiceFolder
) -> None:
    """The second submission under way is refused, and says when there may be another."""
    carl = Person(records, "carl", waiting=1)
    sent(client, carl, archive)
    answer = client.post(API, params={"name": "y"}, content=b"other", headers=carl.headers)
    assert answer.status_code == 429
    assert "1 may be" in answer.json()["detail"]
    assert len(kept(folder)) == 1


def test_quotas_hold_for_submissions_at_the_same_moment(
    client: Client, records: ServiceRecords
) -> None:
    """Ten at once are one."""
    carl = Person(records, "carl", waiting=1)

    def send(number: int) -> None:
        client.post(API, params={"name": "x"}, content=b"%d" % number, headers=carl.headers)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(10)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(client.get(API, headers=carl.headers).json()) == 1


def test_a_worker_cannot_put_its_results_in_the_place_of_others(
    client: Client,
    ann: Person,
    bob: Person,
    archive: bytes,
    desk: SubmissionDesk,
    worker: FakeWorker,
) -> None:
    """Two bundles that name the same machine and moment have two places."""
    first = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, first))
    second = sent(client, bob, archive)["id"]
    asyncio.run(published(desk, worker, second))
    places_there = sorted(one.name for one in (desk.folder.results / "machines").iterdir())
    assert places_there == sorted(f"measure-{one}-bench" for one in (first, second))


@pytest.mark.parametrize("damage", ["no bundle", "changed", "absent"])
def test_a_bundle_that_cannot_be_believed_publishes_nothing(
    client: Client,
    ann: Person,
    archive: bytes,
    desk: SubmissionDesk,
    worker: FakeWorker,
    damage: str,
) -> None:
    """The job says why."""
    number = sent(client, ann, archive)["id"]

    async def cheat() -> None:
        await worker.register()
        await desk.look_through()
        await worker.do(f"judge-{number}-native")
        await desk.look_through()
        job = f"measure-{number}-bench"
        path, _ = make_bundle(fake_results(worker.scratch / "r"), None, worker.scratch / "b")
        if damage == "no bundle":
            path.write_bytes(archive)
        elif damage == "changed":
            whole = path.read_bytes()
            path.write_bytes(whole[:-200] + bytes(100) + whole[-100:])
        digest = await worker.queue.upload(path)
        if damage == "absent":
            digest = "0" * 64
        await desk.hear(Tidings(job, "bench", Advance.DONE, digest))
        await desk.publish()

    asyncio.run(cheat())
    seen = client.get(f"{API}/{number}", headers=ann.headers).json()
    assert seen["state"] == "refused"
    assert "results of bench cannot be taken" in seen["reason"]
    assert list((desk.folder.results / "machines").glob("*")) == []

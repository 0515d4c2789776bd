# SPDX-License-Identifier: MIT
"""Reaching a queue on NATS: secrets, certificates, and what is said where it does not answer."""

import asyncio
import base64
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import nats
import pytest
from msgspec.structs import replace
from tests.unit.fleet.nats_server import nats_server, start

from assay.errors import UsageError
from assay.fleet import jetstream, queue, streams
from assay.fleet.address import read_address
from assay.fleet.jobs import Action, Advance, Job, Registration, Tidings, encode
from assay.fleet.queue import Queue, QueueError, QueueUnreachableError, open_queue

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "service.md"
JOB = Job("one", "judge.x86-64", Action.JUDGE, "0" * 64, "alice")


def reach(url: str) -> bool:
    """Put a job at an address."""

    async def put() -> bool:
        queue = await open_queue(url)
        try:
            return await queue.put(JOB)
        finally:
            await queue.close()

    return asyncio.run(put())


def refused(url: str) -> str:
    """Return what is said of an address that cannot be reached."""
    with pytest.raises(QueueUnreachableError) as caught:
        reach(url)
    assert caught.value.cure
    return str(caught.value)


def test_nobody_listens() -> None:
    """The address is named, and the secret in it is not."""
    said = refused("nats://alice:hunter2@127.0.0.1:9")
    assert "nats://127.0.0.1:9 cannot be reached" in said
    assert "hunter2" not in said


def test_a_host_without_a_name_is_named() -> None:
    """A typing error in the address."""
    assert "nats://nowhere.invalid:4222 cannot be reached" in refused(
        "nats://nowhere.invalid:4222"
    )


@pytest.mark.parametrize(
    ("options", "good", "wrong"),
    [
        (("--user", "alice", "--pass", "a:b@c"), "alice:a%3Ab%40c@", "alice:wrong@"),
        (("--auth", "long-token"), "long-token@", ""),
    ],
)
def test_secrets_let_in(tmp_path: Path, options: tuple[str, ...], good: str, wrong: str) -> None:
    """A user with a password, or a token, in the address or in a file that it names."""
    with nats_server(tmp_path / "nats", *options) as server:
        host = f"127.0.0.1:{server.port}"
        assert reach(f"nats://{good}{host}")
        said = refused(f"nats://{wrong}{host}")
        assert "Authorization Violation" in said
        assert "wrong" not in said
        file = tmp_path / "secret"
        file.write_text("alice:a:b@c\n" if "--user" in options else "long-token\n")
        assert not reach(f"nats://{host}?secret={file}")


def test_a_file_of_credentials_lets_in(tmp_path: Path) -> None:
    """Accounts and users are signed (JWT), and the server knows the operator's key alone."""
    operator, account, system, user = (KeyPair(kind) for kind in "OAAU")
    counts = ("subs", "conn", "leaf", "imports", "exports", "data", "payload")
    limits = {**dict.fromkeys(counts, -1), "wildcards": True}
    stored = dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), -1)
    known = {
        one.public: signed_token(
            operator, one, "account", {"limits": {**limits, **(stored if one is account else {})}}
        )
        for one in (account, system)
    }
    config = tmp_path / "nats.conf"
    config.write_text(
        f"listen: 127.0.0.1:-1\njetstream {{ store_dir: {tmp_path / 'store'} }}\n"
        f"operator: {signed_token(operator, operator, 'operator', {})}\n"
        f"system_account: {system.public}\nresolver: MEMORY\nresolver_preload: {{\n"
        + "".join(f"{name}: {token}\n" for name, token in known.items())
        + "}\n"
    )
    good = credentials(tmp_path / "good", account, user)
    forged = credentials(tmp_path / "forged", KeyPair("A"), user)
    with nats_server(tmp_path / "nats", "-c", str(config)) as server:
        address = f"nats://127.0.0.1:{server.port}"
        assert reach(f"{address}?credentials={good}")
        for wrong in (f"{address}?credentials={forged}", address):
            assert "Authorization Violation" in refused(wrong)


class KeyPair:
    """A key of NATS (nkey) of an operator, an account or a user."""

    def __init__(self, kind: str) -> None:
        """Make a new one; its public half begins with the letter of its kind."""
        nkeys = pytest.importorskip("nkeys")
        prefix = {"O": nkeys.PREFIX_BYTE_OPERATOR, "A": nkeys.PREFIX_BYTE_ACCOUNT,
                  "U": nkeys.PREFIX_BYTE_USER}[kind]  # fmt: skip
        self.seed = nkeys.encode_seed(os.urandom(32), prefix)
        self.key = nkeys.from_seed(bytearray(self.seed))
        self.public = self.key.public_key.decode()


def signed_token(by: KeyPair, of: KeyPair, kind: str, fields: dict[str, object]) -> str:
    """Return a claim on a key as NATS has it: a JWT, signed by another key."""
    claim = {"jti": of.public, "iat": 0, "iss": by.public, "name": kind, "sub": of.public,
             "nats": {**fields, "type": kind, "version": 2}}  # fmt: skip
    parts = [json.dumps(one).encode() for one in ({"typ": "JWT", "alg": "ed25519-nkey"}, claim)]
    text = b".".join(base64.urlsafe_b64encode(one).rstrip(b"=") for one in parts)
    signature = base64.urlsafe_b64encode(by.key.sign(text)).rstrip(b"=")
    return (text + b"." + signature).decode()


def credentials(path: Path, account: KeyPair, user: KeyPair) -> Path:
    """Write a file of credentials, as `nsc generate creds` does."""
    token = signed_token(account, user, "user", {"subs": -1, "data": -1, "payload": -1})
    path.write_text(
        f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{user.seed.decode()}\n------END USER NKEY SEED------\n"
    )
    return path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an authority, and certificates of a server and of a worker."""
    folder = tmp_path_factory.mktemp("certificates")
    extensions = folder / "extensions"
    extensions.write_text("subjectAltName=IP:127.0.0.1,email:worker@example.org\n")

    def openssl(*arguments: str) -> None:
        done = subprocess.run(
            ["openssl", *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")  # Python 3.13 wants it
    openssl("req", "-x509", *new, *usage, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca")
    for name in ("server", "worker"):
        openssl(
            "req", *new, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}"
        )
        openssl(
            *("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key"),
            *("-CAcreateserial", "-out", f"{name}.pem", "-extfile", "extensions"),
        )
    return folder


def test_tls_with_certificates_of_both_sides(tmp_path: Path, certificates: Path) -> None:
    """A worker without a certificate, or one that does not trust the server, stays outside."""
    here = str(certificates)
    with nats_server(
        *(tmp_path / "nats", "--tlsverify", f"--tlscacert={here}/ca.pem"),
        *(f"--tlscert={here}/server.pem", f"--tlskey={here}/server.key"),
    ) as server:
        address = f"tls://127.0.0.1:{server.port}"
        own = f"cert={here}/worker.pem&key={here}/worker.key"
        assert reach(f"{address}?ca={here}/ca.pem&{own}")
        assert "CERTIFICATE_VERIFY_FAILED" in refused(f"{address}?{own}")
        refused(f"{address}?ca={here}/ca.pem")


def test_a_server_without_jetstream_is_named(tmp_path: Path) -> None:
    """It is how Debian's package starts it."""
    with nats_server(tmp_path / "nats", "-js=false") as server:
        assert "without JetStream" in refused(server.url)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nats://", "no address of a queue"),
        ("nats://host/path", "no address of a queue"),
        ("nats://host?replicas=2", "no address of a queue"),
        ("nats://host?colour=red", "no option `colour`"),
        ("nats://host?secret=/nonexistent", "secret cannot be read"),
        ("tls://host?ca=/nonexistent", "certificates cannot be read"),
        ("nats://host?credentials=/nonexistent", "credentials"),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_sent(url: str, said: str) -> None:
    """With what is wrong."""
    with pytest.raises(UsageError, match=said):
        reach(url)


def test_several_servers_are_one_queue() -> None:
    """Any server of a cluster may be away."""
    address = read_address("nats://token@a:1,b:2?replicas=3")
    assert address.servers == ("nats://a:1", "nats://b:2")
    assert (address.secret, address.replicas) == ("token", 3)


def test_one_of_several_servers_is_enough(tmp_path: Path) -> None:
    """The first does not answer."""
    with nats_server(tmp_path / "nats") as server:
        assert reach(f"nats://127.0.0.1:9,127.0.0.1:{server.port}")


def test_a_queue_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newer refuses the older's queue, and the older the newer's."""
    ours = "Assay, format 1"
    for first, then in ((ours, "Assay, format 2"), ("Assay, format 2", ours)):
        with nats_server(tmp_path / f"nats {first}") as server:
            monkeypatch.setattr(streams, "ABOUT", first)
            monkeypatch.setattr(queue, "ABOUT", first)
            assert reach(server.url)
            monkeypatch.setattr(streams, "ABOUT", then)
            monkeypatch.setattr(queue, "ABOUT", then)
            with pytest.raises(QueueError, match=f"is of {first}; this is {then}") as caught:
                reach(server.url)
            assert "one version of Assay" in caught.value.cure


def test_a_server_that_is_killed_and_started_again_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile every call says that the queue does not answer; afterwards work goes on."""
    monkeypatch.setattr(jetstream, "ANSWER_S", 1.0)
    server = start(tmp_path / "nats")
    processes = [server.process]

    async def fails(call: Callable[[], object]) -> None:
        with pytest.raises(QueueUnreachableError, match="does not answer"):
            await call()  # type: ignore[misc]

    async def again(queue: Queue) -> bool:
        for _ in range(30):
            try:
                return await queue.put(JOB)
            except QueueUnreachableError:
                await asyncio.sleep(0.2)
        return True

    async def scene() -> None:
        queue = await open_queue(server.url, 30)
        await queue.put(JOB)
        claim = await queue.take([JOB.lane], 5)
        assert claim is not None
        server.process.kill()
        server.process.wait()
        await fails(claim.alive)
        await fails(lambda: queue.take([JOB.lane], 0.1))
        processes.append(start(tmp_path / "nats", port=server.port).process)
        assert not await again(queue)
        await claim.alive()
        await claim.done()
        assert await queue.take([JOB.lane], 0.1) is None
        await queue.close()

    try:
        asyncio.run(scene())
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_what_strangers_publish_is_no_job(tmp_path: Path) -> None:
    """Text that is no JSON, a job that nobody has put, one that is too long: none is taken."""

    async def scene(url: str) -> None:
        queue = await open_queue(url)
        assert await queue.take([JOB.lane], 0.1) is None
        stranger = await nats.connect(url)
        for text in (b"\xff", b"{}", b'{"name": 1}', b"[" * 100_000):
            await stranger.jetstream().publish("assay-jobs.judge_2ex86-64", text)
        forged = encode(JOB).encode()
        await stranger.jetstream().publish("assay-jobs.judge_2ex86-64", forged)
        await stranger.jetstream().publish("assay-tidings", b"\x00")
        assert await queue.take([JOB.lane], 0.1) is None
        assert await queue.put(JOB)
        claim = await queue.take([JOB.lane], 5)
        assert claim is not None
        assert claim.job == JOB
        await stranger.close()
        await queue.close()

    with nats_server(tmp_path / "nats") as server:
        asyncio.run(scene(server.url))


def test_who_was_killed_between_a_name_and_its_job_puts_it_again(tmp_path: Path) -> None:
    """With and without the message that had been sent before: it is done once."""

    async def scene(url: str) -> None:
        queue = await open_queue(url)
        assert await queue.take([JOB.lane], 0.1) is None
        killed = (await nats.connect(url)).jetstream()
        names = await killed.key_value("assay-names")
        for name, sent in (("unsent", False), ("sent", True)):
            job = replace(JOB, name=name)
            await names.create(name, b"new 0 judge_2ex86-64")
            if sent:
                await killed.publish("assay-jobs.judge_2ex86-64", encode(job).encode())
            assert await queue.put(job)
            claim = await queue.take([JOB.lane], 5)
            assert claim is not None
            assert claim.job == job
            await claim.done()
            assert await queue.take([JOB.lane], 0.1) is None
            assert await queue.waiting() == {}
        await killed._nc.close()
        await queue.close()

    with nats_server(tmp_path / "nats") as server:
        asyncio.run(scene(server.url))


def test_the_worker_of_the_guide_may_work_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certificates: Path
) -> None:
    """The configuration is read from the page; its certificates and folder are replaced."""
    text = GUIDE.read_text().split("## The queue")[1].split("```")[1]
    for said, here in (
        ("0.0.0.0:4222", "127.0.0.1:-1"),
        ("/var/lib/nats", str(tmp_path / "store")),
        ("/etc/nats", str(certificates)),
    ):
        assert said in text
        text = text.replace(said, here)
    config = tmp_path / "nats.conf"
    config.write_text(text)

    async def scene(port: int) -> None:
        server = await open_queue(
            f"tls://server:REPLACE-1@127.0.0.1:{port}?ca={certificates}/ca.pem"
        )
        worker = await open_queue(
            f"tls://worker:REPLACE-2@127.0.0.1:{port}?ca={certificates}/ca.pem"
        )
        archive = tmp_path / "archive"
        archive.write_bytes(bytes(300_000))
        digest = await server.upload(archive)
        assert await server.put(replace(JOB, archive=digest))
        await worker.register(Registration("machine", (JOB.lane, "judge.avr"), "0", {}))
        claim = await worker.take([JOB.lane, "judge.avr"], 5)
        assert claim is not None
        await worker.download(claim.job.archive, tmp_path / "copy")
        bundle = await worker.upload(tmp_path / "copy")
        await claim.alive()
        await worker.tell(Tidings(JOB.name, "machine", Advance.DONE, bundle))
        await claim.done()
        async for news in server.tidings():
            assert news.bundle == bundle
            break
        monkeypatch.setattr(worker, "_stream", worker._client.jetstream(timeout=0.5))  # type: ignore[attr-defined]
        with pytest.raises(QueueUnreachableError):
            await worker.put(replace(JOB, name="forged"))
        for call in (worker._stream.delete_stream, worker._stream.purge_stream):  # type: ignore[attr-defined]
            with pytest.raises(TimeoutError):
                await call("assay-jobs")
        assert await server.waiting() == {}
        await worker.close()
        await server.close()

    with nats_server(tmp_path / "nats", "-c", str(config)) as server:
        asyncio.run(scene(server.port))

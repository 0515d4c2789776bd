# SPDX-License-Identifier: MIT
"""Bundles: what is signed, by whom, and what of it was changed."""

import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from tests.cli.calling import Assay, calling
from tests.cli.test_archived import measured

from assay.fleet.bundle import TamperedError, make_bundle, open_bundle, signed_by
from assay.fleet.signing import fingerprint
from assay.store import FILE_NAME

STATEMENT = "statement.json"
pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on this machine"
)
Members = dict[str, bytes]


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder without an agent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.delenv("ASSAY_KEY", raising=False)
    return calling(monkeypatch, capsys)


def new_key(name: str, phrase: str = "") -> Path:
    """Make a key with ssh-keygen."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-C", name, "-f", name]
    subprocess.run(words, check=True)
    return Path(name)


def allow(name: str, *keys: Path) -> Path:
    """Write a list of allowed signers with one name."""
    lines = [f"{name} {Path(f'{key}.pub').read_text()}" for key in keys]
    Path("allowed").write_text("".join(lines))
    return Path("allowed")


def bundled(assay: Assay, host: str = "alpha", *options: str) -> Path:
    """Make the bundle of a machine."""
    measured(Path(host), host).close()
    done = assay("bundle", host, "-o", f"{host}.tar.gz", *options)
    assert (done.code, done.err) == (0, "")
    return Path(f"{host}.tar.gz")


def members(bundle: Path) -> Members:
    """Read what a bundle holds, by names without its folder."""
    with tarfile.open(bundle) as tar:
        files = ((one.name.partition("/")[2], tar.extractfile(one)) for one in tar)
        return {name: file.read() for name, file in files if file}


def repacked(path: str, files: Mapping[str, bytes]) -> Path:
    """Write a bundle with the library alone."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"alpha/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return Path(path)


def signed_again(files: Members, key: Path) -> Members:
    """Sign the statement of a bundle with ssh-keygen alone."""
    Path("again.json").write_bytes(files[STATEMENT])
    Path("again.json.sig").unlink(missing_ok=True)
    words = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", "assay-bundle", "again.json"]
    subprocess.run(words, check=True)
    return {**files, f"{STATEMENT}.sig": Path("again.json.sig").read_bytes()}


def test_openssh_alone_verifies_what_was_signed(assay: Assay) -> None:
    """A reader without Assay needs the two files and ssh-keygen, by the command of the manual."""
    key = new_key("key")
    files = members(bundled(assay, "alpha", "--key", "key"))
    for name in (STATEMENT, f"{STATEMENT}.sig"):
        Path(name).write_bytes(files[name])
    words = ["ssh-keygen", "-Y", "verify", "-f", str(allow("lab", key)), "-I", "lab"]
    words += ["-n", "assay-bundle", "-s", f"{STATEMENT}.sig"]
    with Path(STATEMENT).open("rb") as told:
        done = subprocess.run(words, stdin=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 'Good "assay-bundle" signature for lab' in done.stdout


def test_the_statement_is_one_of_in_toto(assay: Assay) -> None:
    """Their own library reads it and finds all that version 1 asks for."""
    files = members(bundled(assay))
    read = json_format.Parse(files[STATEMENT], statement_pb2.Statement())
    Statement.copy_from_pb(read).validate()
    statement = json.loads(files[STATEMENT])
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert set(statement) == {"_type", "subject", "predicateType", "predicate"}
    named = {one["name"]: one["digest"] for one in statement["subject"]}
    assert named[FILE_NAME] == {"sha256": hashlib.sha256(files[FILE_NAME]).hexdigest()}
    with closing(sqlite3.connect(Path("alpha", FILE_NAME))) as file:
        (place, contents), *_ = file.execute("SELECT place, content_hash FROM package").fetchall()
        codes = {row[0] for row in file.execute("SELECT object_hash FROM build")}
        record = json.loads(file.execute("SELECT record FROM package").fetchone()[0])
    assert named[f"sources/{place}"] == {"assayContents": record["content_hash"]}
    assert contents != record["content_hash"]  # that one also says how files are read
    objects = [digest for name, digest in named.items() if name.startswith("objects/")]
    assert {one["assayObject"] for one in objects} == codes
    predicate = statement["predicate"]
    assert predicate["machine"]["host"] == "alpha"
    assert predicate["compilers"] == ["gcc 12.2.0"]
    assert predicate["doctor"]["class"] == "C"
    assert predicate["campaigns"][0]["arguments"] == ["run"]


def test_verify_says_who_signed(assay: Assay) -> None:
    """By the name that the list of allowed signers has for the key."""
    key = new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    done = assay("verify", str(bundle), "--allowed-signers", str(allow("lab@example.org", key)))
    assert (done.code, done.err) == (0, "")
    assert "lab@example.org" in done.out
    listed = ["ssh-keygen", "-l", "-f", "key.pub"]
    print_of = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()[1]
    assert print_of in done.out
    assert fingerprint(Path("key.pub").read_text()) == print_of


def test_a_signature_of_which_nothing_says_whose_it_is_leaves_a_question(assay: Assay) -> None:
    """A good signature by any key whatever is no reason to trust."""
    new_key("key")
    done = assay("verify", str(bundled(assay, "alpha", "--key", "key")))
    assert done.code == 3
    assert "whose signature that is was not compared" in done.out


def test_a_bundle_that_nobody_signed_leaves_a_question(assay: Assay) -> None:
    """And is refused where a signer is asked for."""
    bundle = bundled(assay)
    done = assay("verify", str(bundle))
    assert done.code == 3
    assert "nobody" in done.out
    allowed = str(allow("lab", new_key("key")))
    done = assay("verify", str(bundle), "--allowed-signers", allowed)
    assert done.code == 1
    assert "signed by nobody" in done.out


def test_another_key_than_the_allowed_one_is_refused(assay: Assay) -> None:
    """Also by import, and nothing is written."""
    new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    allowed = ("--allowed-signers", str(allow("lab", new_key("other"))))
    done = assay("verify", str(bundle), *allowed)
    assert done.code == 1
    assert "does not allow" in done.out
    done = assay("import", str(bundle), "--results", "here", *allowed)
    assert done.code == 2
    assert "does not allow" in done.err
    assert not Path("here").exists()


def _sped_up(files: Members) -> Members:
    Path("changed").write_bytes(files[FILE_NAME])
    with closing(sqlite3.connect("changed")) as file:
        file.execute("UPDATE build SET object_hash = 'ff'")
        file.commit()
    return {**files, FILE_NAME: Path("changed").read_bytes()}


def _told_otherwise(files: Members) -> Members:
    return {**files, STATEMENT: files[STATEMENT].replace(b'"alpha"', b'"omega"')}


def _planted(files: Members) -> Members:
    return {**files, "salsa20/ref/speed_9_gcc": b"fast"}


def _second(files: Members) -> Members:
    return {**files, f"more/{FILE_NAME}": files[FILE_NAME]}


def _without_results(files: Members) -> Members:
    return {name: data for name, data in files.items() if name != FILE_NAME}


def _cut_signature(files: Members) -> Members:
    return {**files, f"{STATEMENT}.sig": files[f"{STATEMENT}.sig"][:80]}


def _huge_signature(files: Members) -> Members:
    return {**files, f"{STATEMENT}.sig": b"A" * 70_000}


def _other_signature(files: Members) -> Members:
    other = signed_again({**files, STATEMENT: b"{}"}, Path("key"))
    return {**files, f"{STATEMENT}.sig": other[f"{STATEMENT}.sig"]}


CHANGES: tuple[tuple[Callable[[Members], Members], str], ...] = (
    (_sped_up, f"{FILE_NAME}: its sha256 is "),
    (_told_otherwise, "the signature does not hold"),
    (_planted, "salsa20/ref/speed_9_gcc is there and was not signed"),
    (_second, f"more/{FILE_NAME} is there and was not signed"),
    (_without_results, f"{FILE_NAME} was signed and is not there"),
    (_cut_signature, "the signature does not hold"),
    (_huge_signature, "a signature has more than 65536 bytes"),
    (_other_signature, "the signature does not hold"),
)


@pytest.mark.parametrize(("change", "says"), CHANGES, ids=[one.__name__ for one, _ in CHANGES])
def test_the_first_thing_that_differs_is_named(
    assay: Assay, change: Callable[[Members], Members], says: str
) -> None:
    """By verify with exit code 1, and by import, which takes nothing."""
    new_key("key")
    files = members(bundled(assay, "alpha", "--key", "key"))
    bad = repacked("bad.tar.gz", change(files))
    done = assay("verify", str(bad))
    assert (done.code, done.err) == (1, "")
    assert says in done.out
    done = assay("import", str(bad), "--results", "here")
    assert done.code == 2
    assert says in done.err
    assert not Path("here").exists()


def _other_machine(found: dict[str, object]) -> None:
    found["predicate"]["machine"]["cpu"] = "Faster CPU"  # type: ignore[index]


def _other_sources(found: dict[str, object]) -> None:
    for one in found["subject"]:  # type: ignore[attr-defined]
        if "assayContents" in one["digest"]:
            one["digest"]["assayContents"] = "00" * 32


def _no_object(found: dict[str, object]) -> None:
    kept = [one for one in found["subject"] if "assayObject" not in one["digest"]]  # type: ignore[attr-defined]
    found["subject"] = kept


@pytest.mark.parametrize(
    ("lie", "says"),
    [
        (_other_machine, "Example CPU at 2.4 GHz, signed was Faster CPU"),
        (_other_sources, "signed was 0000"),
        (_no_object, "is there and was not signed"),
    ],
)
def test_who_signs_something_else_than_the_results_say_is_found_out(
    assay: Assay, lie: Callable[[dict[str, object]], None], says: str
) -> None:
    """The signature is genuine, and what was signed is not what the results are."""
    key = new_key("key")
    files = members(bundled(assay, "alpha", "--key", "key"))
    statement = json.loads(files[STATEMENT])
    lie(statement)
    files = signed_again({**files, STATEMENT: json.dumps(statement).encode()}, key)
    done = assay("verify", str(repacked("bad.tar.gz", files)))
    assert done.code == 1
    assert says in done.out


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (b"", "no in-toto statement"),
        (b"[" * 100_000, "no in-toto statement"),
        (b'{"_type": 1}', "no in-toto statement"),
        (b'{"_type": "a", "predicateType": "b", "subject": [], "predicate": {}}', "is of b"),
        (b'{"_type": "a", "predicateType": "b", "subject": [], "predicate": []}', "no in-toto"),
        (
            b'{"_type": "a", "predicateType": "b", "subject": [], "predicate": {"made": []}}',
            "no in-toto",
        ),
    ],
)
def test_a_statement_that_is_none_is_refused(assay: Assay, statement: bytes, says: str) -> None:
    """It is text of a stranger's, before anything is compared."""
    files = members(bundled(assay))
    bad = repacked("bad.tar.gz", {**files, STATEMENT: statement})
    done = assay("verify", str(bad))
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_bundle_that_is_cut_short_is_refused(assay: Assay, share: float) -> None:
    """With a line and a cure, wherever it ends."""
    data = bundled(assay).read_bytes()
    Path("cut.tar.gz").write_bytes(data[: int(len(data) * share)])
    for words in (("verify", "cut.tar.gz"), ("import", "cut.tar.gz", "--results", "here")):
        done = assay(*words)
        assert done.code == 2
        assert "Traceback" not in done.err
        assert done.err.splitlines()[-1].startswith("  ")
    assert not Path("here/machines").exists()


def test_a_member_that_unpacks_to_gigabytes_is_refused(assay: Assay) -> None:
    """By what its bytes come to, not by what it claims; the disk keeps free."""
    files = members(bundled(assay))
    bad = repacked("bad.tar.gz", {**files, "salsa20/speed_1": bytes(64 << 20)})
    done = assay("verify", str(bad))
    assert done.code == 2
    assert "unpacks to too many bytes" in done.err


def test_an_archive_without_a_statement_is_no_bundle(assay: Assay) -> None:
    """And verify says what takes it."""
    measured(Path("alpha"), "alpha").close()
    assert assay("collect", "alpha", "--archive", "-o", "plain.tar.gz").code == 0
    done = assay("verify", "plain.tar.gz")
    assert done.code == 2
    assert f"has no {STATEMENT}" in done.err
    assert "assay import" in done.err


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("locked", "ssh-add locked"),
        ("open", "chmod 600 open"),
        ("missing", "ssh-keygen -t ed25519 -f missing"),
        ("statement", "Name a private key"),
    ],
)
def test_a_key_that_cannot_be_used_is_said_with_a_cure(assay: Assay, key: str, says: str) -> None:
    """Nothing waits for a passphrase, and no bundle is written."""
    new_key("locked", "secret")
    new_key("open").chmod(0o644)
    Path("statement").write_text("no key")
    Path("statement.pub").write_text("no key")
    measured(Path("alpha"), "alpha").close()
    done = assay("bundle", "alpha", "-o", "out.tar.gz", "--key", key)
    assert done.code == 2
    assert says in done.err
    assert not Path("out.tar.gz").exists()


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch, assay: Assay) -> Iterator[Assay]:
    """Start an agent that has the key `locked`, whose passphrase nobody gives any more."""
    new_key("locked", "secret")
    Path("ask").write_text("#!/bin/sh\necho secret\n")
    Path("ask").chmod(0o755)
    with subprocess.Popen(
        ["ssh-agent", "-D", "-a", "agent"], stdout=subprocess.DEVNULL
    ) as process:
        try:
            while not Path("agent").is_socket():
                assert process.poll() is None
            monkeypatch.setenv("SSH_AUTH_SOCK", str(Path("agent").absolute()))
            asked = {**os.environ, "SSH_ASKPASS": "./ask", "SSH_ASKPASS_REQUIRE": "force"}
            subprocess.run(["ssh-add", "-q", "locked"], check=True, env=asked)
            yield assay
        finally:
            process.terminate()


def test_an_agent_signs_with_a_key_that_has_a_passphrase(agent: Assay) -> None:
    """Named by either half: the public one is enough."""
    for key in ("locked", "locked.pub"):
        bundle = bundled(agent, "alpha", "--key", key)
        allowed = str(allow("lab", Path("locked")))
        assert agent("verify", str(bundle), "--allowed-signers", allowed).code == 0
        shutil.rmtree("alpha")


def test_without_ssh_keygen_signing_and_verifying_say_what_to_install(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature that nothing can verify is not taken for a good one."""
    new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    monkeypatch.setenv("PATH", str(Path("empty").absolute()))
    for words in (
        ("bundle", "alpha", "--key", "key", "-o", "out.tar.gz"),
        ("verify", str(bundle)),
        ("import", str(bundle), "--results", "here"),
    ):
        done = assay(*words)
        assert done.code == 2
        assert "there is no ssh-keygen" in done.err
        assert "openssh-client" in done.err
    assert not Path("here").exists()


@pytest.mark.skipif(shutil.which("minisign") is None, reason="there is no minisign here")
def test_minisign_signs_and_verifies_too(assay: Assay) -> None:
    """Its own program verifies the statement; without the public key nothing is believed."""
    words = ["minisign", "-G", "-W", "-p", "lab.pub", "-s", "lab.key"]
    subprocess.run(words, check=True, capture_output=True)
    bundle = bundled(assay, "alpha", "--key", "lab.key")
    assert assay("verify", str(bundle), "--allowed-signers", "lab.pub").code == 0
    done = assay("verify", str(bundle))
    assert done.code == 3
    assert "not verified" in done.out
    files = members(bundle)
    for name in (STATEMENT, f"{STATEMENT}.minisig"):
        Path(name).write_bytes(files[name])
    own = ["minisign", "-V", "-p", "lab.pub", "-m", STATEMENT]
    assert subprocess.run(own, check=False, capture_output=True).returncode == 0
    bad = repacked("bad.tar.gz", _told_otherwise(files))
    assert assay("verify", str(bad), "--allowed-signers", "lab.pub").code == 1


def test_a_bundle_is_imported_with_who_signed_it(assay: Assay) -> None:
    """What was signed stays byte by byte, so that it can be verified at any time."""
    new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    done = assay("import", str(bundle), "--results", "here")
    assert done.code == 0
    assert "signed by ssh key ED25519 SHA256:" in done.out
    (taken,) = Path("here/machines").iterdir()
    files = members(bundle)
    assert {one.name: one.read_bytes() for one in taken.iterdir()} == files
    assert assay("show", "here").code == 0
    signature = signed_by(taken)
    assert signature is not None
    assert signature.key.endswith(fingerprint(Path("key.pub").read_text()))
    (taken / FILE_NAME).write_bytes(_sped_up(files)[FILE_NAME])
    with pytest.raises(TamperedError, match="not those that were signed"):
        signed_by(taken)


def _later(folder: Path) -> None:
    """Make a machine's results later ones."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        file.execute(
            "UPDATE launch SET record = json_set(record, '$.started_at', '2026-11-30T10:00:00Z')"
        )
        file.commit()


@pytest.mark.parametrize("key", [(), ("--key", "other")], ids=["unsigned", "another key"])
def test_signed_results_give_way_only_to_what_the_same_key_signed(
    assay: Assay, key: tuple[str, ...]
) -> None:
    """Else anybody could put later figures in the place of a machine's."""
    new_key("key")
    new_key("other")
    bundle = bundled(assay, "alpha", "--key", "key")
    assert assay("import", str(bundle), "--results", "here").code == 0
    _later(Path("alpha"))
    assert assay("bundle", "alpha", "-o", "later.tar.gz", *key).code == 0
    done = assay("import", "later.tar.gz", "--results", "here")
    assert done.code == 2
    assert "are signed by ssh key" in done.err
    (taken,) = Path("here/machines").iterdir()
    assert (taken / FILE_NAME).read_bytes() == members(bundle)[FILE_NAME]
    assert assay("bundle", "alpha", "-o", "own.tar.gz", "--key", "key").code == 0
    assert assay("import", "own.tar.gz", "--results", "here").code == 0
    assert (taken / FILE_NAME).read_bytes() == members(Path("own.tar.gz"))[FILE_NAME]
    assert signed_by(taken) is not None


def test_a_worker_makes_and_a_server_opens_a_bundle(assay: Assay, tmp_path: Path) -> None:
    """By the two functions, without a command."""
    del assay
    key = new_key("key")
    measured(tmp_path / "alpha", "alpha").close()
    path, what = make_bundle(tmp_path / "alpha", key)
    assert path.name == "alpha-20261121.bundle.tar.gz"
    assert "1 cells on alpha" in what
    found = open_bundle(path, tmp_path / "into", allow("lab", key))
    assert found.host == "alpha"
    assert found.signature is not None
    assert found.signature.signer == "lab"
    assert [one.name for one in found.results.iterdir()] == [FILE_NAME]


def test_every_link_and_device_in_a_bundle_is_refused(assay: Assay) -> None:
    """As in any archive of a stranger's."""
    files = members(bundled(assay))
    with tarfile.open("bad.tar.gz", "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"alpha/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        info = tarfile.TarInfo("alpha/speed_1")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    done = assay("verify", "bad.tar.gz")
    assert done.code == 2
    assert "link" in done.err


def test_the_page_of_a_machine_says_who_signed_its_results(assay: Assay) -> None:
    """By the name in the list, or by the key; and it says if what lies there is something else."""
    key = new_key("key")
    bundle = bundled(assay, "alpha", "--key", "key")
    assert assay("import", str(bundle), "--results", "here").code == 0
    measured(Path("beta"), "beta").close()
    words = ("site", "here", "beta", "--to", "out")

    def page_of(host: str) -> str:
        (page,) = Path("out/machines").glob(f"{host}.*/index.html")
        return page.read_text()

    assert assay(*words).code == 0
    assert fingerprint(Path("key.pub").read_text()) in page_of("alpha")
    assert "Signed by" not in page_of("beta")
    allowed = str(allow("<b>lab@example.org", key))
    assert assay(*words, "--allowed-signers", allowed).code == 0
    assert "&lt;b&gt;lab@example.org" in page_of("alpha")
    (taken,) = Path("here/machines").iterdir()
    (taken / FILE_NAME).write_bytes(_sped_up(members(bundle))[FILE_NAME])
    assert assay(*words).code == 0
    assert "nobody: the results in" in page_of("alpha")

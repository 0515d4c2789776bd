# SPDX-License-Identifier: MIT
"""Bundles: what is signed, by whom, and what of it was changed."""

import hashlib
import io
import json
import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from tests.unit.cli.calling import Assay
from tests.unit.cli.test_archived import measured
from tests.unit.fleet.sealing import (
    STATEMENT,
    Members,
    allow,
    bundled,
    members,
    new_key,
    repacked,
    signed_again,
    sped_up,
    told_otherwise,
)

from assay.fleet.signing import fingerprint
from assay.store import FILE_NAME

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on this machine"
)


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
    (sped_up, f"{FILE_NAME}: its sha256 is "),
    (told_otherwise, "the signature does not hold"),
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

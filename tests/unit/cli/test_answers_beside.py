# SPDX-License-Identifier: MIT
"""`assay check` finds the known answers that lie beside a package."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, Done
from tests.unit.cli.test_known_answers import ROOT, response_file

from assay.check.answers.records import (
    AnswerEvidence,
    AnswerTask,
    KnownAnswer,
    Mismatch,
)
from assay.check.answers.verdicts import versions

FILE = "LWC_HASH_KAT_256.txt"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Write SHA-256 under a name of which no checksums are known."""
    shipped, tree = ROOT / "submissions/supercop", tmp_path / "tree"
    folder = tree / "crypto_hash/toy"
    shutil.copytree(shipped / "crypto_hash/sha256/ref", folder / "ref")
    shutil.copytree(shipped / "crypto_hashblocks/sha256", tree / "crypto_hashblocks/sha256")
    return folder


def answered(done: Done) -> list[tuple[str, str]]:
    """Name the verdicts on known answers in the one record."""
    (record,) = json.loads(done.out)
    return [
        (one["check"], one["verdict"])
        for one in record["checks"]
        if one["check"].startswith("answers/")
    ]


def test_answers_beside_the_package_are_compared_without_being_asked_for(
    assay: Assay, toy: Path
) -> None:
    """They settle whether the outputs are right, and the file is named."""
    response_file(toy / FILE)
    done = assay("check", str(toy / "ref"))
    assert done.code == 0, done.out
    assert f"{FILE}: 3 of 3 answers right" in done.out
    assert done.out.startswith("pass")


def test_a_contest_takes_the_answers_beside_a_package_for_what_they_are(
    assay: Assay, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `check` calls right is not "correctness not compared" in any table, export or page."""
    response_file(toy / FILE)
    results = tmp_path / "results"
    results.mkdir()
    monkeypatch.chdir(results)
    few = ("--best", "1", "--launches", "1", "--samples", "3")
    done = assay("run", "crypto_hash/toy", "--tree", str(tmp_path / "tree"), *few)
    assert (done.code, " open" in done.out) == (0, False), done.out
    table = assay("show", "crypto_hash", "--size", "576").out
    assert "toy" in table
    assert "?:" not in table
    lines = csv.DictReader(assay("show", "crypto_hash", "--csv").out.splitlines())
    assert {line["compared"] for line in lines} == {"True"}
    assert assay("collect").code == 0
    pages = [one.read_text() for one in results.rglob("*.html")]
    assert not [one for one in pages if 'class="tag">correctness not compared' in one]
    assert not [one for one in pages if 'class="badge open"' in one]
    assert any('class="badge pass"' in one for one in pages)


def test_a_wrong_answer_beside_the_package_fails_it(assay: Assay, toy: Path) -> None:
    """As if the file had been named."""
    response_file(toy / FILE, damage=b"!")
    done = assay("check", str(toy / "ref"), "--json")
    assert done.code == 1
    assert answered(done) == [("answers/verified", "fail")]


def test_a_file_that_is_named_is_not_compared_twice(assay: Assay, toy: Path) -> None:
    """The user's own order wins."""
    file = response_file(toy / FILE)
    done = assay("check", str(toy / "ref"), "--answers", str(file), "--json")
    assert answered(done) == [("answers/verified", "pass")]


def test_answers_of_which_nothing_fits_leave_the_question_open(assay: Assay, toy: Path) -> None:
    """Nobody named the file, so that it is skipped; the checksums stay open."""
    response_file(toy / FILE, "sha512")
    done = assay("check", str(toy / "ref"), "--json")
    assert done.code == 3
    assert answered(done) == [("answers/verified", "skipped")]


def test_wrong_answers_of_code_that_is_right_are_noted(assay: Assay, toy: Path) -> None:
    """Two files, one of them of another function: not one of its answers is right."""
    response_file(toy / FILE)
    response_file(toy / "LWC_HASH_KAT_256_old.txt", "sha3_256")
    done = assay("check", str(toy / "ref"), "--json")
    assert done.code == 0
    assert (
        sorted(answered(done))
        == [("answers/version", "finding"), ("answers/verified", "pass")][::-1]
    )


def test_without_another_comparison_wrong_answers_accuse_the_code(assay: Assay, toy: Path) -> None:
    """Nothing tells another version from code that is wrong throughout."""
    response_file(toy / FILE, "sha3_256")
    done = assay("check", str(toy / "ref"), "--json")
    assert done.code == 1
    assert answered(done) == [("answers/verified", "fail")]


OLD = "e355159f292911f794cb1432a0103a8a"
NEW = "4427d64b8e1e1451fc445960f0839bb0"


@pytest.mark.parametrize(
    ("expected", "got", "named"),
    [
        (OLD, NEW, ("Ascon-128 v1.2", "Ascon-AEAD128 (SP 800-232)")),
        ("00" * 16, NEW, ("another version", "Ascon-AEAD128 (SP 800-232)")),
        (OLD, "00" * 16, None),
        (NEW, NEW[:30], None),
    ],
)
def test_versions_are_known_by_what_they_make_of_the_first_question(
    expected: str, got: str, named: tuple[str, str] | None
) -> None:
    """Code that makes neither version's output is wrong, whatever the file is."""
    answer = KnownAnswer(AnswerTask.SEAL, "a:1", {})
    mismatch = Mismatch("it", bytes.fromhex(expected), bytes.fromhex(got))
    assert versions(AnswerEvidence(answer, mismatch)) == named


def test_vectors_name_the_versions_of_file_and_package(assay: Assay, tmp_path: Path) -> None:
    """The file begins with Ascon-Hash's digest of nothing, the package with another."""
    digest = bytes.fromhex("0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2")
    folder = tmp_path / "crypto_hash/toy/ref"
    folder.mkdir(parents=True)
    (folder / "api.h").write_text("#define CRYPTO_BYTES 32\n")
    (folder / "hash.c").write_text(
        '#include <string.h>\n#include "crypto_hash.h"\n'
        "int crypto_hash(unsigned char *o, const unsigned char *i, unsigned long long n)\n"
        f'{{ memcpy(o, "{"".join(f"{chr(92)}x{one:02x}" for one in digest)}", 32); return 0; }}\n'
    )
    older = "7346bc14f036e87ae03d0997913088f5f68411434b3cf8b54fa796a80d251f91"
    (tmp_path / FILE).write_text(f"Count = 1\nMsg = \nMD = {older}\n")
    done = assay("vectors", str(folder), "--answers", str(tmp_path / FILE))
    assert done.code == 1
    both = "the answers of Ascon-Hash v1.2, and the package computes Ascon-Hash256 (SP 800-232)"
    assert f"  they are {both}\n" in done.out

# SPDX-License-Identifier: MIT
"""Code whose outputs were compared with nothing is never called a pass, by any command."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay

from assay.model import CheckResult, Verdict
from assay.model.compared import settled, uncompared

ROOT = Path(__file__).parents[3]
NOT_COMPARED = "correctness not compared"
OPEN = 3


def sha256(tree: Path, primitive: str, *, wrong: bool = False) -> str:
    """Put SHA-256 into a tree without checksums, perhaps with one constant changed."""
    place = f"crypto_hash/{primitive}/mine"
    shutil.copytree(ROOT / "submissions/supercop/crypto_hash/sha256/small", tree / place)
    if wrong:
        source = tree / place / "hash.c"
        text = source.read_text()
        assert text.lower().count("0x428a2f98") == 1
        source.write_text(text.replace("0x428a2f98", "0x428a2f99"))
    return place


def test_a_wrong_sha256_in_a_tree_of_ones_own_fails(assay: Assay, tmp_path: Path) -> None:
    """Its name is known, and so are its checksums; the evidence says where they are from."""
    place = sha256(tmp_path, "sha256", wrong=True)
    done = assay("check", place, "--tree", str(tmp_path))
    assert done.code == 1
    assert "FAIL checksum/small: " in done.out
    assert "submissions/supercop/crypto_hash/sha256" in done.out


def test_a_right_sha256_in_a_tree_of_ones_own_passes(assay: Assay, tmp_path: Path) -> None:
    """And says what it was compared with."""
    place = sha256(tmp_path, "sha256")
    done = assay("check", place, "--tree", str(tmp_path))
    assert done.code == 0, done.out
    assert "pass checksum/small: compared with submissions/supercop/crypto_hash/sha256" in done.out


def test_a_primitive_of_ones_own_is_open_until_known_answers_pass(
    assay: Assay, tmp_path: Path
) -> None:
    """The first line says so, --json too; a file of answers closes the question."""
    place = sha256(tmp_path, "mine", wrong=True)
    done = assay("check", place, "--tree", str(tmp_path))
    assert done.code == OPEN
    assert NOT_COMPARED in done.out.splitlines()[0]
    (entry,) = json.loads(assay("check", place, "--tree", str(tmp_path), "--json").out)
    assert (entry["verdict"], entry["compared"]) == ("open", False)
    right = sha256(tmp_path, "other")
    answers = tmp_path / "answers.rsp"
    # FIPS 180-4, the example of SHA-256 for "abc".
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    answers.write_text(f"Len = 24\nMsg = 616263\nMD = {digest}\n")
    done = assay("check", right, "--tree", str(tmp_path), "--answers", str(answers))
    assert done.code == 0, done.out
    assert NOT_COMPARED not in done.out.splitlines()[0]


def test_a_compact_hash_without_vectors_gets_some(assay: Assay, tmp_path: Path) -> None:
    """It fails nothing, its sizes are those of SHA-224 and SHA-256, and the circle closes."""
    folder = tmp_path / "mysha"
    shutil.copytree(ROOT / "submissions" / "sha256" / "portable", folder)
    done = assay("check", str(folder))
    assert done.code == OPEN, done.out
    assert done.out.splitlines()[0].startswith(f"OPEN  mysha: {NOT_COMPARED}; ")
    assert "the sizes 224, 256 were found out by trying" in done.out
    path = folder / "verified.vectors"
    assert assay("vectors", str(folder), "-o", str(path)).code == 0
    lines = path.read_text().splitlines()
    # FIPS 180-4: SHA-256 of the empty message.
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert f"out=256 len=0 msg=- md={empty}" in lines
    assert {line.split()[0] for line in lines[1:]} == {"out=224", "out=256"}
    assert assay("check", str(folder)).code == 0


def test_a_cipher_without_vectors_is_open(assay: Assay, tmp_path: Path) -> None:
    """The genuine submissions of eSTREAM have none in their folder."""
    folder = tmp_path / "mine"
    shutil.copytree(ROOT / "submissions" / "trivium" / "ref", folder)
    header = folder / "ecrypt-sync.h"  # vectors that are shipped are found by the name
    header.write_text(re.sub(r'(ECRYPT_NAME )"[^"]*"', r'\1"Mine"', header.read_text()))
    done = assay("check", str(folder))
    assert done.code == OPEN
    assert NOT_COMPARED in done.out.splitlines()[0]


def test_a_contest_does_not_call_what_was_not_compared_a_winner(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the campaign's summary, the table, its exports, nor on the pages."""
    place = sha256(tmp_path / "tree", "mine", wrong=True)
    results = tmp_path / "results"
    results.mkdir()
    monkeypatch.chdir(results)
    few = ("--best", "1", "--launches", "1", "--samples", "3")
    done = assay("run", place, "--tree", str(tmp_path / "tree"), *few)
    assert done.code == OPEN
    assert "0 failed, 1 open" in done.out
    table = assay("show", "crypto_hash", "--size", "576").out
    assert "?:mine" in table
    assert NOT_COMPARED in table
    csv = assay("show", "crypto_hash", "--csv").out.splitlines()
    assert {line.split(",")[csv[0].split(",").index("compared")] for line in csv[1:]} == {"False"}
    assert assay("collect").code == 0
    page = (results / "primitives/crypto_hash/mine/index.html").read_text()
    assert NOT_COMPARED in page
    assert 'class="badge pass"' not in page


def test_one_comparison_that_passed_answers_the_open_ones() -> None:
    """A checksum that is unknown leaves no question where known answers are right."""
    unknown = CheckResult("checksum/big", Verdict.OPEN, "none", "compare")
    right = CheckResult("checksum/small", Verdict.PASS)
    other = CheckResult("secrets/timing", Verdict.OPEN, "killed", "again")
    assert uncompared((unknown, other))
    small, big, left = settled((right, unknown, other))
    assert (small, left) == (right, other)
    assert big.verdict is Verdict.SKIPPED
    assert not uncompared((small, big, left))


def test_what_a_library_computes_answers_the_open_ones() -> None:
    """AES-CTR under a name without checksums was compared, and called not compared."""
    unknown = CheckResult("checksum/small", Verdict.OPEN, f"{NOT_COMPARED}: none is known", "ask")
    known = CheckResult("schemes/library", Verdict.PASS)
    assert not uncompared((unknown, known))
    answered, _ = settled((unknown, known))
    assert answered.verdict is Verdict.SKIPPED
    assert answered.reason == "none is known; schemes/library has compared outputs"


def test_a_file_of_answers_that_was_asked_for_stays_open() -> None:
    """Somebody named it, and nothing of it was compared."""
    right = CheckResult("checksum/small", Verdict.PASS)
    unfit = CheckResult("answers/verified", Verdict.OPEN, "nothing fits", "another file")
    assert settled((right, unfit)) == (right, unfit)
    assert not uncompared((right, unfit))


def test_what_was_not_asked_is_not_open() -> None:
    """An examination of some checks only says nothing about the others."""
    assert not uncompared((CheckResult("api/sizes", Verdict.PASS),))

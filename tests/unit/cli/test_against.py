# SPDX-License-Identifier: MIT
"""`assay check --against`: exit codes, records, and what makes no sense together."""

import json
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay
from tests.unit.cli.test_known_answers import ROOT

SHIPPED = ROOT / "submissions/supercop"


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """Write SHA-256 twice under a name of which no checksums are known; `opt` is rarely wrong."""
    tree = tmp_path / "tree"
    for name in ("ref", "opt"):
        shutil.copytree(SHIPPED / "crypto_hash/sha256/ref", tree / "crypto_hash/toy" / name)
    shutil.copytree(SHIPPED / "crypto_hashblocks/sha256", tree / "crypto_hashblocks/sha256")
    (source,) = (tree / "crypto_hash/toy/opt").glob("*.c")
    text = source.read_text()
    assert text.count("    return 0;\n") == 1
    source.write_text(
        text.replace("    return 0;\n", "    out[3] ^= inlen == 70;\n    return 0;\n")
    )
    return tree / "crypto_hash/toy"


def test_a_difference_fails_with_exit_code_1_and_is_a_record(assay: Assay, toys: Path) -> None:
    """The record has the smallest message as evidence."""
    done = assay("check", str(toys / "opt"), "--against", str(toys / "ref"), "--json")
    assert done.code == 1, done.err
    (record,) = json.loads(done.out)
    (found,) = (one for one in record["checks"] if one["check"] == "against/given")
    assert found["verdict"] == "fail"
    assert f"m = {'00' * 70}\n" in found["evidence"]


def test_agreement_with_a_named_package_compares_the_outputs(assay: Assay, toys: Path) -> None:
    """The user says what is compared with, so that the correctness is no open question."""
    other = SHIPPED / "crypto_hash/sha256/small"
    done = assay("check", str(toys / "ref"), "--against", str(other))
    assert done.code == 0, done.out
    assert "not compared" not in done.out.splitlines()[0]
    assert "pass against/given: the same outputs as crypto_hash/sha256/small" in done.out


def test_a_shipped_package_is_reached_from_a_tree(assay: Assay, toys: Path) -> None:
    """`--tree` says where the package is, and does not hide what is shipped."""
    asked = ("check", "crypto_hash/toy/ref", "--tree", str(toys.parents[1]))
    done = assay(*asked, "--against", "crypto_hash/sha256/small")
    assert done.code == 0, done.out + done.err
    assert "pass against/given: the same outputs as crypto_hash/sha256/small" in done.out
    wrong = assay(*asked, "--against", "crypto_hash/nobody/small")
    assert wrong.code == 2
    assert "crypto_hash/nobody/small" in wrong.err


def test_the_tree_s_own_copy_of_a_shipped_name_is_compared_with_the_shipped_one(
    assay: Assay, toys: Path
) -> None:
    """A name of both means the other one; if the package is neither, both are named."""
    tree = toys.parents[1]
    mine = tree / "crypto_hash/sha256/ref"
    shutil.copytree(toys / "opt", mine)
    named = ("--tree", str(tree), "--against", "crypto_hash/sha256/ref")
    done = assay("check", "crypto_hash/sha256/ref", *named)
    assert done.code == 1, done.out + done.err
    assert "against/given" in done.out
    third = assay("check", "crypto_hash/toy/ref", *named)
    assert third.code == 2
    assert "is ambiguous" in third.err
    assert str(mine) in third.err
    assert str(SHIPPED / "crypto_hash/sha256/ref") in third.err


def test_implementations_of_a_tree_are_compared_where_there_are_no_checksums(
    assay: Assay, toys: Path
) -> None:
    """`opt` fails; `ref` is compared with none, and stays open."""
    done = assay("check", str(toys), "--json")
    assert done.code == 1, done.err
    names = {
        record["package"].rpartition("/")[2]: [
            one["verdict"] for one in record["checks"] if one["check"] == "against/siblings"
        ]
        for record in json.loads(done.out)
    }
    assert names == {"opt": ["fail"], "ref": []}


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("crypto_hash/sha256/ref", "would be compared with itself"),
        ("crypto_hash/sha256", "means 5 packages"),
        ("crypto_kem/mlkem768/ref", "different APIs: crypto_hash and crypto_kem"),
        ("salsa20/ref", "different APIs: crypto_hash and ecrypt-sync"),
        ("crypto_hash/sha257", "sha257"),
    ],
)
def test_what_cannot_be_compared_is_refused(assay: Assay, other: str, says: str) -> None:
    """With exit code 2, before anything is built."""
    done = assay("check", "crypto_hash/sha256/ref", "--against", other)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize("wrong", [False, True])
def test_a_cipher_that_assay_brings_is_compared_with_ours(
    assay: Assay, tmp_path: Path, wrong: bool
) -> None:
    """Its vectors have no such IV; the folder around it says what it is."""
    mine = tmp_path / "chacha20/mine"
    shutil.copytree(ROOT / "submissions/chacha20/ref", mine)
    source = mine / "chacha20.c"
    text = source.read_text()
    line = "    ctx->input[14] = U8TO32_LITTLE(iv);\n"
    assert text.count(line) == 1
    if wrong:
        source.write_text(text.replace(line, f"{line}    ctx->input[14] &= -(iv[3] != 255);\n"))
    done = assay("check", str(mine), "--json")
    (record,) = json.loads(done.out)
    checks = {one["check"]: one for one in record["checks"]}
    assert done.code == int(wrong), done.err
    assert checks["vectors/verified"]["verdict"] == "pass"
    assert checks["against/shipped"]["verdict"] == ("fail" if wrong else "pass")


def test_an_operation_with_known_checksums_is_compared_with_ours(
    assay: Assay, tmp_path: Path
) -> None:
    """The checksums are right, and one message in 16384 has a wrong digest.

    One in 65536 was missed by one of ten runs. Another check may meet such a message, too.
    """
    mine = tmp_path / "tree/crypto_hash/sha256/mine"
    shutil.copytree(SHIPPED / "crypto_hash/sha256/small", mine)
    (source,) = mine.glob("*.c")
    text = source.read_text()
    assert text.count("    return 0;\n") == 1
    rare = "    out[3] ^= inlen > 11 && in[5] == 0x5A && (in[11] & 63) == 3;\n"
    source.write_text(text.replace("    return 0;\n", f"{rare}    return 0;\n"))
    done = assay("check", str(mine), "--json")
    (record,) = json.loads(done.out)
    checks = {one["check"]: one["verdict"] for one in record["checks"]}
    assert done.code == 1, done.err
    assert checks["against/shipped"] == "fail"
    assert checks["checksum/small"] == "pass"


def test_a_shipped_reference_is_compared_with_none(assay: Assay) -> None:
    """It is what others are compared with."""
    (record,) = json.loads(assay("check", "chacha20/ref", "--json").out)
    assert "against/shipped" not in {one["check"] for one in record["checks"]}


def test_a_portable_implementation_stands_for_a_hash_that_assay_brings(assay: Assay) -> None:
    """The first of Shabal's folders is assembly for another machine."""
    done = assay("check", "shabal/portable-lowram", "--json")
    (record,) = json.loads(done.out)
    assert done.code == 0, done.err
    checks = {one["check"]: one["verdict"] for one in record["checks"]}
    assert checks["against/shipped"] == "pass"


def test_a_comparison_of_two_strings_agrees_with_ours_on_equal_ones(
    assay: Assay, tmp_path: Path
) -> None:
    """Both strings are drawn as zeros now and then, and then they do not differ."""
    mine = tmp_path / "tree/crypto_verify/16/mine"
    shutil.copytree(SHIPPED / "crypto_verify/16/ref", mine)
    for _ in range(3):
        done = assay("check", str(mine), "--json")
        (record,) = json.loads(done.out)
        assert done.code == 0, record
        assert "against/shipped" in {one["check"] for one in record["checks"]}

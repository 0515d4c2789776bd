# SPDX-License-Identifier: MIT
"""`assay vectors` and `assay check --answers`: packages of operations and known answers."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay

ROOT = Path(__file__).parents[3]
SHA256 = "crypto_hash/sha256/ref"
MESSAGES = (b"", b"abc", b"x" * 200)


def response_file(path: Path, name: str = "sha256", damage: bytes = b"") -> Path:
    """Write answers that hashlib gives; the last one of the message and `damage`."""
    blocks = [
        f"Len = {8 * len(one)}\nMsg = {one.hex() or '00'}\n"
        f"MD = {hashlib.new(name, one).hexdigest()}"
        for one in MESSAGES
    ]
    if damage:
        wrong = hashlib.new(name, b"abc" + damage).hexdigest()
        blocks.append(f"Len = 24\nMsg = {b'abc'.hex()}\nMD = {wrong}")
    path.write_text("\n\n".join(blocks) + "\n")
    return path


def test_right_answers_of_every_implementation_of_a_primitive(
    assay: Assay, tmp_path: Path
) -> None:
    """Each is named, with its count."""
    done = assay("vectors", "crypto_hash/sha256", "--answers", str(response_file(tmp_path / "a")))
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert {"crypto_hash/sha256/ref:", "crypto_hash/sha256/small:"} <= set(lines[::2])
    assert set(lines[1::2]) == {"3 of 3 answers right"}


def test_a_wrong_answer_is_shown_and_fails(assay: Assay, tmp_path: Path) -> None:
    """With what was expected, and what came."""
    done = assay("vectors", SHA256, "--answers", str(response_file(tmp_path / "a", damage=b"!")))
    assert done.code == 1
    assert done.out.startswith("3 of 4 answers right\n")
    assert f"expected {hashlib.sha256(b'abc!').hexdigest()}" in done.out
    assert f"got      {hashlib.sha256(b'abc').hexdigest()}" in done.out


def test_a_file_of_which_nothing_fits_is_no_pass(assay: Assay, tmp_path: Path) -> None:
    """SHA-512's answers are none for SHA-256."""
    file = response_file(tmp_path / "a", "sha512")
    done = assay("vectors", SHA256, "--answers", str(file))
    assert done.code == 3
    assert "no answer of the file fits this package" in done.out
    checked = assay("check", SHA256, "--answers", str(file), "--json")
    assert checked.code == 3
    (entry,) = json.loads(checked.out)
    assert entry["verdict"] == "open"
    assert f"nothing of {file} was compared" in checked.err


def test_checksums_are_written_as_the_primitive_has_them(assay: Assay) -> None:
    """The files beside the implementations hold what every honest one gives."""
    done = assay("vectors", SHA256)
    folder = ROOT / "submissions/supercop/crypto_hash/sha256"
    names = ("checksumsmall", "checksumbig")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        f"{one} {(folder / one).read_text().strip()}" for one in names
    ]


def test_a_checksum_that_is_not_the_primitives_fails(assay: Assay, tmp_path: Path) -> None:
    """It is written all the same, and named."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "submissions/supercop/crypto_verify/16", tree / "crypto_verify/16")
    (tree / "crypto_verify/16/checksumbig").write_text("1" * 64 + "\n")
    done = assay("vectors", "crypto_verify/16/ref", "--tree", str(tree))
    assert done.code == 1
    assert f"checksumbig {'0' * 64}" in done.out
    assert "checksumbig of the primitive says something else" in done.err
    assert "checksumsmall of" not in done.err


def test_check_takes_known_answers_as_further_verdicts(assay: Assay, tmp_path: Path) -> None:
    """One for each file, in the order given."""
    good = response_file(tmp_path / "good")
    bad = response_file(tmp_path / "bad", damage=b"!")
    done = assay("check", SHA256, "--answers", str(good), "--answers", str(bad), "--json")
    assert done.code == 1
    (entry,) = json.loads(done.out)
    answered = [one for one in entry["checks"] if one["check"] == "answers/verified"]
    assert [one["verdict"] for one in answered] == ["pass", "fail"]
    assert answered[0]["reason"] == f"{good}: 3 of 3 answers right"
    assert hashlib.sha256(b"abc!").hexdigest() in answered[1]["evidence"]
    others = {one["verdict"] for one in entry["checks"] if one not in answered}
    assert "fail" not in others


@pytest.mark.parametrize(
    "options", [("--sample", "1"), ("--all-configs", "--best", "1"), ("--target", "native")]
)
def test_known_answers_are_compared_in_every_form_of_check(
    assay: Assay, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Of many packages, in all configurations, on targets; a wrong answer fails each."""
    bad = response_file(tmp_path / "bad", damage=b"!")
    done = assay("check", SHA256, "--answers", str(bad), *options)
    assert done.code == 1
    assert "answers/verified" in done.out
    assert "3 of 4 answ" in done.out.replace("N of N", "3 of 4")  # reasons are cut short


def test_answers_left_out_for_a_field_are_said(assay: Assay, tmp_path: Path) -> None:
    """What a pass did not compare stands beside it: here two of five, with a customisation."""
    file = response_file(tmp_path / "a")
    more = "\n".join(f"\nLen = 0\nMsg = 00\nZ = {one}\nMD = {'00' * 32}" for one in ("01", "02"))
    file.write_text(file.read_text() + more + "\n")
    done = assay("check", SHA256, "--answers", str(file))
    assert done.code == 0, done.err
    said = "2 of 5 answers not compared: they have the field Z, which crypto_hash has no input for"
    assert said in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("check", "phelix/fast", "--answers", "FILE"),
            "--answers does not apply to stream ciphers",
        ),
        (("vectors", SHA256, "--long"), "no long vectors"),
        (
            ("vectors", SHA256, "-o", "x", "--answers", "FILE"),
            "--output and --answers do not go together",
        ),
        (("vectors", "crypto_hash/sha256", "-o", "x"), "needs one package, one target"),
        (("vectors", SHA256, "--answers", "missing.rsp"), "does not exist"),
    ],
)
def test_wrong_usage_is_told(
    assay: Assay, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    """With exit code 2."""
    file = str(response_file(tmp_path / "a"))
    done = assay(*(file if one == "FILE" else one for one in arguments))
    assert done.code == 2
    assert says in done.err

# SPDX-License-Identifier: MIT
"""Files beside a package that ask for more than anybody would: each ends soon, in one line."""

import json
from pathlib import Path

import pytest

from assay.check.answers.read import read_answers
from assay.errors import AssayError, UsageError
from assay.package.builds.makefile import parse_makefile
from assay.package.described.toml import read_description
from assay.package.estream import load_estream

ROOT = Path(__file__).parents[4]
DIGITS = "9" * 5000


def group(test: str, kind: str = "AFT") -> str:
    """Write an ACVP file with one test."""
    groups = f'[{{"tgId": 1, "testType": "{kind}", "tests": [{test}]}}]'
    return f'{{"vsId": 1, "algorithm": "SHA2-256", "mode": "", "testGroups": {groups}}}'


@pytest.mark.parametrize(
    "text",
    [
        '{"testGroups": ' + "[" * 200_000 + "]" * 200_000 + "}",
        group('{"tcId": 1, "msg": "00", "md": "00", "len": ' + DIGITS + "}"),
    ],
    ids=["nested", "digits"],
)
def test_answers_beyond_any_limit_are_refused(tmp_path: Path, text: str) -> None:
    """A number of 5,000 digits ended a campaign with a traceback."""
    path = tmp_path / "some.json"
    path.write_text(text)
    with pytest.raises(AssayError):
        read_answers(path)


def test_a_long_message_of_acvp_is_skipped_whatever_its_length(tmp_path: Path) -> None:
    """A length of 10^17 bytes was computed without an end."""
    large = {"content": "00", "contentLength": 8, "fullLength": 10**17}
    test = json.dumps({"tcId": 1, "largeMsg": large, "md": "00"})
    path = tmp_path / "some.json"
    path.write_text(group(test, "LDT"))
    assert list(read_answers(path).skipped.values()) == [1]


@pytest.mark.parametrize(
    "value", ["[" * 3000 + "]" * 3000, DIGITS, "{a = " * 900 + "1" + "}" * 900]
)
def test_a_description_beyond_any_limit_is_refused(tmp_path: Path, value: str) -> None:
    """With the file's name, not with a traceback."""
    path = tmp_path / "assay.toml"
    path.write_text(f"root = {value}\n")
    with pytest.raises(UsageError, match=r"assay\.toml"):
        read_description(path)


def test_a_makefile_of_variables_is_read_as_it_stands() -> None:
    """Nothing is expanded: neither a million of them nor a few that double each other."""
    many = "".join(f"V{one} = $(V{one - 1})x\n" for one in range(300_000))
    double = "".join(f"A{one} = $(A{one - 1})$(A{one - 1})\n" for one in range(64))
    found = parse_makefile(f"name = toy\n{many}{double}std = $(A63)\n")
    assert found.name == "toy"


def test_a_makefile_that_is_too_long_is_no_makefile(tmp_path: Path) -> None:
    """The package cannot be loaded, and says why."""
    package = tmp_path / "salsa20/ref"
    package.mkdir(parents=True)
    for path in (ROOT / "submissions/salsa20/ref").iterdir():
        (package / path.name).write_bytes(path.read_bytes())
    with (package / "Makefile").open("a") as file:
        file.writelines(f"V{one} = $(V{one - 1})x\n" for one in range(1_000_000))
    with pytest.raises(AssayError, match="larger than"):
        load_estream(package)

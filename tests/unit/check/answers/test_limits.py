# SPDX-License-Identifier: MIT
"""Files of known answers that try to end the bench, or to keep it busy."""

from pathlib import Path

import pytest

from assay.check.answers.read import Allowance, read_answers
from assay.errors import UsageError, VectorFormatError
from assay.package.described.toml import read_description

DIGITS = "1" * 5000
ACVP = '{"algorithm": "SHA2-256", "testGroups": [{"tests": [%s]}]}'


@pytest.mark.parametrize(
    "text",
    [
        f"Len = {DIGITS}\nMsg = 00\nMD = 00\n",
        ACVP % f'{{"tcId": 1, "msg": "00", "md": "00", "len": {DIGITS}}}',
        ACVP % ("[" * 5000 + "]" * 5000),
        ACVP % '{"tcId": [1], "msg": {"a": 1}, "md": 3}',
        ACVP % "7",
        "[" * 100000,
    ],
)
def test_numbers_and_brackets_without_end_are_a_damaged_file(tmp_path: Path, text: str) -> None:
    """It was a traceback: Python has limits of digits and of recursion."""
    path = tmp_path / "answers"
    path.write_text(text)
    with pytest.raises(VectorFormatError):
        read_answers(path)


def test_files_beside_a_package_share_one_limit_of_lines_and_time(tmp_path: Path) -> None:
    """What a user names is read however long it is; what lies there is not."""
    path = tmp_path / "x_KAT_1.txt"
    path.write_text("msg = 00\n" * 3000)
    shared = Allowance(lines_left=5000)
    read_answers(path, shared)
    with pytest.raises(VectorFormatError, match="lines together"):
        read_answers(path, shared)
    with pytest.raises(VectorFormatError, match="more than 5 s"):
        read_answers(path, Allowance(seconds_left=0.0))
    assert read_answers(path).skipped


@pytest.mark.parametrize("text", [f"a = {DIGITS}", "a = " + "[" * 3000 + "]" * 3000])
def test_a_description_with_numbers_or_brackets_without_end_is_refused(
    tmp_path: Path, text: str
) -> None:
    """It was a traceback."""
    path = tmp_path / "assay.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match="cannot be read"):
        read_description(path)

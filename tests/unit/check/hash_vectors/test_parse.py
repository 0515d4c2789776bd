# SPDX-License-Identifier: MIT
"""Files of digests are read in three forms, and damage is told with its line."""

from pathlib import Path

import pytest

from assay.check.answers.vector_text import Vector, read_family, read_vectors
from assay.errors import VectorFormatError

OURS = """\
# xxx: made by hand
out=16 len=0 msg=- md=abcd

out=16 len=3 msg=a0 md=ABCE
"""
KAT = """\
# ShortMsgKAT_16.txt
# Algorithm Name: Xxx

Len = 0
Msg = 00
MD = ABCD

Len = 3
Msg = A0
MD = ABCE
"""
WITHOUT_LEN = """\
Count = 1
Msg =
MD = ABCD

Count = 2
Msg = A0
MD = ABCE
"""


def read(tmp_path: Path, text: str) -> tuple[Vector, ...]:
    """Read a file with this text."""
    path = tmp_path / "file"
    path.write_text(text)
    return read_vectors(path)


@pytest.mark.parametrize("text", [OURS, KAT, KAT.replace("\n", "\r\n"), WITHOUT_LEN])
def test_every_form_is_read(tmp_path: Path, text: str) -> None:
    """Sizes, lengths, messages and digests; CR LF as well; without Len whole bytes."""
    first, second = read(tmp_path, text)
    assert (first.out_bits, first.bits, first.whole, first.rest) == (16, 0, b"", (0, 0))
    assert (first.digest, second.digest) == (b"\xab\xcd", b"\xab\xce")
    if text is WITHOUT_LEN:
        assert (second.bits, second.whole, second.rest) == (8, b"\xa0", (0, 0))
    else:
        assert (second.bits, second.whole, second.rest) == (3, b"", (0xA0, 3))
        assert second.place.startswith("file:")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no vectors"),
        ("# nothing\n", "has no vectors"),
        (OURS + "out=16 len=8 msg=zz md=abcd\n", ":5 is no vector"),
        (OURS.replace("abcd", "abcdef"), "file:2: 24 bits of digest for a size of 16"),
        (OURS.replace("len=3", "len=30"), "file:4: 16 bits of digest for a size of 16, 1 bytes"),
        (OURS.rstrip("\n")[:-2], "file:4: 8 bits of digest"),
        (KAT.rstrip("\n")[:-2], "file:10: 8 bits of digest for a size of 16"),
        (KAT[: KAT.rindex("MD")], ":9: the last message has no digest"),
        (KAT.replace("Msg = A0", "Msg = XY"), ":9 is no number"),
        (KAT.replace("Msg = A0\n", ""), ":9 has no message"),
    ],
)
def test_damage_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    """Half a file is not a smaller whole one."""
    with pytest.raises(VectorFormatError) as caught:
        read(tmp_path, text)
    assert says in str(caught.value)


def test_a_file_that_is_not_there_is_an_error_of_its_own(tmp_path: Path) -> None:
    """With what the system says."""
    with pytest.raises(VectorFormatError, match="cannot be read: No such file"):
        read_vectors(tmp_path / "nowhere")


def test_files_of_the_sha3_competition_belong_together(tmp_path: Path) -> None:
    """One for each size, of short and of long messages; links are left out."""
    (tmp_path / "ShortMsgKAT_16.txt").write_text(KAT)
    (tmp_path / "LongMsgKAT_16.txt").write_text("Len = 8\nMsg = 00\nMD = 1234\n")
    (tmp_path / "ShortMsgKAT_8.txt").write_text("Len = 8\nMsg = 00\nMD = 56\n")
    (tmp_path / "ShortMsgKAT_9.txt").symlink_to("/etc/passwd")
    found = read_family(tmp_path / "ShortMsgKAT_16.txt")
    assert sorted((one.out_bits, one.bits) for one in found) == [(8, 8), (16, 0), (16, 3), (16, 8)]
    assert len(read_vectors(tmp_path / "ShortMsgKAT_16.txt")) == 2

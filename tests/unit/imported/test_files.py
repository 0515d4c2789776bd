# SPDX-License-Identifier: MIT
"""Files of database lines: compressed, damaged, in folders as SUPERCOP leaves them."""

import gzip
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.imported.files import LINE_BYTES, data_files, digest, lines, opened
from assay.imported.values import BadLine

LINE = b"20260330 vm amd64 20261120 crypto_hash sha256/timingleaks outputbytes 32\n"


def _lines(path: Path) -> list[str | None]:
    """Read all lines of a file."""
    with opened(path) as stream:
        return list(lines(stream))


def test_compressed_and_plain_lines_are_the_same(tmp_path: Path) -> None:
    """By what the file begins with, not by its name; and so is their digest."""
    plain, packed = tmp_path / "data.gz", tmp_path / "data"
    plain.write_bytes(2 * LINE)
    packed.write_bytes(gzip.compress(2 * LINE))
    assert _lines(plain) == _lines(packed) == [LINE.decode().strip()] * 2
    assert digest(plain) == digest(packed)


def test_a_line_that_is_too_long_is_none_of_its_length(tmp_path: Path) -> None:
    """And the one after it is read."""
    path = tmp_path / "data"
    path.write_bytes(b"x" * (3 * LINE_BYTES) + b"\n" + b"y" * (LINE_BYTES - 1) + b"\nz")
    assert _lines(path) == [None, "y" * (LINE_BYTES - 1), "z"]


def test_bytes_that_are_no_text_become_text(tmp_path: Path) -> None:
    """A compiler's message may hold anything; only a line feed ends a line."""
    path = tmp_path / "data"
    path.write_bytes(b"a\xe2b\r\x0bc\n\n\xc3\xa9")
    assert _lines(path) == ["a\\xe2b\r\x0bc", "", "é"]


def test_a_damaged_file_gives_the_lines_before(tmp_path: Path) -> None:
    """Cut short, as by a full disk."""
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(LINE)[:-8])
    with opened(path) as stream:
        found = lines(stream)
        assert next(found) == LINE.decode().strip()
        with pytest.raises(BadLine, match="damaged"):
            next(found)
    assert digest(path) != ""


def test_a_machines_collected_file_stands_for_all_below(tmp_path: Path) -> None:
    """SUPERCOP's folder of a machine: what lies deeper was collected."""
    for name in ("one/data", "one/amd64/try/data", "two/amd64/measure1/data", "two/work/x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(LINE)
    (tmp_path / "two/log").write_bytes(b"=== starting\n")
    (tmp_path / "two/program").write_bytes(bytes(range(256)))
    (tmp_path / "two/data").write_bytes(b"")
    found = [path.relative_to(tmp_path).as_posix() for path in data_files([tmp_path])]
    assert found == ["one/data", "two/amd64/measure1/data", "two/work/x.txt"]


def test_links_in_folders_are_not_followed(tmp_path: Path) -> None:
    """A circle of them would never end."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/data").write_bytes(LINE)
    (tmp_path / "again").symlink_to(tmp_path)
    assert list(data_files([tmp_path])) == [tmp_path / "a/data"]


def test_nothing_to_read_is_wrong_usage(tmp_path: Path) -> None:
    """With the name and a cure; a file that is named is read whatever is in it."""
    with pytest.raises(UsageError, match="no database lines in"):
        list(data_files([tmp_path]))
    with pytest.raises(UsageError, match="does not exist"):
        list(data_files([tmp_path / "none"]))
    (tmp_path / "text").write_text("hello")
    assert list(data_files([tmp_path / "text"])) == [tmp_path / "text"]


def test_a_results_folder_is_named_with_what_takes_it(tmp_path: Path) -> None:
    """It has no database lines, but whoever names it wants its results."""
    (tmp_path / "results.sqlite").write_bytes(b"")
    with pytest.raises(UsageError, match="is a results folder") as refused:
        list(data_files([tmp_path]))
    assert "collect" in refused.value.cure

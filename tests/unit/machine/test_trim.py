# SPDX-License-Identifier: MIT
"""Folders in the user's cache do not grow for ever."""

import os
import time
from pathlib import Path

from assay.machine.cache import trim


def aged(folder: Path, name: str, days: float, size: int = 10) -> None:
    """Make a file that was used some days ago."""
    path = folder / name
    path.write_bytes(bytes(size))
    moment = time.time() - days * 86_400
    os.utime(path, (moment, moment))


def test_what_was_not_used_for_three_months_is_removed(tmp_path: Path) -> None:
    """What a site has just used stays however old it is, and is young again; links stay."""
    for name, days in (("a.json", 100), ("a.cells", 100), ("b.json", 89), ("c.cells", 100)):
        aged(tmp_path, name, days)
    (tmp_path / "link").symlink_to(tmp_path / "b.json")
    trim(tmp_path, {"a"}, days=90)
    assert {one.name for one in tmp_path.iterdir()} == {"a.json", "a.cells", "b.json", "link"}
    assert (tmp_path / "a.json").stat().st_mtime > time.time() - 86_400


def test_beyond_a_size_the_oldest_go_first(tmp_path: Path) -> None:
    """Of three files of ten bytes two fit; the one in use counts, too."""
    for name, days in (("a.json", 30), ("b.json", 20), ("c.json", 10)):
        aged(tmp_path, name, days)
    trim(tmp_path, {"a"}, most_bytes=20)
    assert {one.name for one in tmp_path.iterdir()} == {"a.json", "c.json"}


def test_of_folders_a_number_is_kept(tmp_path: Path) -> None:
    """With what is in them; the one in use counts as the newest."""
    for name, days in (("a", 30), ("b", 20), ("c", 10)):
        (tmp_path / name).mkdir()
        aged(tmp_path / name, "file", days)
        os.utime(tmp_path / name, (time.time() - days * 86_400,) * 2)
    trim(tmp_path, {"a"}, most=2)
    assert {one.name for one in tmp_path.iterdir()} == {"a", "c"}

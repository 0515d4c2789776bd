# SPDX-License-Identifier: MIT
"""The index of sites in the user's cache does not grow for ever."""

import os
import time
from pathlib import Path

from assay.site.writer import trim


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
    trim(tmp_path, {"a"})
    assert {one.name for one in tmp_path.iterdir()} == {"a.json", "a.cells", "b.json", "link"}
    assert (tmp_path / "a.json").stat().st_mtime > time.time() - 86_400


def test_beyond_a_size_the_oldest_go_first(tmp_path: Path) -> None:
    """Of three files of ten bytes two fit; the one in use counts, too."""
    for name, days in (("a.json", 30), ("b.json", 20), ("c.json", 10)):
        aged(tmp_path, name, days)
    trim(tmp_path, {"a"}, most_bytes=20)
    assert {one.name for one in tmp_path.iterdir()} == {"a.json", "c.json"}

# SPDX-License-Identifier: MIT
"""Writing below a results folder that a stranger has filled with links."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.writing import (
    named_file,
    remove_below,
    remove_leftovers,
    replace_folder,
    write_below,
)


@pytest.mark.parametrize(
    "plant",
    [
        lambda path, outside: path.symlink_to(outside),
        lambda path, outside: path.hardlink_to(outside),
        lambda path, outside: path.symlink_to(outside.with_name("absent")),
        lambda path, _: os.mkfifo(path),
        lambda path, _: path.symlink_to("/dev/full"),
    ],
    ids=["link", "hard link", "dangling link", "FIFO", "device"],
)
def test_a_link_of_a_files_name_is_replaced_and_not_followed(
    tmp_path: Path, plant: Callable[[Path, Path], None]
) -> None:
    """The CSV of a stranger's folder had been written into the user's ~/.bashrc."""
    outside, folder = tmp_path / "bashrc", tmp_path / "results"
    outside.write_text("mine")
    (folder / "ebacs").mkdir(parents=True)
    for name in ("results.csv", "results.css", "sort.js", "ebacs/index.html"):
        plant(folder / name, outside)
        write_below(folder, name, "theirs")
    assert outside.read_text() == "mine"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bashrc", "results"]
    assert (folder / "results.csv").read_text() == "theirs"
    assert not (folder / "results.csv").is_symlink()


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """Nothing is written or removed where it leads; the results folder itself may be one."""
    outside, folder = tmp_path / "outside", tmp_path / "results"
    outside.mkdir()
    (outside / "speed_1_x").write_text("mine")
    folder.mkdir()
    (folder / "ebacs").symlink_to(outside)
    with pytest.raises(UsageError, match="link"):
        write_below(folder, "ebacs/index.html", "theirs")
    with pytest.raises(UsageError, match="link"):
        remove_below(folder, "ebacs/speed_1_x")
    assert [one.name for one in outside.iterdir()] == ["speed_1_x"]
    (tmp_path / "alias").symlink_to(folder)
    assert write_below(tmp_path / "alias", "a/b", "x").read_text() == "x"


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "", "."])
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    """It says so instead of writing there."""
    with pytest.raises(UsageError, match="leads out"):
        write_below(tmp_path / "results", name, "x")


def test_a_folder_is_replaced_whole_and_its_link_is_not_followed(tmp_path: Path) -> None:
    """What stood under its name is gone, and what a link led to stays."""
    outside, folder = tmp_path / "outside", tmp_path / "reports"
    (outside / "below").mkdir(parents=True)
    (outside / "below/x.mk").write_text("mine")
    folder.mkdir()
    (folder / "configs").symlink_to(outside)
    replace_folder(folder, "configs", {"a.mk": "1"})
    replace_folder(folder, "configs", {"b.mk": "2"})
    (folder / "configs/link").symlink_to(outside)
    replace_folder(folder, "configs", {})
    assert [one.name for one in folder.iterdir()] == ["configs"]
    assert list((folder / "configs").iterdir()) == []
    assert (outside / "below/x.mk").read_text() == "mine"


def test_leftovers_of_a_start_that_was_killed_are_removed(tmp_path: Path) -> None:
    """And nothing else: a link of such a name is removed, not what it leads to."""
    kept = tmp_path / "outside"
    kept.mkdir()
    (kept / "file").touch()
    folder = tmp_path / "reports"
    (folder / f".assay-folder-{'0' * 16}/x").mkdir(parents=True)
    (folder / f".assay-folder-{'1' * 16}").symlink_to(kept)
    (folder / ".assay").mkdir()
    remove_leftovers(folder)
    assert [one.name for one in folder.iterdir()] == [".assay"]
    assert [one.name for one in kept.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["link", "fifo", "folder"])
def test_a_file_that_the_user_names_is_no_link_and_no_device(tmp_path: Path, name: str) -> None:
    """`--output`, `--record` and `-o` in a stranger's folder follow no link either."""
    outside = tmp_path / "mine"
    outside.write_text("mine")
    (tmp_path / "link").symlink_to(outside)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="no file"), named_file(tmp_path / name) as file:
        file.write(b"theirs")
    assert outside.read_text() == "mine"


def test_a_file_that_was_not_completed_is_not_there(tmp_path: Path) -> None:
    """What stood there before stays, and no part is left."""
    path = tmp_path / "page.html"
    path.write_text("before")
    with suppress(KeyboardInterrupt), named_file(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    assert path.read_text() == "before"

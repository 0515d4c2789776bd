# SPDX-License-Identifier: MIT
"""Writing below a results folder that a stranger has filled with links."""

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.report.ebacs import site
from assay.report.pages import copy_assets
from assay.writing import remove_below, write_below

SOURCE = Path(site.__file__).parents[2]
WRITERS = {"write_text", "write_bytes", "mkdir", "touch", "symlink_to", "rename", "replace_with"}


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
    copy_assets(folder)
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


def test_reports_write_in_no_other_way() -> None:
    """No module that makes pages or text files writes, makes folders or renames by itself."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in (SOURCE / "report").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITERS
    ]
    assert found == []

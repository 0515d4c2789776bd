# SPDX-License-Identifier: MIT
"""Results folders that cannot be written, or fill up: a message, and nothing is damaged."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.campaign.conftest import Tree

from assay.summary.cells import cell_results

FULL = ("No space left", "the disk is full", "Check the disk")
READ_ONLY = ("read-only", "Read-only", "may read and write it")


@pytest.fixture
def disk(tree: Tree) -> Iterator[Path]:
    """Mount a small disk at the results folder; give the folder."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    tree.results.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(tree.results)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    yield tree.results
    subprocess.run(["umount", "-l", str(tree.results)], check=True)


def remount(folder: Path, options: str) -> None:
    """Change the disk."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


@pytest.mark.parametrize("kilobytes", [20, 140])
def test_a_full_disk_is_told_and_the_same_command_goes_on(
    tree: Tree, disk: Path, kilobytes: int
) -> None:
    """Wherever it fills up: exit code 2 and a message; with room again all is completed."""
    remount(disk, f"size={kilobytes}k")
    done = tree.run("--best", "1")
    assert done.returncode == 2
    assert done.stderr.count("error: ") == 1
    assert any(words in done.stderr for words in FULL), done.stderr
    remount(disk, "size=64m")
    again = tree.run("--best", "1")
    assert again.returncode == 0, again.stderr
    with tree.store() as store:
        (result,) = cell_results(store)
    assert result.figures


def test_a_read_only_results_folder_is_told_and_left_intact(tree: Tree, disk: Path) -> None:
    """Exit code 2, a message with the folder, and the results as they were."""
    assert tree.run("--best", "1").returncode == 0
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    remount(disk, "ro")
    done = tree.run()
    assert done.returncode == 2
    assert any(words in done.stderr for words in READ_ONLY), done.stderr
    assert str(disk) in done.stderr
    after = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    assert after == before


def test_a_results_folder_that_is_a_file_is_told(tree: Tree, tmp_path: Path) -> None:
    """--results the name of a file: exit code 2 and the name."""
    (tmp_path / "file").write_text("mine\n")
    done = tree.run("--results", str(tmp_path / "file"))
    assert done.returncode == 2
    assert str(tmp_path / "file") in done.stderr
    assert (tmp_path / "file").read_text() == "mine\n"


def test_results_that_are_none_are_told_and_kept(tree: Tree) -> None:
    """A file by the store's name that is no store is not overwritten."""
    tree.results.mkdir()
    (tree.results / "results.sqlite").write_text("a shopping list, for instance\n" * 100)
    done = tree.run()
    assert done.returncode == 2
    assert "it is no results file" in done.stderr
    assert (tree.results / "results.sqlite").read_text().startswith("a shopping list")

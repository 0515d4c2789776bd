# SPDX-License-Identifier: MIT
"""Folders for jailed commands do not outlive those who made them."""

import subprocess
from pathlib import Path

import pytest

from assay.execute.staging import staged_folder, sweep


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a temporary folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_removed_and_nothing_else(temporary: Path) -> None:
    """Folders of the living, and files of others with a similar name, stay."""
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    left = temporary / f"assay-run-{ended.pid}-abc"
    other = temporary / "assay-notes"
    for folder in (left, other):
        folder.mkdir()
        (folder / "file").touch()
    with staged_folder("assay-run-") as mine:
        sweep()
        assert mine.is_dir()
    assert not mine.exists()
    assert not left.exists()
    assert (other / "file").exists()

# SPDX-License-Identifier: MIT
"""`scripts/assay`, which starts the command of a clone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts/assay"


@pytest.mark.parametrize(
    ("folder", "before", "after"),
    [("clone", "C", "C"), ("klön", "C", "C.UTF-8"), ("klön", "C.UTF-8", "C.UTF-8")],
)
def test_a_clone_whose_path_the_locale_cannot_write_gets_another_locale(
    tmp_path: Path, folder: str, before: str, after: str
) -> None:
    """Python reads the path in the locale's encoding, and ended with a fatal error."""
    clone = tmp_path / folder
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / "scripts").mkdir()
    shutil.copy(SCRIPT, clone / "scripts/assay")
    command = clone / ".venv/bin/assay"
    command.write_text('#!/bin/sh\necho "$LC_ALL $1"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [clone / "scripts/assay", "list"], env={**os.environ, "LC_ALL": before},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{after} list\n", "")

# SPDX-License-Identifier: MIT
"""What `./scripts/waits` measures with."""

from pathlib import Path

from tests.whole.waits.timed import wait_for


def test_a_command_is_timed_to_its_end_and_to_its_words(tmp_path: Path) -> None:
    """Words that never come have no time."""
    done = wait_for(["--version"], tmp_path, ["assay", "never said"])
    assert done.code == 0
    assert done.last_line.startswith("assay, version")
    assert 0.0 < done.seen["assay"] <= done.seconds
    assert "never said" not in done.seen

# SPDX-License-Identifier: MIT
"""The composite action: what its step runs, and how it ends."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.objects import Json

ROOT = Path(__file__).parents[3]
ACTION: Json = yaml.safe_load((ROOT / ".github/actions/assay/action.yml").read_text())


@pytest.mark.parametrize(
    ("code", "allowed", "ends"), [(0, "false", 0), (1, "true", 1), (3, "false", 3), (3, "true", 0)]
)
def test_the_step_passes_words_on_and_ends_as_the_command_does(
    tmp_path: Path, code: int, allowed: str, ends: int
) -> None:
    """Exit code 3 is let pass where the workflow says so, and nothing else is."""
    program = tmp_path / ".venv/bin/assay"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@"\nexit {code}\n')
    program.chmod(0o755)
    (tmp_path / ".github/actions/assay").mkdir(parents=True)
    step = ACTION["runs"]["steps"][-1]
    given = {"command": "check", "arguments": "a 'b' $HOME --deep", "sarif": "s", "junit": "j",
             "allow-open": allowed}  # fmt: skip
    assert set(ACTION["inputs"]) == set(given)
    own = {
        name: given[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env={**os.environ, **own, "GITHUB_ACTION_PATH": str(tmp_path / ".github/actions/assay")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == ends
    assert done.stdout.split() == [
        *("check", "a", "'b'", "$HOME", "--deep"),
        *("--output", "annotations", "--output", "summary"),
        *("--output", "sarif:s", "--output", "junit:j"),
    ]

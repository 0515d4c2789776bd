# SPDX-License-Identifier: MIT
"""The command line where no agent and no key are set."""

from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder without an agent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.delenv("ASSAY_KEY", raising=False)
    return calling(monkeypatch, capsys)

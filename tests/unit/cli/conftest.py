# SPDX-License-Identifier: MIT
"""What tests of commands share: the command line over Assay's own clone, or over a small one."""

import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling

from assay.configure.folder import write_configurations
from assay.model import Configuration

ROOT = Path(__file__).parents[3]


@pytest.fixture
def clone(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let commands work on this clone; a file of tests may give them another one."""
    monkeypatch.setenv("ASSAY_ROOT", str(ROOT))
    return ROOT


@pytest.fixture
def assay(
    clone: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line."""
    assert clone.is_dir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return calling(monkeypatch, capsys)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a clone with RC4, a configuration, and a folder to work in."""
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "benchmarks/rc4/ref", root / "submissions/rc4/ref")
    shutil.copy(ROOT / "benchmarks/rc4/verified.test-vectors", root / "submissions/rc4")
    plain = Configuration("gcc", "gcc", "", "-O1", "gcc_default_O1", "gcc_default_O1")
    write_configurations(root / "reports-tester", [plain])
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("ASSAY_ROOT", str(root))
    monkeypatch.setenv("HOSTNAME", "tester")
    return root

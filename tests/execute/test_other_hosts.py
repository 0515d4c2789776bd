# SPDX-License-Identifier: MIT
"""The weaker mode where nothing of Linux's own is there: simulated by hiding it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.execute.command import run_jailed
from assay.execute.jail import Jail, JailMode, Limits
from assay.execute.staging import hand_over, staged_folder

ROOT = Path(__file__).parents[2]
LINUX_ALONE = ("bwrap", "prlimit", "taskset", "valgrind")
NEEDED = ("sh", "env", "gcc", "as", "ld", "mkdir", "rm", "cat", "uname")


@pytest.fixture
def bare_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let the path lead to what every system has, and to setpriv, which root needs here."""
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    folder.chmod(0o755)  # for whoever runs compilers
    for name in (*NEEDED, "setpriv"):
        found = [Path(one, name) for one in ("/usr/bin", "/bin") if Path(one, name).exists()]
        if found:
            (folder / name).symlink_to(found[0])
    monkeypatch.setenv("PATH", str(folder))
    assert not any((folder / name).exists() for name in LINUX_ALONE)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.usefixtures("bare_path")
def test_the_shell_keeps_limits_and_clears_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files are cut at the limit, and variables are those of the jail alone."""
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    limits = Limits(file_bytes=4096, cpu_seconds=7)
    script = "pwd; echo $HOME; ulimit -f; ulimit -t; echo _${PYTHONPATH-none}"
    with staged_folder("assay-test-") as home:
        hand_over(home)
        ended = run_jailed(["sh", "-c", script], home, Jail(JailMode.LIMITS_ONLY), limits)
        assert ended.output.split() == [str(home), str(home), "8", "7", "_none"]


def test_a_package_is_checked_with_nothing_of_linux_alone(bare_path: Path, tmp_path: Path) -> None:
    """No bubblewrap, seccomp, prlimit, taskset: `--jail limits` needs a shell and a compiler."""
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "pyseccomp.py").write_text("raise ImportError('there is no seccomp here')\n")
    environment = {**os.environ, "PATH": str(bare_path), "PYTHONPATH": str(blocked)}
    environment |= {"ASSAY_ROOT": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = (
        "import sys; from assay.cli.main import main; sys.argv[0] = 'assay'; sys.exit(main())"
    )
    words = [sys.executable, "-c", program, "check", "rc4/ref", "--jail", "limits", "--json"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"jail": "limits only"' in done.stdout
    assert '"verdict": "pass"' in done.stdout

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

from assay.execute import staging
from assay.execute.command import run_jailed
from assay.execute.jail import Jail, JailMode, Limits
from assay.execute.staging import hand_over, staged_folder

ROOT = Path(__file__).parents[3]
LINUX_ALONE = ("bwrap", "prlimit", "taskset", "valgrind")
# Put before the program: what only Linux has is gone from Python's modules, and Assay's own
# reading of /proc and /sys finds nothing. psutil may go on: elsewhere it asks another way.
HIDING = r"""
import fcntl, os, sys
for name in ("sched_getaffinity", "sched_setaffinity", "memfd_create"):
    delattr(os, name)
for name in ("F_SETPIPE_SZ", "F_ADD_SEALS"):
    delattr(fcntl, name)
def hide(event, arguments):
    if event not in ("open", "os.listdir", "os.scandir"):
        return
    if not str(arguments[0]).startswith(("/proc", "/sys")):
        return
    frame = sys._getframe(1)
    while frame and "/psutil/" not in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None:
        raise FileNotFoundError(2, "there is no such file here", arguments[0])
sys.addaudithook(hide)
"""
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


def assay(path: Path, tmp_path: Path, first: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Call the command line without seccomp, with a path; `first` is executed before."""
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "pyseccomp.py").write_text("raise ImportError('there is no seccomp here')\n")
    environment = {**os.environ, "PATH": str(path), "PYTHONPATH": str(blocked)}
    environment |= {"ASSAY_ROOT": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = (
        "import sys; from assay.cli.main import main; sys.argv[0] = 'assay'; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", first + program, *words],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


CHECK = ("check", "rc4/ref", "--jail", "limits", "--json")


@pytest.mark.parametrize("first", ["", HIDING], ids=["programs", "programs-and-calls"])
def test_a_package_is_checked_with_nothing_of_linux_alone(
    bare_path: Path, tmp_path: Path, first: str
) -> None:
    """No bubblewrap, seccomp, prlimit, taskset; then also no /proc, /sys, memfd, affinity."""
    done = assay(bare_path, tmp_path, first, *CHECK)
    assert done.returncode == 0, done.stderr
    assert '"jail": "limits only"' in done.stdout
    assert '"verdict": "pass"' in done.stdout


def test_what_is_hidden_is_hidden(bare_path: Path, tmp_path: Path) -> None:
    """Otherwise the test above would show nothing."""
    trial = (
        "import os; print(hasattr(os, 'memfd_create'), hasattr(os, 'sched_getaffinity'))\n"
        "from assay.machine.sources import LINUX; print(repr(LINUX.cpuinfo()))\n"
        "from assay.execute.process_time import innermost; print(innermost(os.getpid()))\n"
        "from assay.machine.processors import measuring_cpu; print(measuring_cpu())\n"
        "raise SystemExit\n"
    )
    done = assay(bare_path, tmp_path, HIDING + trial)
    assert done.stdout.split("\n")[:4] == ["False False", "''", "None", "None"], done.stderr


def test_a_file_without_a_name_is_the_same_where_memory_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has its content, can be written, and has no name in any folder."""
    for in_memory in (True, False):
        monkeypatch.setattr(staging, "IN_MEMORY", in_memory)
        descriptor = staging.unnamed_file("assay-test", b"content", fixed=True)
        try:
            os.pwrite(descriptor, b"C", 0)
            assert os.pread(descriptor, 100, 0) == b"Content"
            assert os.fstat(descriptor).st_nlink == 0
        finally:
            os.close(descriptor)

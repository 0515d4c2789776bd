# SPDX-License-Identifier: MIT
"""A walk through the HOWTO, sections 4.1 to 4.3 and 5.3, as its reader types it.

A small tree stands for the clone: the scripts, and two packages. The compilers
on the path are gcc and tcc while it is configured, so that this is quick.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

CLONE = Path(__file__).resolve().parents[3]
PROGRAM = Path(sys.executable).with_name("assay")
COMPILERS = ("gcc", "tcc")
TOOLS = ("as", "bash", "bwrap", "dirname", "env", "ld", "prlimit", "readlink", "setpriv")
SECONDS = 120
PATIENT_SECONDS = 400
VECTORS = "verified.test-vectors"


class Clone:
    """A tree with scripts/, test/, submissions/xyz/new and benchmarks/snow-2.0/ref."""

    def __init__(self, root: Path) -> None:
        """Copy what a user's clone would have, and set up the paths."""
        self.root = root
        self.reports = root / "reports-here"
        for name in ("scripts", "test"):
            shutil.copytree(CLONE / name, root / name)
        _copy_package("benchmarks/snow-2.0", "ref", root / "benchmarks/snow-2.0", "ref")
        _copy_package("submissions/trivium", "fast", root / "submissions/xyz", "new")
        programs = root / ".venv" / "bin"
        programs.mkdir(parents=True)
        (programs / "assay").symlink_to(PROGRAM)
        self.few = root / "few"
        self.few.mkdir()
        for name in (*COMPILERS, *TOOLS):
            found = shutil.which(name)
            if found is None:
                pytest.skip(f"not installed: {name}")
            (self.few / name).symlink_to(found)

    def environment(self, path: str) -> dict[str, str]:
        """Give the environment of a user whose PATH begins with the clone's scripts."""
        known = {k: v for k, v in os.environ.items() if k not in {"ASSAY_ROOT", "MAKEFLAGS"}}
        return {**known, "PATH": f"{self.root / 'scripts'}:{path}", "HOSTNAME": "here"}

    def folder(self, name: str) -> Path:
        """Make an empty folder in the clone, as `mkdir` does in the HOWTO."""
        made = self.root / name
        made.mkdir()
        return made

    def call(self, *command: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
        """Type a command in a folder and wait for its end."""
        return subprocess.run(
            command,
            cwd=cwd,
            env=self.environment(os.environ["PATH"]),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def _copy_package(primitive: str, implementation: str, to: Path, name: str) -> None:
    """Copy one implementation and its primitive's vectors."""
    shutil.copytree(CLONE / primitive / implementation, to / name)
    shutil.copy(CLONE / primitive / VECTORS, to)


def _configure(clone: Clone) -> str:
    """Answer the dialogue of section 4.1 and give what was shown."""
    child = pexpect.spawn(
        "./scripts/configure",
        cwd=str(clone.root),
        env=clone.environment(str(clone.few)),
        encoding="utf-8",
        timeout=SECONDS,
        echo=False,
    )
    shown = ""
    answers = {
        "Is this safe? [Y/n] ": "y",
        "or press <return> to select everything: ": "1,2",
        "Enter a number to select a list: ": "amd64",
        "the script start testing other options? [Y/n] ": "n",
    }
    try:
        for prompt, answer in answers.items():
            child.expect_exact(prompt)
            shown += child.before + prompt
            child.sendline(answer)
        child.expect(r"clock speed[^\n]*: ")
        child.sendline("1694.829")
        child.expect(r"to skip none: ")
        child.sendline("")
        child.expect(pexpect.EOF)
        child.wait()
    finally:
        child.close(force=True)
    assert child.exitstatus == 0
    return shown.replace("\r", "")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """Give a clone that was configured with gcc and tcc."""
    made = Clone(tmp_path_factory.mktemp("clone"))
    shown = _configure(made)
    assert "  - gcc\n  - tcc\n" in shown
    assert "  1. gcc\n  2. tcc\n" in shown
    return made


def test_configure_writes_what_the_howto_names(clone: Clone) -> None:
    """In reports-$HOSTNAME: compilers, configs, the shortlist, the processor."""
    names = {path.name for path in clone.reports.iterdir()}
    assert {"compilers", "configs", "shortlist", ".shortlist-only", "cpuinfo"} <= names
    tags = {path.name for path in (clone.reports / "configs").iterdir()}
    assert {"gcc_default_O3-ofp.mk", "tcc_default_O2.mk"} <= tags


def stages(printed: str) -> list[str]:
    """Name what a campaign does, without how far it is and who it waits for."""
    return re.findall(r"^ \* ([a-z ]+ \(\d+\))$", printed, re.MULTILINE)


def test_run_by_name_then_collect(clone: Clone) -> None:
    """Section 4.2 and 4.3: mkdir snow-results; cd snow-results; run snow-2.0; collect."""
    folder = clone.folder("snow-results")
    options = ("--conf", "tcc_default_O2", "--conf", "gcc_default_O3-ofp", "--launches", "1")
    done = clone.call("run", "snow-2.0", *options, "--samples", "3", cwd=folder)
    said = f"2 cells in {folder}, 0 failed.\n`assay show {folder}` prints the table.\n"
    assert (done.returncode, done.stdout) == (0, said), done.stderr
    assert stages(done.stderr)[:3] == ["building and checking (2)", "linking (2)", "measuring (2)"]
    place = folder / "benchmarks/snow-2.0/ref"
    expected = ["speed_1_gcc_default_O3-ofp", "speed_1_tcc_default_O2"]
    assert sorted(path.name for path in place.iterdir()) == expected
    report = (place / "speed_1_tcc_default_O2").read_text()
    assert "Primitive Name: SNOW-2.0\n" in report
    assert "End of performance measurements\n" in report
    done = clone.call("collect", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "index.html").is_file()
    assert "snow-2.0" in (folder / "index.html").read_text()
    again = clone.call("run", "snow-2.0", *options, "--samples", "3", cwd=folder)
    # A launch that was disturbed is made up for; what was built and checked is not done again.
    assert again.returncode == 0
    assert stages(again.stderr) in ([], ["measuring (1)"], ["measuring (2)"])


def test_a_new_implementation_runs_under_its_own_name(clone: Clone) -> None:
    """Section 5.3: mkdir test-results; cd test-results; run xyz/new; collect."""
    folder = clone.folder("test-results")
    done = clone.call("run", "xyz/new", "--best", "1", "--launches", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert list((folder / "submissions/xyz/new").glob("speed_1_*"))
    assert clone.call("collect", cwd=folder).returncode == 0
    assert "xyz" in (folder / "index.html").read_text()


def test_an_undefined_function_is_told_in_the_errors_file(clone: Clone) -> None:
    """Section 5.3.1: the folder is outside of submissions/, and ECRYPT_init is missing."""
    package = clone.root / "elsewhere" / "mine"
    _copy_package("submissions/trivium", "fast", package.parent, package.name)
    source = package / "trivium.c"
    source.write_text(source.read_text().replace("ECRYPT_init", "ECRYPT_begin"))
    folder = clone.folder("failing-results")
    done = clone.call("run", "../elsewhere/mine", "--conf", "gcc_default_O3-ofp", cwd=folder)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, f"1 cell in {folder}, 1 failed.")
    errors = (folder / "mine/errors_1_gcc_default_O3-ofp").read_text()
    assert "link failed: the code does not define ECRYPT_init\n" in errors
    assert "Define ECRYPT_init;" in errors


def _launches(folder: Path) -> int:
    """Count the launches that are stored."""
    with closing(sqlite3.connect(folder / "results.sqlite")) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM launch").fetchone()[0])


@pytest.mark.slow
def test_first_figures_come_before_other_checks_and_stay(clone: Clone) -> None:
    """Where somebody waits at a terminal; all is examined and measured in the end."""
    folder = clone.folder("watched")
    options = ["--conf", "gcc_default_O3-ofp", "--launches", "2", "--samples", "3"]
    child = pexpect.spawn(
        "run",
        ["snow-2.0", *options],
        cwd=str(folder),
        env=clone.environment(os.environ["PATH"]),
        encoding="utf-8",
        codec_errors="replace",
        timeout=SECONDS,
        dimensions=(24, 120),
    )
    try:
        child.expect_exact("first figures, before the other checks")
        child.expect(r"measuring[^\r\n]*cycles/byte")
        child.expect(r"\(\d+\.\d\d to \d+\.\d\d in one")
        child.expect_exact("building and checking")
        child.expect(pexpect.EOF)
        child.wait()
    finally:
        child.close(force=True)
    assert child.exitstatus == 0, child.before
    assert _launches(folder) >= 2
    with closing(sqlite3.connect(folder / "results.sqlite")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM campaign").fetchone()[0] == 2
    shown = clone.call("assay", "show", "--format", "json", cwd=folder)
    assert (shown.returncode, "agent/glance" in shown.stdout) == (0, False)


def test_an_interrupt_keeps_what_was_done(clone: Clone) -> None:
    """Section 4.2: the tests can be aborted at any time by pressing Ctrl-C."""
    folder = clone.folder("aborted")
    child = pexpect.spawn(
        "run",
        ["snow-2.0", "--conf", "tcc_default_O2", "--launches", "500"],
        cwd=str(folder),
        env=clone.environment(os.environ["PATH"]),
        encoding="utf-8",
        codec_errors="replace",
        timeout=SECONDS,
        dimensions=(24, 120),
    )
    try:
        child.expect(r"measuring[^\r\n]* \d+/500")
        # Also disturbed ones. Other tests measure, too, and every one waits for its turn.
        deadline = time.monotonic() + PATIENT_SECONDS
        while not _launches(folder) and time.monotonic() < deadline:
            time.sleep(0.2)
        child.sendintr()
        child.expect(pexpect.EOF)
        child.wait()
    finally:
        child.close(force=True)
    assert child.exitstatus == 130
    assert _launches(folder) >= 1, child.before
    assert clone.call("collect", cwd=folder).returncode == 0
    assert (folder / "index.html").is_file()


@pytest.mark.parametrize("arguments", [(), ("conf=tcc_default_O2",)])
def test_make_vectors_in_the_folder_of_a_package(clone: Clone, arguments: tuple[str, ...]) -> None:
    """Section 5.3.3: the file is called unverified, and equals the verified one."""
    place = clone.root / "submissions/xyz/new"
    written = place / "unverified.test-vectors"
    done = clone.call("make", "vectors", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr
    assert written.read_bytes() == (place.parent / VECTORS).read_bytes()
    assert clone.call("make", "clean", cwd=place).returncode == 0
    assert not written.exists()


def test_make_names_a_configuration_that_is_not_there(clone: Clone) -> None:
    """The message gives the folder and an example, and make fails."""
    place = clone.root / "submissions/xyz/new"
    done = clone.call("make", "vectors", "conf=cl_default_default", cwd=place)
    assert done.returncode == 2
    assert "there is no configuration 'cl_default_default'" in done.stderr

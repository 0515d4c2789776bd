# SPDX-License-Identifier: MIT
"""`assay configure` at a terminal: the dialogue of the HOWTO, section 4.1.

PATH holds tcc alone, under several names, so that every start takes a moment.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

from assay.campaign.planning import RunOptions
from assay.campaign.run import Outcome
from assay.cli import run
from assay.cli.configure import configured
from assay.configure.compilers import first_configuration
from assay.package.estream import load_estream
from assay.plan.choice import listed_configurations
from assay.plan.plan import Plan
from assay.toolchain.configs import load_configurations

CORPUS = Path(__file__).parents[2] / "whole/corpus"
SAFE = "Is this safe? [Y/n] "
SELECT = "or press <return> to select everything: "
LIST = "Enter a number to select a list: "
OTHER = "the script start testing other options? [Y/n] "
SPEED = "Press <return> if this is correct, or enter the clock speed: "
RATE = "Enter a rate in cycles/byte, or press <return> to skip none: "
SCRIPT = Path(sys.executable).with_name("assay")
SECONDS, PRESSES = 20, 3


class Desk:
    """A folder with a PATH, a reports folder, and the program."""

    def __init__(self, folder: Path) -> None:
        """Put compilers on the path: tcc, the same again, and a wrapper that differs."""
        self.path = folder / "bin"
        self.reports = folder / "reports-here"
        tcc = shutil.which("tcc")
        if tcc is None:
            pytest.skip("not installed: tcc")
        self.path.mkdir()
        for name in ("tcc", "tcc-0.9"):
            self.path.joinpath(name).symlink_to(tcc)
        wrapper = self.path / "cc"
        wrapper.write_text(f'#!/bin/sh\nexec {tcc} "$@"\n')
        wrapper.chmod(0o755)
        self.environment = {**os.environ, "PATH": str(self.path), "HOSTNAME": "here"}

    @contextmanager
    def start(self, *options: str) -> Iterator["pexpect.spawn[str]"]:
        """Start the program at a terminal."""
        child = pexpect.spawn(
            str(SCRIPT),
            ["configure", "--reports", str(self.reports), *options],
            env=self.environment,
            encoding="utf-8",
            timeout=SECONDS,
            echo=False,
        )
        try:
            yield child
        finally:
            child.close(force=True)

    def run(self, *options: str, answers: str = "") -> "subprocess.CompletedProcess[str]":
        """Start the program without a terminal."""
        return subprocess.run(
            [SCRIPT, "configure", "--reports", self.reports, *options],
            env=self.environment,
            input=answers,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def files(self) -> set[str]:
        """Name what is in the reports folder."""
        return {path.name for path in self.reports.iterdir()} if self.reports.exists() else set()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give each test a folder of its own."""
    return Desk(tmp_path)


def _until(child: "pexpect.spawn[str]", prompt: str) -> list[str]:
    """Return the lines shown before a prompt, without empty ones."""
    child.expect_exact(prompt)
    return [line for line in child.before.replace("\r", "").split("\n") if line]


def _end(child: "pexpect.spawn[str]", key: str = "") -> tuple[str, int | None]:
    """Return what was shown at the end, and the exit code; first press a key with Control.

    Python sees a signal between a prompt and the wait for an answer with the next key alone.
    """
    for _ in range(PRESSES):
        if key:
            child.sendcontrol(key)
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=SECONDS / PRESSES) == 0:
            child.wait()
            return child.before.replace("\r", ""), child.exitstatus
    pytest.fail("it does not end")


def test_the_dialogue_of_the_howto(desk: Desk) -> None:
    """Every prompt, every answer that the HOWTO gives, and what it leaves behind."""
    with desk.start() as child:
        assert _until(child, SAFE) == [
            " * searching for compilers ... done",
            "The following executables look like compilers:",
            "  - tcc",
            "  - tcc-0.9",
            "  - cc",
            "I will now execute them for further testing.",
        ]
        child.sendline("y")
        assert _until(child, SELECT) == [
            " * checking compilers and discarding duplicates ... done",
            " * checking compiler options ... done",
            "The following compilers are supported:",
            "  1. tcc",
            "  2. cc",
            "Enter a comma-separated list of numbers to select compilers",
        ]
        child.sendline("1,2")
        shown = _until(child, LIST)
        assert shown[:3] == [
            " * creating config files ... done",
            "The following shortlists contain compiler options which are",
            "likely to produce fast code on particular platforms:",
        ]
        assert "  3. shortlist.amd64 (17 options)" in shown
        child.sendline("3")
        assert _until(child, OTHER) == [
            " * copying shortlist.amd64 ... done",
            "After having tested the options in the shortlist, should",
        ]
        child.sendline("y")
        child.expect(r"The processor seems to run at \d+\.\d{3} MHZ\.|clock speed .* not known")
        child.sendline("1694.829")
        child.expect_exact("Ciphers which are slower than a given rate can be skipped.")
        child.expect_exact(RATE)
        child.sendline("")
        assert _end(child)[1] == 0
    assert desk.files() == {"compilers", "configs", "shortlist", "cpuinfo"}
    assert (desk.reports / "cpuinfo").read_text().splitlines()[-1] == "1694.829"
    expected = ["cc_default_O2", "cc_default_default", "tcc_default_O2", "tcc_default_default"]
    assert [each.name for each in load_configurations(desk.reports)] == expected


def test_blank_lines_stand_where_the_howto_has_them(desk: Desk) -> None:
    """Of the first screen, character for character."""
    with desk.start() as child:
        child.expect_exact(SAFE)
        assert child.before.replace("\r", "") == (
            "\n * searching for compilers ... done\n"
            "\n"
            "The following executables look like compilers:\n"
            "  - tcc\n"
            "  - tcc-0.9\n"
            "  - cc\n"
            "\n"
            "I will now execute them for further testing.\n"
        )


def test_after_n_the_edited_candidates_are_used(desk: Desk) -> None:
    """The user removes what must not run; a later start runs the rest."""
    with desk.start() as child:
        child.expect_exact(SAFE)
        child.sendline("n")
        rest, code = _end(child)
    candidates = desk.reports / "candidates"
    assert str(candidates) in rest
    assert (code, desk.files()) == (1, {"candidates"})
    assert candidates.read_text().splitlines()[0] == "comp='tcc'; cc='tcc';"
    candidates.write_text("# not the rest\ncomp='cc'; cc='cc';\n")
    with desk.start() as child:
        assert _until(child, SAFE)[1] == "  - cc"
        child.sendline()
        assert "  1. cc" in _until(child, SELECT)
    assert "# not the rest" in candidates.read_text()


def test_a_second_start_does_not_search_again(desk: Desk) -> None:
    """Until `compilers` is deleted; the selection may change at any time."""
    assert desk.run("--yes").returncode == 0
    with desk.start() as child:
        assert _until(child, SELECT)[0] == "The following compilers are supported:"
        child.sendline("2")
        child.expect_exact(LIST)
    assert {each.command for each in load_configurations(desk.reports)} == {"cc"}
    desk.reports.joinpath("compilers").unlink()
    with desk.start() as child:
        child.expect_exact(SAFE)


def test_what_a_quick_search_left_out_is_found_by_the_next_full_one(desk: Desk) -> None:
    """A quick one searches neither again nor after a full one."""
    assert desk.run("--yes", "--quick", "--shortlist", "amd64").returncode == 0
    few = desk.reports.joinpath("compilers").read_text()
    assert {each.opt for each in load_configurations(desk.reports)} == {""}  # tcc_default_default
    again = desk.run("--yes", "--quick", "--shortlist", "amd64")
    assert "checking compiler options" not in again.stderr
    assert "checking compiler options" in desk.run("--yes").stderr
    every = desk.reports.joinpath("compilers").read_text()
    assert every != few
    assert {each.opt for each in load_configurations(desk.reports)} >= {"", "-O2"}
    assert "checking compiler options" not in desk.run("--yes", "--quick").stderr
    assert desk.reports.joinpath("compilers").read_text() == every


def test_a_wrong_answer_is_explained_and_asked_again(desk: Desk) -> None:
    """Numbers off the list, words, nonsense for a frequency."""
    with desk.start("--shortlist", "arm") as child:
        for wrong in ("maybe", "0"):
            child.expect_exact(SAFE)
            child.sendline(wrong)
            child.expect_exact("is neither yes nor no. Enter y or n.")
        child.expect_exact(SAFE)
        child.sendline("Y")
        for wrong in ("3", "1,", "1;2", "-1", "x"):
            child.expect_exact(SELECT)
            child.sendline(wrong)
            child.expect_exact("is not on the list. Enter numbers from 1 to 2.")
        child.expect_exact(SELECT)
        child.sendline(" 2 , 1 ")
        child.expect_exact(OTHER)
        child.sendline("n")
        child.expect("clock speed[^\n]*: ")
        child.sendline("fast")
        child.expect_exact("'fast' is no clock speed in MHz.")
        child.expect("clock speed[^\n]*: ")
        child.sendline("3e3")
        for wrong in ("slow", "-3", "inf"):
            child.expect_exact(RATE)
            child.sendline(wrong)
            child.expect_exact("is no rate in cycles/byte. Enter a number such as 50, or 0.")
        child.expect_exact(RATE)
        child.sendline("50")
        assert _end(child)[1] == 0
    assert ".shortlist-only" in desk.files()
    assert (desk.reports / ".skip-slow").read_text() == "50\n"


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [(SAFE, set()), (SELECT, {"compilers"}), (OTHER, {"compilers", "configs", "shortlist"})],
)
@pytest.mark.parametrize("key", ["c", "d"])
def test_ctrl_c_and_ctrl_d_end_it_and_leave_only_whole_files(
    desk: Desk, prompt: str, kept: set[str], key: str
) -> None:
    """At any prompt, without a traceback."""
    with desk.start() as child:
        for each in (SAFE, SELECT, LIST, OTHER):
            child.expect_exact(each)
            if each == prompt:
                break
            child.sendline()
        rest, code = _end(child, key)
    assert "Traceback" not in rest
    assert "error: " in rest
    assert code == {"c": 130, "d": 2}[key]
    assert desk.files() == kept


def test_scripts_need_no_terminal(desk: Desk) -> None:
    """With --json stdout is for the summary alone, and progress goes to stderr."""
    options = ("--yes", "--json", "--compilers", "2", "--shortlist", "shortlist.amd64")
    done = desk.run(*options, "--shortlist-only", "--mhz", "2000")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["configurations"] == 2
    assert summary["on_shortlist"] == 1
    assert [each["selected"] for each in summary["compilers"]] == [False, True]
    assert (summary["shortlist"], summary["shortlist_only"]) == ("amd64", True)
    assert summary["mhz"] == 2000
    assert " * creating config files ... done\n" in done.stderr
    assert ".shortlist-only" in desk.files()
    assert desk.run("--yes", "--slower-than", "80").returncode == 0
    assert ".skip-slow" in desk.files()
    assert desk.run("--yes", "--other-options").returncode == 0
    assert ".skip-slow" not in desk.files()
    assert ".shortlist-only" not in desk.files()


@pytest.mark.parametrize(
    "option",
    ["--shortlist=vax", "--mhz=0", "--mhz=nan", "--mhz=x", "--compilers=7", "--nonsense"],
)
def test_a_wrong_option_is_an_error(desk: Desk, option: str) -> None:
    """Exit code 2, before anything is configured."""
    done = desk.run("--yes", option)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not {"configs", "shortlist"} & desk.files()


def test_without_a_compiler_the_cure_is_told(desk: Desk) -> None:
    """How to install one."""
    for path in desk.path.iterdir():
        path.unlink()
    done = desk.run("--yes")
    assert done.returncode == 2
    assert "error: no compiler was found" in done.stderr
    assert "apt-get install gcc" in done.stderr


def test_a_damaged_file_of_an_earlier_start_is_named(desk: Desk) -> None:
    """It is not overwritten: the user may have edited it."""
    desk.reports.mkdir()
    desk.reports.joinpath("compilers").write_text("gcc\n")
    done = desk.run("--yes")
    assert done.returncode == 2
    assert "compilers, line 1 cannot be read: gcc" in done.stderr


def test_a_compiler_that_was_removed_is_left_out(desk: Desk) -> None:
    """With a warning; the others go on."""
    assert desk.run("--yes").returncode == 0
    desk.path.joinpath("tcc").unlink()
    done = desk.run("--yes")
    assert done.returncode == 0
    assert "warning: tcc is left out" in done.stderr
    assert {each.command for each in load_configurations(desk.reports)} == {"cc"}


def test_run_finds_compilers_where_nothing_is_configured_and_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first `assay run` in a clone measures; the next one finds what this one wrote."""
    monkeypatch.setenv("PATH", str(desk.path))
    monkeypatch.setenv("HOSTNAME", "here")
    monkeypatch.delenv("ASSAY_ROOT", raising=False)
    monkeypatch.chdir(desk.reports.parent)
    assert configured() == desk.reports
    said = capsys.readouterr()
    assert not said.out
    assert said.err.startswith(f"Nothing is configured yet in {desk.reports}: looking for compil")
    assert load_configurations(desk.reports)
    assert configured() == desk.reports
    assert not capsys.readouterr().err


@pytest.fixture
def clone_with_gcc(desk: Desk, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Give a folder where nothing is configured yet, and gcc beside the other compilers."""
    for name in ("gcc", "as", "ld"):
        desk.path.joinpath(name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(desk.path))
    monkeypatch.setenv("HOSTNAME", "here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("ASSAY_ROOT", raising=False)
    monkeypatch.chdir(desk.reports.parent)
    return desk


def test_what_first_figures_are_measured_with_is_what_configure_puts_first(
    clone_with_gcc: Desk,
) -> None:
    """So what was built and measured before anything is configured belongs to the campaign."""
    first = first_configuration()
    assert not clone_with_gcc.reports.exists()
    assert first is not None
    listed = listed_configurations(configured(), (), shortlist_only=False)
    assert first[0] == listed[0]
    clone_with_gcc.path.joinpath("gcc").unlink()
    assert first_configuration() is None


def test_the_best_configuration_alone_needs_no_other_compiler(
    clone_with_gcc: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`compare --measure` and `run --best 1` begin before all compilers are looked for."""
    plans: list[Plan] = []

    def campaign(plan: Plan, *_: object) -> Outcome:
        plans.append(plan)
        return Outcome(cells=1, failed=0, broken=0)

    monkeypatch.setattr(run, "_run", campaign)
    found = (load_estream(CORPUS / "sync", place="submissions/toy/ref"),)
    run.measure(RunOptions(best=1), found)
    first = first_configuration()
    assert first is not None
    assert [plan.configurations for plan in plans] == [first[:1]]
    assert not clone_with_gcc.reports.exists()

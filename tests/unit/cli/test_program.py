# SPDX-License-Identifier: MIT
"""The program ends at once, and loses neither its output nor its exit code."""

import subprocess
import sys

import pytest

PROGRAM = "from assay.cli.program import program; program()"
LATE = """\
import atexit, assay.cli.main as m
command = m.main
m.main = lambda: (atexit.register(print, 'late'), command())
"""


def call(*words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    command = [sys.executable, "-c", before + PROGRAM, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("words", "code"), [(("--version",), 0), (("list", "xyz"), 2)])
def test_output_and_exit_code_are_those_of_the_command(words: tuple[str, ...], code: int) -> None:
    """Through a pipe, whose output is written at the end."""
    done = call(*words)
    assert done.returncode == code
    assert ("0." in done.stdout) == (code == 0)
    assert ("unknown package" in done.stderr) == (code != 0)


def test_what_was_registered_for_the_end_is_called() -> None:
    """Control groups are removed there."""
    done = call("--version", before=LATE)
    assert done.stdout.endswith("late\n")


def test_an_error_that_nobody_expected_is_shown() -> None:
    """With Python's own exit code."""
    wrong = "import assay.cli.main as m; m.main = lambda: 1 / 0; "
    done = call("--version", before=wrong)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("closed", ["1>&-", "2>&-"])
def test_an_output_that_was_closed_before_is_no_error(closed: str) -> None:
    """The exit code is that of the command."""
    command = f'"{sys.executable}" -c "{PROGRAM}" list xyz {closed}'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_interrupt_while_modules_are_imported_is_no_traceback() -> None:
    """That takes a tenth of a second, in which Ctrl-C may come."""
    early = "import assay.cli.main as m\ndef main(): raise KeyboardInterrupt\nm.main = main\n"
    done = call("--version", before=early)
    assert done.returncode == 130
    assert done.stderr == "error: interrupted\n"

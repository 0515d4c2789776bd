# SPDX-License-Identifier: MIT
"""The manual page and the completion of shells: both are made of the commands' own help."""

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from assay.cli.main import COMMANDS, assay


def manual() -> str:
    """Return the page's source."""
    done = CliRunner().invoke(assay, ["manual"])
    assert done.exit_code == 0
    return done.output


def test_the_page_has_every_command_with_its_options() -> None:
    """And no line that man would take for a request of its own."""
    lines = manual().splitlines()
    for name in COMMANDS:
        assert any(line.startswith(f".SS assay {name}".replace("-", "\\-")) for line in lines)
    assert any(line.startswith(".B \\-\\-target") for line in lines)
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".B", ".I", ".PP", ".TP"}


def test_man_has_nothing_to_complain_of() -> None:
    """With all of groff's warnings that concern the source."""
    if shutil.which("groff") is None:
        pytest.skip("groff is not here")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-Wbreak"], input=manual(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Show this message and exit.") > len(COMMANDS) / 2


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_a_shell_gets_a_script_that_names_the_command(shell: str) -> None:
    """It asks `assay` itself, which then answers."""
    done = CliRunner().invoke(assay, ["completion", shell])
    assert done.exit_code == 0
    assert f"_ASSAY_COMPLETE={shell}_complete" in done.output


def test_commands_and_options_are_completed() -> None:
    """As bash asks for them."""
    for words, answer in (("assay che", "plain,check"), ("assay check --deep", "plain,--deep")):
        asked = {**os.environ, "_ASSAY_COMPLETE": "bash_complete", "COMP_WORDS": words}
        asked["COMP_CWORD"] = str(len(words.split()) - 1)
        script = "import sys; sys.argv[0] = 'assay'; from assay.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script], env=asked, capture_output=True, text=True, check=False
        )
        assert answer in done.stdout.splitlines(), done.stderr

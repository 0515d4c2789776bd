# SPDX-License-Identifier: MIT
"""Commands and checks that one can find: help in groups, explained checks, completion."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli.explain import OUTCOMES
from assay.cli.main import COMMANDS, GROUPS, assay

ROOT = Path(__file__).parents[3]


def explained(*names: str) -> str:
    """Return what `assay explain` prints."""
    done = CliRunner().invoke(assay, ["explain", *names])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_check_is_explained_with_question_reason_cure_and_a_defect() -> None:
    """The defect is one that the corpus proves this check to catch."""
    text = explained("checksum/small")
    assert "Do the outputs for many short inputs have the primitive's checksum?" in text
    assert "Cure: Compare the outputs" in text
    assert "+        out[i] = (unsigned char)(state[i] ^ (inlen == 77));" in text


def test_a_family_and_an_older_name_are_understood() -> None:
    """As options understand them."""
    family = [line for line in explained("buffers/").splitlines() if re.match(r"\w", line)]
    assert len(family) > 3
    assert all(line.startswith("buffers/") for line in family)
    assert explained("buffers") == explained("buffers/")
    assert explained("state/leftovers").startswith("state/residue (formerly state/leftovers)")


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_outcome_of_building_is_explained_too(name: str) -> None:
    """A reader copies whatever name a verdict has."""
    assert explained(name).startswith(name)


def test_help_lists_every_command_once_in_a_group() -> None:
    """Below headings in the order of work."""
    text = CliRunner().invoke(assay, ["--help"]).output
    places = [text.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)
    assert all(text.count(f"\n  {name} ") == 1 for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_is_explained_in_a_sentence(name: str) -> None:
    """With a capital, at least four words and a full stop, behind which defaults may stand."""
    command = assay.get_command(click.Context(assay), name)
    assert command is not None
    for one in command.params:
        if isinstance(one, click.Option) and not one.hidden:
            text = " ".join((one.help or "").split())
            assert re.match(r"[A-Z`]", text), one.opts
            assert text.endswith((".", "]")), one.opts
            assert len(re.sub(r"[\[(][^\])]*[\])]", "", text).split()) >= 4, (one.opts, text)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("assay check chacha20/r", "plain,chacha20/ref"),
        ("assay check crypto_hash/sha256/re", "plain,crypto_hash/sha256/ref"),
        ("assay explain buffers/gu", "plain,buffers/guard"),
        ("assay check ./", "dir,./"),
    ],
)
def test_packages_folders_and_checks_are_completed(words: str, answer: str) -> None:
    """As bash asks for them."""
    asked = {**os.environ, "_ASSAY_COMPLETE": "bash_complete", "COMP_WORDS": words}
    asked |= {"COMP_CWORD": str(len(words.split()) - 1), "ASSAY_ROOT": str(ROOT)}
    script = "import sys; sys.argv[0] = 'assay'; from assay.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], env=asked, capture_output=True, text=True, check=False
    )
    assert answer in done.stdout.splitlines(), done.stderr

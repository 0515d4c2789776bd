# SPDX-License-Identifier: MIT
"""An option that is given twice counts twice or is refused: no value is dropped in silence."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.unit.cli.calling import Assay, calling

from assay.cli.main import COMMANDS, assay

# `show` prints one table, `compare` a row for each metric; the others write one file in one form.
ONCE = {("show", "--metric")} | {
    (name, "--output") for name in ("vectors", "export", "collect", "bundle")
}
SHA256 = "crypto_hash/sha256/ref"
MD = "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"
RIGHT = f"Len = 8\nMsg = 01\nMD = {MD}\n"


def options() -> Iterator[tuple[str, click.Option]]:
    """Yield each command with each of its options that take a value."""
    context = click.Context(assay)
    for name in COMMANDS:
        command = assay.get_command(context, name)
        assert command is not None
        for one in command.params:
            if isinstance(one, click.Option) and not one.is_flag:
                yield name, one


TAKEN_ONCE = [(name, one.opts[0]) for name, one in options() if not one.multiple]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """Give a function that calls the command line."""
    return calling(monkeypatch, capsys)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Write a file with a wrong digest, and the same with the right one."""
    (tmp_path / "wrong.rsp").write_text(RIGHT.replace("4bf5", "0bf5"))
    (tmp_path / "right.rsp").write_text(RIGHT)
    return str(tmp_path / "wrong.rsp"), str(tmp_path / "right.rsp")


def test_an_option_that_one_command_repeats_all_repeat() -> None:
    """Options of one spelling take one value in all commands, or several in all."""
    taken: dict[str, set[bool]] = defaultdict(set)
    for name, one in options():
        for spelled in one.opts:
            if (name, spelled) not in ONCE:
                taken[spelled].add(one.multiple)
    assert [spelled for spelled, several in taken.items() if len(several) > 1] == []


@pytest.mark.parametrize(("command", "option"), TAKEN_ONCE)
def test_an_option_that_counts_once_is_refused_twice(
    call: Assay, command: str, option: str
) -> None:
    """The message names the option, the exit code is 2, and nothing was run."""
    done = call(command, option, "1", "something", option, "2")
    assert done.code == 2
    assert done.out == ""
    assert f"{option} was given more than once" in done.err


def test_an_option_in_its_older_and_newer_spelling_was_given_twice(call: Assay) -> None:
    """`--measure` is what `--metric` of `show` was called."""
    done = call("show", "--metric", "a", "--measure", "b")
    assert (done.code, done.out) == (2, "")
    assert "--metric was given more than once" in done.err


@pytest.mark.parametrize("order", [1, -1])
def test_vectors_compares_with_every_file(call: Assay, files: tuple[str, str], order: int) -> None:
    """A wrong file fails, before a right one or behind it; the output names both."""
    wrong, right = files
    named = [word for file in files[::order] for word in ("--answers", file)]
    done = call("vectors", SHA256, *named)
    assert done.code == 1
    assert f"{wrong}:\n0 of 1 answers right" in done.out
    assert f"{right}:\n1 of 1 answers right" in done.out


@pytest.mark.parametrize("command", ["vectors", "check"])
def test_a_file_that_is_not_there_is_an_error_wherever_it_is_named(
    call: Assay, files: tuple[str, str], command: str
) -> None:
    """The first of two files does not exist: nothing is compared."""
    done = call(command, SHA256, "--answers", "nothing.rsp", "--answers", files[1])
    assert (done.code, done.out) == (2, "")
    assert "nothing.rsp" in done.err

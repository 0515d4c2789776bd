# SPDX-License-Identifier: MIT
"""What a command says while it waits for the machine."""

import fcntl
import json
import os
from pathlib import Path

import pytest
from tests.unit.cli.calling import calling

from assay.cli import lines
from assay.execute import lock
from assay.execute.lock import Holder


def test_check_says_on_standard_error_that_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And that it goes on; what --json writes stays as it is."""
    monkeypatch.setattr(lock, "folder", lambda: tmp_path)
    monkeypatch.setattr(lock, "PATIENT_SECONDS", 0.0)
    held = os.open(tmp_path / lock.MACHINE, os.O_RDONLY | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    say = lines.say

    def heard(what: Holder | float | None) -> None:
        say(what)
        fcntl.flock(held, fcntl.LOCK_UN)

    monkeypatch.setattr(lines, "say", heard)
    done = calling(monkeypatch, capsys)("check", "--json", "submissions/sha256/portable")
    os.close(held)
    first, second = done.err.splitlines()[:2]
    assert first.startswith(" * waiting for the machine: `")
    assert first.endswith(f"(process {os.getpid()}) is measuring")
    assert second.endswith("s for the machine")
    assert json.loads(done.out)[0]["package"] == "sha256/portable"


@pytest.mark.parametrize(
    ("holder", "line"),
    [
        (
            Holder(True, 4711, "assay run crypto_hash\x1b[31m\n"),
            "`assay run crypto_hash?[31m?` (process 4711) is measuring",
        ),
        (
            Holder(False, 12, "assay check x"),
            "`assay check x` (process 12) is compiling or checking",
        ),
        (Holder(True), "another program has it"),
        (None, "another program has it"),
    ],
)
def test_the_line_names_who_has_the_machine(
    capsys: pytest.CaptureFixture[str], holder: Holder | None, line: str
) -> None:
    """Its command, which others chose, steers no terminal; of another container it is unknown."""
    lines.say(holder)
    assert capsys.readouterr().err == f" * waiting for the machine: {line}\n"

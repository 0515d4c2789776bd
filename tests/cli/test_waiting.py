# SPDX-License-Identifier: MIT
"""What a command says while it waits for the machine."""

import fcntl
import json
import os
import time
from pathlib import Path

import pytest
from tests.cli.calling import calling

from assay.cli import waiting
from assay.execute import lock, tickets
from assay.execute.lock import Waiting
from assay.execute.tickets import Owner


def test_check_says_on_standard_error_that_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And that it goes on; what --json writes stays as it is."""
    monkeypatch.setattr(tickets, "folder", lambda: tmp_path)
    monkeypatch.setattr(lock, "PATIENT_SECONDS", 0.0)
    held = os.open(tmp_path / lock.MACHINE, os.O_RDONLY | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    say = waiting.say

    def heard(what: Waiting | float) -> None:
        say(what)
        fcntl.flock(held, fcntl.LOCK_UN)

    monkeypatch.setattr(waiting, "say", heard)
    done = calling(monkeypatch, capsys)("check", "--json", "submissions/sha256/portable")
    os.close(held)
    first, second = done.err.splitlines()[:2]
    assert first == " * waiting for the machine: another program has it"
    assert second.endswith("s for the machine")
    assert json.loads(done.out)[0]["package"] == "sha256/portable"


@pytest.mark.parametrize(
    ("owner", "measuring", "before", "line"),
    [
        (
            Owner(4711, "assay run crypto_hash\x1b[31m\n", 1e9),
            True,
            3,
            (
                "waiting for the machine: `assay run crypto_hash?[31m?` (process 4711) has been "
                f"measuring since {time.strftime('%H:%M:%S', time.localtime(1e9))}; "
                "3 commands are ahead"
            ),
        ),
        (
            Owner(12, "assay check x"),
            False,
            1,
            "waiting for the machine: `assay check x` (process 12) is compiling or checking",
        ),
    ],
)
def test_the_line_names_who_has_the_machine(
    capsys: pytest.CaptureFixture[str], owner: Owner, measuring: bool, before: int, line: str
) -> None:
    """Its command, which others chose, steers no terminal."""
    waiting.say(Waiting(owner, measuring, before))
    assert capsys.readouterr().err == f" * {line}\n"

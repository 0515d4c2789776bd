# SPDX-License-Identifier: MIT
"""The command line, called as a user does, within the process of the test."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from assay.cli.main import main


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


Assay = Callable[..., Done]


def calling(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """Give a function that calls the command line with some arguments."""

    def call(*arguments: str) -> Done:
        monkeypatch.setattr("sys.argv", ["assay", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Done(int(ended.value.code or 0), printed.out, printed.err)

    return call

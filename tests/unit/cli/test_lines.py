# SPDX-License-Identifier: MIT
"""What long commands print where nobody watches a terminal."""

from threading import Event

import pytest

from assay.cli.lines import Lines, showing


def test_a_stage_has_a_line_and_another_one_while_it_lasts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """How far it is, on standard error; nothing for a stage without steps."""
    lines = Lines()
    lines.begin("race, round 1", 3)
    lines.advance("salsa20/ref")
    lines.tell()
    lines.begin("nothing to do", 0)
    lines.tell()
    printed = capsys.readouterr()
    assert printed.out == ""
    first, second = printed.err.splitlines()
    assert first == " * race, round 1 (3)"
    assert second.startswith(" * race, round 1: 1 of 3 done, last: salsa20/ref (")


def test_lines_come_without_a_step_that_ends(capsys: pytest.CaptureFixture[str]) -> None:
    """A package that takes minutes does not silence the command."""
    told = Event()

    class Heard(Lines):
        """Says that it told something."""

        def tell(self) -> None:
            super().tell()
            told.set()

    lines = Heard(every_seconds=0.001)
    lines.begin("building and checking", 1)
    with lines:
        assert told.wait(60)
    assert " * building and checking: 0 of 1 done (0:" in capsys.readouterr().err


def test_a_brief_command_is_silent_until_it_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    """Stages of a check of one package are no news."""
    with showing(brief=True) as lines:
        lines.begin("building and checking", 1)
        lines.advance("rc4/ref")
    assert capsys.readouterr().err == ""

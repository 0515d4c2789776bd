# SPDX-License-Identifier: MIT
"""Output has one width in all commands."""

from pathlib import Path

import pytest

from assay.cli.console import PIPE_COLUMNS, console, print_report
from assay.report.table import Column, Report, Table, TableRow

SOURCE = Path(__file__).parents[3] / "src" / "assay"


def test_one_module_makes_consoles() -> None:
    """A command that made its own would choose a width of its own."""
    makers = [path.name for path in SOURCE.rglob("*.py") if " Console(" in path.read_text()]
    assert makers == ["console.py"]


def test_a_pipe_is_wide_and_columns_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are not broken for programs; who wants them narrow sets COLUMNS."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console().width == PIPE_COLUMNS
    monkeypatch.setenv("COLUMNS", "70")
    assert console().width == 70
    assert console(least_columns=90).width == 90


@pytest.mark.parametrize(("columns", "width"), [("0", 20), ("5", 20), ("none", PIPE_COLUMNS)])
def test_a_width_in_which_nothing_can_be_read_is_none(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    """With none at all, tables were left out without a word."""
    monkeypatch.setenv("COLUMNS", columns)
    assert console().width == width


def test_nothing_of_a_table_is_left_out_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody can widen it; who says how wide it is gets what fits."""
    columns = (Column("name", "Name"), Column("said", "Remarks", spare=1))
    row = TableRow({"name": "n" * 100, "said": "r" * 200})
    report = Report((Table("title", "", columns, (row,)),))
    monkeypatch.delenv("COLUMNS", raising=False)
    print_report(report)
    assert "r" * 200 in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "150")
    print_report(report)
    assert "A wider terminal also shows: Remarks." in capsys.readouterr().out

# SPDX-License-Identifier: MIT
"""The table in the terminal."""

import io

from rich.console import Console

from assay.report.printable import printable
from assay.report.summary import Results
from assay.report.terminal import overview


def test_a_small_terminal_gets_fewer_columns_and_whole_words(results: Results) -> None:
    """80 columns suffice for names, the stream rate and the verdict."""
    console = Console(width=80, file=io.StringIO())
    console.print(overview(results, narrow=True))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "A wider terminal shows more columns" in text
    row = next(line for line in text.splitlines() if "HC-128" in line)
    assert row.split()[:6] == ["1", "HC-128", "fast/1", "128", "64", "2.76"]


def test_names_cannot_steer_the_terminal() -> None:
    """Escape sequences of a package's name are shown as question marks."""
    assert printable("a\x1b[31m\nb") == "a?[31m?b"

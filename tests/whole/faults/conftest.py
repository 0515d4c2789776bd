# SPDX-License-Identifier: MIT
"""A tree for every fault, and the table "fault by outcome" at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from tests.unit.campaign.conftest import Tree, planted

ROW = "fault by outcome"


@pytest.fixture
def tree(tmp_path: Path, cache: Path) -> Iterator[Tree]:
    """Give a tree of one test's own."""
    with planted(tmp_path, cache) as made:
        yield made


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a row for each fault: what the user saw, what was lost, what the next run did."""
    stats = terminalreporter.stats
    wrong = {one.nodeid for kind in ("failed", "error") for one in stats.get(kind, [])}
    ended = [one for one in stats.get("", []) if one.when == "teardown"]
    rows = [(one.nodeid, dict(one.user_properties).get(ROW)) for one in ended]
    done = [(cells, node in wrong) for node, cells in rows if cells]
    if not done:
        return
    table = Table(title="Fault by outcome", title_justify="left")
    for heading in ("fault", "exit", "it says", "lost", "next run", "row"):
        table.add_column(heading, overflow="fold")
    for cells, is_wrong in sorted(done):
        table.add_row(*cells, "WRONG" if is_wrong else "right")
    terminalreporter.ensure_newline()
    console = Console(file=terminalreporter._tw._file, width=150)
    console.print(table)

# SPDX-License-Identifier: MIT
"""The table at the end of `./scripts/test --primitives`: a line for each folder of packages."""

from collections import defaultdict
from pathlib import PurePosixPath

import pytest

COLUMNS = ("packages", "passed", "failed", "skipped", "cells", "codes")
OUTCOMES = ("passed", "failed", "skipped")


def _folder(nodeid: str) -> str:
    """Name the row of a test: submissions, compact, crypto_hash and so on."""
    return PurePosixPath(nodeid.partition("[")[2].rstrip("]")).parts[0]


def _count(reports: list[tuple[str, pytest.TestReport]]) -> dict[str, dict[str, int]]:
    rows: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
    for outcome, report in reports:
        row = rows[_folder(report.nodeid)]
        row["packages"] += 1
        row[outcome] += 1
        for name, value in report.user_properties:
            assert isinstance(value, int)
            row[name] += value
    return rows


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table, if packages were compared with their vectors."""
    reports = [
        (outcome, report)
        for outcome in OUTCOMES
        for report in terminalreporter.getreports(outcome)
        if "[" in getattr(report, "nodeid", "") and "tests/whole/primitives/" in report.nodeid
    ]
    if not reports:
        return
    rows = _count(reports)
    total = {name: sum(row[name] for row in rows.values()) for name in COLUMNS}
    terminalreporter.section("shipped packages against their vectors")
    terminalreporter.write_line("".join(f"{name:>10}" for name in COLUMNS))
    for folder, row in (*sorted(rows.items()), ("all", total)):
        numbers = "".join(f"{row[name]:10}" for name in COLUMNS)
        terminalreporter.write_line(f"{numbers}  {folder}")

# SPDX-License-Identifier: MIT
"""Prints what became of every broken package: `./scripts/test --corpus`.

A plug-in of pytest (`-p table`). A row is a parameter of a test in the files of a section;
a test may say more of it with `record_property("outcome", text)`. What is skipped is a row
of its own kind, never a good one; pytest's exit code says whether any row is wrong. The
tables of attacks and of faults are printed by `tests/whole/hostile/` and `tests/whole/faults/`.
"""

from dataclasses import dataclass, field

import pytest
from families import rows  # type: ignore[import-not-found]

SECTIONS = {
    "defect by check": (
        "tests/unit/check/test_broken_packages.py",
        "tests/unit/check/hash/test_broken_hashes.py",
        "tests/unit/check/operation/test_broken_operations.py",
    ),
}
WORDS = {"passed": "as it must be", "failed": "WRONG", "skipped": "not asked"}


@dataclass
class Tables:
    """What has been reported so far: section, row, outcome, what else is said."""

    found: list[tuple[str, str, str, str]] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one report: of the call, or of what kept it from being made."""
        if report.when != "call" and report.outcome == "passed":
            return
        section = next(
            (name for name, files in SECTIONS.items() if report.nodeid.startswith(files)), ""
        )
        _, bracket, name = report.nodeid.partition("[")
        row = name.removesuffix("]") if bracket else report.nodeid.rpartition("::")[2]
        said = dict(report.user_properties).get("outcome", "")
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            said = str(report.longrepr[2]).removeprefix("Skipped: ")
        if section:
            self.found.append((section, row, report.outcome, str(said)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print a table for each section."""
        checks = {one.defect: f"{one.family}: {one.check}" for one in rows()}
        for section in SECTIONS:
            lines = [one[1:] for one in self.found if one[0] == section]
            terminalreporter.section(f"{section} ({len(lines)} rows)")
            for row, outcome, said in sorted(lines):
                what = said or checks.get(row, "")
                terminalreporter.write_line(f"{WORDS[outcome]:<13} {row:<52} {what}")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to listen, in the process that collects what all workers report."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tables(), "tables of the corpus")

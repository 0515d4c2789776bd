# SPDX-License-Identifier: MIT
"""The table at the end of `./scripts/test --mutants`: which kind of mutant is found by what."""

from collections import Counter

import pytest

from assay.mutation.hunt import NO_CODE, SAME, SURVIVED

COLUMNS = ("mutants", "same code", "found", "only --deep", "survived")


def column(by: str) -> str:
    """Name the column for what became of a mutant."""
    if by == SURVIVED:
        return "survived"
    if by == SAME:
        return "same code"
    return "only --deep" if by.endswith("(--deep)") else "found"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables, if there were mutants."""
    fates: list[tuple[str, str]] = [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, value in getattr(report, "user_properties", ())
        if name == "fate" and value[1] != NO_CODE
    ]
    if not fates:
        return
    terminalreporter.section("mutants by kind")
    counted: Counter[tuple[str, str]] = Counter((kind, column(by)) for kind, by in fates)
    terminalreporter.write_line("".join(f"{name:>13}" for name in COLUMNS))
    for kind in (*sorted({kind for kind, _ in fates}), "all"):
        row = {one: sum(n for (k, c), n in counted.items() if c == one and kind in (k, "all"))
               for one in COLUMNS[1:]}  # fmt: skip
        numbers = (sum(row.values()), *row.values())
        terminalreporter.write_line("".join(f"{one:13}" for one in numbers) + f"  {kind}")
    terminalreporter.section("mutants by what finds them")
    for by, number in Counter(by or "nothing" for _, by in fates).most_common():
        terminalreporter.write_line(f"{number:6}  {by}")

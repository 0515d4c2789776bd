# SPDX-License-Identifier: MIT
"""`assay check` on many packages of the SUPERCOP API: a summary at the end."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from assay.check.engine.summary import Summary
from assay.check.engine.verdict import Judged
from assay.cli.console import print_report
from assay.cli.formats import JSON
from assay.cli.sweep_tables import (
    ORDER,
    not_loaded,
    outcomes_table,
    ranked_reasons,
    summary_tables,
)
from assay.model import Verdict
from assay.model.promises import ASKING
from assay.report.formats.names import TERMINAL
from assay.report.table import Note, Report, Style

CSV = "csv"


@dataclass(slots=True)
class Sums:
    """Counts of verdicts and reasons in one of the forms; every verdict is in `folder`."""

    folder: Path
    form: str
    summary: Summary = field(default_factory=Summary)
    used: set[tuple[str, str]] = field(default_factory=set)

    def show(self, judged: Judged) -> None:
        """Count a package."""
        self.summary.add(judged.found, judged.checks, judged.seconds)
        for recipe in (row.recipe for each in judged.standings for row in each.rows):
            self.used.add((recipe.compiler.release, recipe.configuration.name))

    def end(self) -> None:
        """Print the counts, and where the verdicts are; files and pages name every package."""
        if self.form == JSON:
            click.echo(json.dumps(_record(self.summary), indent=1))
            return
        print_report(self._report(), self.form)

    def _report(self) -> Report:
        every = outcomes_table(self.summary)
        if self.form == CSV:  # one table, or columns would be of several
            return Report((every,))
        tables = summary_tables(self.summary)
        below = tuple(Note(line, Style.PLAIN) for line in self._below())
        if self.form == TERMINAL:
            return Report(tables, not_loaded(self.summary), below)
        return Report((*tables, every), not_loaded(self.summary), below)

    def _below(self) -> Iterator[str]:
        if self.summary.unexamined:
            yield f"{_packages(self.summary.unexamined)}: {ASKING}."
        if self.summary.unfinished:
            yield (
                f"{_packages(self.summary.unfinished)}: SUPERCOP's tests were not run to the "
                "end, as the code is slow; `--unhurried` runs them."
            )
        for release, name in sorted(self.used):
            yield f"Checked with {release}, {name}."
        yield f"Every verdict is in {self.folder}; `assay check NAME` explains one."


def _packages(names: Sequence[str]) -> str:
    """Count packages in words."""
    return f"{len(names)} package{'' if len(names) == 1 else 's'}"


def _record(summary: Summary) -> dict[str, object]:
    return {
        "packages": summary.packages,
        "loaded": summary.loaded,
        "faults": {fault.name.lower(): count for fault, count in summary.faults.items()},
        "operations": {
            operation: {verdict.value: counts[verdict] for verdict in ORDER}
            for operation, counts in sorted(summary.verdicts.items())
        },
        "compared": {
            check: {"right": counts[Verdict.PASS], "wrong": counts[Verdict.FAIL]}
            for check, counts in summary.compared.items()
        },
        "reasons": [
            {"verdict": reason.verdict, "check": reason.check, "reason": reason.text,
             "fault": reason.fault.name.lower(), "packages": hit}
            for reason, hit in ranked_reasons(summary)
        ],
        "outcomes": [
            {"package": one.package, "verdict": one.verdict, "check": one.check,
             "reason": one.reason, "fault": one.fault.name.lower() if one.fault else "",
             "seconds": round(one.seconds, 2),
             "compared": [
                 {"check": each.check, "verdict": each.verdict, "reason": each.reason}
                 for each in one.compared
             ]}
            for one in summary.outcomes
        ],
        "goals_not_examined": summary.unexamined,
        "tests_not_finished": summary.unfinished,
    }  # fmt: skip

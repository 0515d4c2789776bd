# SPDX-License-Identifier: MIT
"""`assay check` on many packages of the SUPERCOP API: a summary at the end."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.table import Table

from assay.check.engine.judged import Judged
from assay.check.engine.summary import Reason, Summary
from assay.cli.console import console
from assay.model import Verdict
from assay.model.promises import ASKING
from assay.report.printable import printable

EXAMPLES = 2
ORDER = (Verdict.PASS, Verdict.FAIL, Verdict.OPEN, Verdict.SKIPPED)
GRAVITY = (Verdict.FAIL, Verdict.OPEN, Verdict.SKIPPED)


@dataclass(slots=True)
class Sums:
    """Counts of verdicts and reasons; every verdict is in `folder`."""

    folder: Path
    as_json: bool
    summary: Summary = field(default_factory=Summary)
    used: set[tuple[str, str]] = field(default_factory=set)

    def show(self, judged: Judged) -> None:
        """Count a package."""
        self.summary.add(judged.found, judged.checks)
        for recipe in (row.recipe for each in judged.standings for row in each.rows):
            self.used.add((recipe.compiler.release, recipe.configuration.name))

    def end(self) -> None:
        """Print the counts, and where the verdicts are."""
        if self.as_json:
            click.echo(json.dumps(_record(self.summary), indent=1))
            return
        show_summary(self.summary)
        if self.summary.unexamined:
            click.echo(f"{len(self.summary.unexamined)} packages: {ASKING}.")
        for release, name in sorted(self.used):
            click.echo(f"Checked with {release}, {name}.")
        click.echo(f"Every verdict is in {self.folder}; `assay check NAME` explains one.")


def show_summary(summary: Summary) -> None:
    """Print verdicts by operation, then reasons by whose fault it is, the longest list last."""
    screen = console()
    screen.print(_verdicts(summary))
    if summary.loaded < summary.packages:
        left = summary.packages - summary.loaded
        click.echo(f"{left} of {summary.packages} packages could not be loaded.")
    for fault, count in summary.faults.items():
        click.echo(f"\nNot passed, {fault.value}: {count}")
        screen.print(_reasons([one for one in _ranked(summary) if one[0].fault is fault]))


def _verdicts(summary: Summary) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("Operation")
    for heading in ("all", *(verdict.value for verdict in ORDER)):
        table.add_column(heading, justify="right")
    for operation, counts in sorted(summary.verdicts.items()):
        numbers = [sum(counts.values()), *(counts[verdict] for verdict in ORDER)]
        table.add_row(operation, *map(str, numbers))
    whole = [sum(c[verdict] for c in summary.verdicts.values()) for verdict in ORDER]
    table.add_row("in all", *map(str, (sum(whole), *whole)))
    return table


def _reasons(ranked: Iterable[tuple[Reason, list[str]]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("", "Count", "Check", "Reason", "Such as"):
        table.add_column(heading, justify="right" if heading == "Count" else "left")
    for reason, hit in ranked:
        examples = ", ".join(hit[:EXAMPLES])
        words = (reason.verdict, str(len(hit)), reason.check, reason.text, examples)
        table.add_row(*map(printable, words))
    return table


def _ranked(summary: Summary) -> list[tuple[Reason, list[str]]]:
    """Order reasons: failures first, then by how many packages they hit."""
    return sorted(
        summary.reasons.items(),
        key=lambda item: (GRAVITY.index(item[0].verdict), -len(item[1]), item[0].check),
    )


def _record(summary: Summary) -> dict[str, object]:
    return {
        "packages": summary.packages,
        "loaded": summary.loaded,
        "faults": {fault.name.lower(): count for fault, count in summary.faults.items()},
        "operations": {
            operation: {verdict.value: counts[verdict] for verdict in ORDER}
            for operation, counts in sorted(summary.verdicts.items())
        },
        "reasons": [
            {"verdict": reason.verdict, "check": reason.check, "reason": reason.text,
             "fault": reason.fault.name.lower(), "packages": hit}
            for reason, hit in _ranked(summary)
        ],
        "goals_not_examined": summary.unexamined,
    }  # fmt: skip

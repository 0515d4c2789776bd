# SPDX-License-Identifier: MIT
"""`assay check` on many packages of the SUPERCOP API: progress, and a summary at the end."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from assay.check.engine.sweep import Reason, Summary, sweep
from assay.check.engine.workshop import open_workshop
from assay.cli.console import console
from assay.cli.progress import Bars
from assay.compile.recipe import Recipe
from assay.execute.jail import Jail
from assay.machine.cache import cache_folder
from assay.model import BrokenPackage, Compiler, Configuration, Package, Verdict
from assay.model.promises import ASKING
from assay.report.printable import printable
from assay.store import Store

EXAMPLES = 2
ORDER = (Verdict.PASS, Verdict.FAIL, Verdict.OPEN, Verdict.SKIPPED)
GRAVITY = (Verdict.FAIL, Verdict.OPEN, Verdict.SKIPPED)


def sweep_packages(
    found: Sequence[Package | BrokenPackage],
    configuration: Configuration,
    compiler: Compiler,
    jail: Jail,
    *,
    deep: bool,
    as_json: bool,
) -> Summary:
    """Check all of them on all cores, and print what came of it.

    What was done is kept in the cache: the same command goes on where it was stopped.
    """
    packages = [one for one in found if isinstance(one, Package)]
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    recipes = [Recipe(one, 1, configuration, compiler) for one in packages]
    folder = _folder(found, configuration, jail, deep=deep)
    workers = max(1, os.cpu_count() or 1)
    with (
        Store.create(folder) as store,
        open_workshop(jail, folder / ".assay" / "agents") as workshop,
        Bars() as bars,
    ):
        summary = sweep(workshop, store, recipes, broken, workers, bars, deep=deep)
    if as_json:
        click.echo(json.dumps(_record(summary), indent=1))
    else:
        show_summary(summary)
        if summary.unexamined:
            click.echo(f"{len(summary.unexamined)} packages: {ASKING}.")
        click.echo(f"Checked with {compiler.release}, {configuration.name}.")
        click.echo(f"Every verdict is in {folder}; `assay check NAME` explains one.")
    return summary


def _folder(
    found: Sequence[Package | BrokenPackage],
    configuration: Configuration,
    jail: Jail,
    *,
    deep: bool,
) -> Path:
    """Name the results of this sweep: the same question goes on in the same folder."""
    asked = [configuration.name, "deep" if deep else "", jail.mode]
    key = "\0".join([*asked, *(str(one.root) for one in found)])
    folder = cache_folder() / "sweeps" / hashlib.sha256(key.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def show_summary(summary: Summary) -> None:
    """Print verdicts by operation, then reasons, the most frequent first."""
    screen = console()
    screen.print(_verdicts(summary))
    if summary.reasons:
        screen.print(_reasons(summary))


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


def _reasons(summary: Summary) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("", "Count", "Check", "Reason", "Such as"):
        table.add_column(heading, justify="right" if heading == "Count" else "left")
    for reason, hit in _ranked(summary):
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
        "operations": {
            operation: {verdict.value: counts[verdict] for verdict in ORDER}
            for operation, counts in sorted(summary.verdicts.items())
        },
        "reasons": [
            {"verdict": reason.verdict, "check": reason.check, "reason": reason.text,
             "packages": hit}
            for reason, hit in _ranked(summary)
        ],
        "goals_not_examined": summary.unexamined,
    }  # fmt: skip

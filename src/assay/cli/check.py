# SPDX-License-Identifier: MIT
"""`assay check`: whether a package conforms, and is correct."""

import json
from collections.abc import Iterable
from typing import Any

import click

from assay.build.recipe import Recipe
from assay.campaign.choice import fitted
from assay.campaign.workshop import Examination, Workshop, open_workshop
from assay.cli.main import EXIT_FAILED
from assay.cli.options import conf_option, configuration, jail_for, jail_option, json_option
from assay.cli.root import reports_folder, repository_root
from assay.execute.lock import machine_lock
from assay.model import (
    BrokenPackage,
    CheckResult,
    Compiler,
    Configuration,
    Package,
    Verdict,
)
from assay.package.resolve import resolve
from assay.report.printable import printable

EVIDENCE_LINES = 40
EXPLAINED_FAILURES = 2
MARKS = {Verdict.PASS: "pass", Verdict.FAIL: "FAIL", Verdict.SKIPPED: "skip"}
COLOURS = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.SKIPPED: "yellow"}


@click.command(name="check")
@click.argument("packages", nargs=-1, required=True, metavar="PACKAGE...")
@conf_option
@jail_option
@click.option("--all", "show_all", is_flag=True, help="Show the checks that passed, too.")
@json_option
def command(
    packages: tuple[str, ...], conf: str | None, jail_name: str, show_all: bool, as_json: bool
) -> int:
    """Check whether packages conform to their API, and are correct.

    PACKAGE is a directory, a name below submissions/ or benchmarks/, or a
    pattern. Exit code 0: all pass; 1: something failed.
    """
    root = repository_root()
    chosen, compiler = configuration(reports_folder(root), conf)
    records = []
    jail = jail_for(jail_name, compiler)
    with machine_lock(exclusive=False), open_workshop(jail) as workshop:
        for found in resolve(packages, root):
            for variant in range(1, getattr(found, "variants", 1) + 1):
                outcome = _examine(workshop, found, variant, chosen, compiler)
                records.append(_record(found, variant, chosen, workshop, outcome))
                if not as_json:
                    _show(found, variant, outcome, show_all=show_all)
    if as_json:
        click.echo(json.dumps(records, indent=1))
    return 0 if all(record["passed"] for record in records) else EXIT_FAILED


def _examine(
    workshop: Workshop,
    found: Package | BrokenPackage,
    variant: int,
    chosen: Configuration,
    compiler: Compiler,
) -> Examination:
    """Build and check one variant; a package that cannot be loaded has one failed check."""
    if isinstance(found, BrokenPackage):
        failed = CheckResult("package/loads", Verdict.FAIL, found.reason, found.cure)
        return Examination(None, (failed,))
    build = workshop.build(Recipe(found, variant, fitted(chosen, found), compiler))
    return workshop.examine(found, build)


def _record(
    found: Package | BrokenPackage,
    variant: int,
    chosen: Configuration,
    workshop: Workshop,
    outcome: Examination,
) -> dict[str, Any]:
    """Make the machine-readable record of one examination."""
    checks = [
        {"check": c.check, "verdict": c.verdict, "reason": c.reason, "cure": c.cure,
         "evidence": c.evidence}
        for c in outcome.checks
    ]  # fmt: skip
    quirks = [
        {"name": q.name, "message": q.message, "cure": q.cure}
        for q in getattr(found, "quirks", ())
    ]
    return {
        "package": found.selector,
        "variant": variant,
        "configuration": chosen.name,
        "jail": workshop.stage.jail.mode,
        "passed": outcome.passed,
        "checks": checks,
        "warnings": quirks,
    }


def _show(
    found: Package | BrokenPackage, variant: int, outcome: Examination, *, show_all: bool
) -> None:
    """Print one examination: a line of counts, then what failed and how to mend it."""
    counts = {v: sum(c.verdict is v for c in outcome.checks) for v in Verdict}
    title = found.selector
    if getattr(found, "variants", 1) > 1:
        title += f" (variant {variant})"
    verdict = Verdict.PASS if outcome.passed else Verdict.FAIL
    says = f"{counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed"
    says += f", {counts[Verdict.SKIPPED]} skipped"
    click.echo(f"{click.style(MARKS[verdict], fg=COLOURS[verdict])}  {title}: {says}")
    show_checks(outcome.checks, show_all=show_all)
    for quirk in getattr(found, "quirks", ()):
        mark = click.style("warn", fg="yellow")
        click.echo(f"  {mark} {quirk.name}: {printable(quirk.message)}")
        click.echo(f"       {printable(quirk.cure)}")


def show_checks(
    checks: Iterable[CheckResult], *, show_all: bool = False, err: bool = False
) -> None:
    """Print verdicts, those that passed only if wanted.

    The first failures come with evidence and cure. One defect often fails many
    checks: the later ones are named, unless everything is wanted.
    """
    failures = 0
    for check in checks:
        if check.verdict is Verdict.FAIL:
            failures += 1
            _show_check(check, whole=show_all or failures <= EXPLAINED_FAILURES, err=err)
        elif show_all or check.verdict is not Verdict.PASS:
            _show_check(check, whole=False, err=err)
    if failures > EXPLAINED_FAILURES and not show_all:
        click.echo("       (mend the first ones first; --all explains all of them)", err=err)


def _show_check(check: CheckResult, *, whole: bool, err: bool) -> None:
    """Print one verdict; a failure that is shown whole with its evidence and cure."""
    mark = click.style(MARKS[check.verdict], fg=COLOURS[check.verdict])
    reason = f": {printable(check.reason)}" if check.reason else ""
    click.echo(f"  {mark} {check.check}{reason}", err=err)
    if whole:
        for line in check.evidence.strip("\n").splitlines()[:EVIDENCE_LINES]:
            click.echo(f"       | {printable(line.expandtabs())}", err=err)
        click.echo(f"       {printable(check.cure)}", err=err)

# SPDX-License-Identifier: MIT
"""`assay vectors` for packages of the SUPERCOP API: known answers, and checksums of outputs."""

from contextlib import closing
from pathlib import Path

import click

from assay.check.answers.read import read_answers
from assay.check.answers.records import FileAgreement
from assay.check.answers.verdicts import versions
from assay.check.check import run_checks
from assay.check.depth import Extent
from assay.check.engine.answers import compare
from assay.check.engine.cells import Examination
from assay.check.engine.workshop import Workshop
from assay.check.operation.trial import OperationTrial
from assay.check.supercop.checks import CHECKS
from assay.check.supercop.outcomes import outcomes
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.verdicts import show_checks
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.agent import AgentError
from assay.model import Build, OperationSubject, Verdict
from assay.report.printable import printable

RULES = tuple(one for one in CHECKS if not one.name.startswith("checksum/"))
NAMES = ("checksumsmall", "checksumbig")


def subject_of(workshop: Workshop, recipe: Recipe, build: Build) -> OperationSubject | None:
    """Ask the agent what it is; None, with what went wrong printed, if it cannot run here."""
    outcome = workshop.examine(recipe, build, Extent(only=("agent/", "build/")))
    if outcome.verdict is not Verdict.PASS or not isinstance(outcome.subject, OperationSubject):
        show_checks(outcome.checks, err=True)
        return None
    return outcome.subject


def verify_answers(workshop: Workshop, build: Build, subject: OperationSubject, path: Path) -> int:
    """Compare with a file of known answers; print the counts and the first wrong one."""
    try:
        found = compare(workshop, build, subject, read_answers(path))
    except AgentError as error:
        raise AssayError(
            str(error), error.cure or "`assay check` shows more about the package."
        ) from None
    click.echo(found.sentence())
    _explain(found)
    if found.failed:
        return EXIT_FAILED
    return 0 if found.good else EXIT_OPEN


def _explain(found: FileAgreement) -> None:
    for line in found.reasons():
        click.echo(f"  {printable(line)}")
    if found.evidence is None:
        return
    first, *values = found.evidence.lines()
    click.echo(f"first wrong: {printable(first)}")
    for line in values:
        click.echo(printable(line))
    if both := versions(found.evidence):
        click.echo(f"  they are the answers of {both[0]}, and the package computes {both[1]}")
    for what, count in found.wrong.items():
        click.echo(f"  {count} wrong: {printable(what)}")


def checksum_lines(
    workshop: Workshop, recipe: Recipe, build: Build, subject: OperationSubject
) -> tuple[str, ...]:
    """Return the lines of both checksums; none, with the failures printed, if calls go wrong."""
    connect = workshop.connector(build)
    with closing(OperationTrial(recipe.package, subject, connect)) as trial:
        outcome = Examination(subject, tuple(run_checks(RULES, trial)))
        if outcome.verdict is not Verdict.PASS:
            show_checks((c for c in outcome.checks if c.verdict is outcome.verdict), err=True)
            return ()
        runs = outcomes(trial).runs
    sums = [f"{run.checksum}" for run in runs if run.checksum]
    return tuple(f"{name} {value}" for name, value in zip(NAMES, sums, strict=True))


def differing(recipe: Recipe, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Name the checksums that the primitive's own files have otherwise."""
    details = recipe.package.details
    if details is None:
        return ()
    files = (details.checksum_small, details.checksum_big)
    return tuple(
        name
        for name, line, known in zip(NAMES, lines, files, strict=True)
        if known is not None and line != f"{name} {known}"
    )

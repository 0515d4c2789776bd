# SPDX-License-Identifier: MIT
"""Comparing a built package of the SUPERCOP API with files of known answers."""

from collections.abc import Sequence
from dataclasses import replace

from assay.build.recipe import Recipe
from assay.campaign.workshop import Examination, Workshop
from assay.execute.agent import AgentError
from assay.model import Build, CheckResult, OperationSubject, Verdict
from assay.suite.operation.answers.records import AnswerFile, Outcome
from assay.suite.operation.answers.verify import verify
from assay.suite.operation.session import OperationSession

ANSWERED = "answers/verified"
MOST_REASONS = 3
CURE = "Compare the inputs shown with the specification; docs/known-answers.md says what is asked."


def compare(
    workshop: Workshop, build: Build, subject: OperationSubject, file: AnswerFile
) -> Outcome:
    """Ask an agent of its own for every answer of a file; AgentError if there is none."""
    with workshop.connector(build)() as agent:
        return verify(OperationSession(agent, subject), file)


def with_answers(
    workshop: Workshop,
    recipe: Recipe,
    build: Build,
    outcome: Examination,
    files: Sequence[AnswerFile],
) -> Examination:
    """Add a verdict for each file to an examination whose agent answered."""
    subject = outcome.subject
    if recipe.package.kind != "operation" or not isinstance(subject, OperationSubject):
        return outcome
    if outcome.verdict is Verdict.SKIPPED:
        return outcome
    checks = tuple(_verdict(workshop, build, subject, one) for one in files)
    return replace(outcome, checks=(*outcome.checks, *checks))


def _verdict(
    workshop: Workshop, build: Build, subject: OperationSubject, file: AnswerFile
) -> CheckResult:
    name = file.path
    try:
        found = compare(workshop, build, subject, file)
    except AgentError as error:
        return CheckResult(ANSWERED, Verdict.FAIL, f"{name}: {error}", CURE)
    reason = f"{name}: {found.sentence()}"
    if found.good:
        return CheckResult(ANSWERED, Verdict.PASS, reason)
    if not found.failed:
        return CheckResult(ANSWERED, Verdict.SKIPPED, "; ".join([reason, *reasons(found)]))
    lines = found.evidence.lines() if found.evidence else ()
    return CheckResult(ANSWERED, Verdict.FAIL, reason, CURE, "\n".join(lines))


def reasons(found: Outcome) -> tuple[str, ...]:
    """Say why answers were skipped, the commonest reasons first."""
    often = sorted(found.skipped.items(), key=lambda one: -one[1])
    told = tuple(f"{count} skipped: {reason}" for reason, count in often[:MOST_REASONS])
    left = len(often) - len(told)
    return (*told, f"and {left} further reasons") if left > 0 else told

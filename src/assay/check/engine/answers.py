# SPDX-License-Identifier: MIT
"""Comparing a built package of the SUPERCOP API with files of known answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.check.engine.workshop import Examination, Workshop
from assay.check.operation.answers.records import AnswerFile, FileAgreement
from assay.check.operation.answers.verify import verify
from assay.check.operation.session import OperationSession
from assay.check.patience import took_too_long
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model import Build, CheckResult, OperationSubject, PackageKind, Verdict
from assay.model.compared import ANSWERED, settled

PARTLY = "answers/left-out"
CURE = (
    "Compare the inputs shown with the specification; "
    "docs/reference/known-answers.md describes the formats."
)
OTHER_FUNCTION = "They are answers of another function; give a file of the package's own."
NOTHING_FITS = "Give a file of this primitive, with answers to inputs that are valid."


def compare(
    workshop: Workshop, build: Build, subject: OperationSubject, file: AnswerFile
) -> FileAgreement:
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
    if recipe.package.kind != PackageKind.OPERATION or not isinstance(subject, OperationSubject):
        return outcome
    if outcome.verdict is Verdict.SKIPPED:
        return outcome
    checks = [one for file in files for one in _verdicts(workshop, build, subject, file)]
    return replace(outcome, checks=settled((*outcome.checks, *checks)))


def _verdicts(
    workshop: Workshop, build: Build, subject: OperationSubject, file: AnswerFile
) -> Iterator[CheckResult]:
    try:
        found = compare(workshop, build, subject, file)
    except OutOfPatience as error:
        yield took_too_long(error)
        return
    except AgentError as error:
        yield CheckResult(ANSWERED, Verdict.FAIL, f"{file.path}: {error}", CURE)
        return
    yield _verdict(file.path, found)
    if found.unfed and found.good:
        said = "; ".join(found.reasons())
        yield CheckResult(PARTLY, Verdict.FINDING, f"{file.path}: {said}", OTHER_FUNCTION)


def _verdict(name: Path, found: FileAgreement) -> CheckResult:
    reason = "; ".join([f"{name}: {found.sentence()}", *found.reasons()])
    if found.good:
        return CheckResult(ANSWERED, Verdict.PASS, reason)
    if not found.failed:
        return CheckResult(ANSWERED, Verdict.OPEN, reason, NOTHING_FITS)
    lines = found.evidence.lines() if found.evidence else ()
    return CheckResult(ANSWERED, Verdict.FAIL, reason, CURE, "\n".join(lines))

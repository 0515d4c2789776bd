# SPDX-License-Identifier: MIT
"""Comparing a built package of the SUPERCOP API with files of known answers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from assay.check.answers.records import AnswerFile, FileAgreement
from assay.check.answers.shipped_answers import shipped_answers
from assay.check.answers.verdicts import CURE, verdicts
from assay.check.answers.verify import verify
from assay.check.engine.cells import Examination, with_warnings
from assay.check.engine.workshop import Workshop
from assay.check.operation.session import OperationSession
from assay.check.patience import took_too_long
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model import Build, CheckResult, OperationSubject, PackageKind, Verdict
from assay.model.causes import explained
from assay.model.compared import ANSWERED, settled

BESIDE_SECONDS = 30.0
"""For each file that nobody named: signatures of some schemes take seconds."""


def compare(
    workshop: Workshop,
    build: Build,
    subject: OperationSubject,
    file: AnswerFile,
    seconds: float = math.inf,
) -> FileAgreement:
    """Ask an agent of its own for every answer of a file; AgentError if there is none.

    After so many seconds no further answers are asked for.
    """
    with workshop.connector(build)() as agent:
        return verify(OperationSession(agent, subject), file, seconds)


def with_answers(
    workshop: Workshop,
    recipe: Recipe,
    build: Build,
    outcome: Examination,
    files: Sequence[AnswerFile],
) -> Examination:
    """Add a verdict for each file to an examination whose agent answered.

    The files that lie beside the package come after those that the user named.
    """
    subject = outcome.subject
    if recipe.package.kind != PackageKind.OPERATION or not isinstance(subject, OperationSubject):
        return outcome
    if outcome.verdict is Verdict.SKIPPED:
        return outcome
    named = [one for file in files for one in _verdicts(workshop, build, subject, file)]
    asked = partial(compare, workshop, build, subject, seconds=BESIDE_SECONDS)
    known = [file.path for file in files]
    found = shipped_answers(recipe.package, asked, known, (*outcome.checks, *named))
    checks = with_warnings(settled((*outcome.checks, *named, *found)), build)
    return replace(outcome, checks=explained(checks))


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
    yield from verdicts(file.path, found)

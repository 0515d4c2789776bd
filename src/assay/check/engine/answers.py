# SPDX-License-Identifier: MIT
"""Comparing a built package of the SUPERCOP API with files of known answers."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from assay.check.answers.records import AnswerFile, FileAgreement
from assay.check.answers.shipped_answers import shipped_answers
from assay.check.answers.verdicts import CURE, verdicts
from assay.check.engine.cells import Examination, with_warnings
from assay.check.engine.workshop import Workshop
from assay.check.kinds import kind_of
from assay.check.patience import took_too_long
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model import Build, CheckResult, Subject, Verdict
from assay.model.causes import explained
from assay.model.compared import ANSWERED, settled

BESIDE_SECONDS = 30.0
"""For each file that nobody named: signatures of some schemes take seconds."""


Compare = Callable[[AnswerFile], FileAgreement]


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
    if outcome.subject is None or outcome.verdict is Verdict.SKIPPED:
        return outcome
    compare = partial(_compared, workshop, recipe, build, outcome.subject)
    named = [one for file in files for one in _verdicts(compare, file)]
    asked = partial(compare, seconds=BESIDE_SECONDS)
    known = [file.path for file in files]
    found = shipped_answers(recipe.package, asked, known, (*outcome.checks, *named))
    checks = with_warnings(settled((*outcome.checks, *named, *found)), build)
    return replace(outcome, checks=explained(checks))


def _compared(
    workshop: Workshop,
    recipe: Recipe,
    build: Build,
    subject: Subject,
    file: AnswerFile,
    seconds: float = math.inf,
) -> FileAgreement:
    """Ask an agent of its own for every answer of a file; AgentError if there is none.

    After so many seconds no further answers are asked for.
    """
    answers = kind_of(recipe.package).answers
    if answers is None:
        raise ValueError(f"no answers are known of the kind {recipe.package.kind}")
    with workshop.connector(build)() as agent:
        found: FileAgreement = answers(agent, subject, file, seconds)
    return found


def _verdicts(compare: Compare, file: AnswerFile) -> Iterator[CheckResult]:
    try:
        found = compare(file)
    except OutOfPatience as error:
        yield took_too_long(error)
        return
    except AgentError as error:
        yield CheckResult(ANSWERED, Verdict.FAIL, f"{file.path}: {error}", CURE)
        return
    yield from verdicts(file.path, found)

# SPDX-License-Identifier: MIT
"""A glance at code: its outputs are compared with known answers, and no other check is run.

That is what a first table and a race need. Verdicts are open then, and are not taken for those
of an examination; what is examined needs no glance. Nor are those of a short examination, which
scouts of a contest get, taken for those of a winner.
"""

from dataclasses import replace

from assay.check.engine.asker import asked_by
from assay.check.engine.examination import ANSWERS, Examination, with_warnings
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop
from assay.check.kinds import kind_of
from assay.check.object.calling import complaint
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.model import Build, CheckResult, Verdict
from assay.model.causes import explained
from assay.model.compared import COMPARISONS, GLANCE, compared
from assay.timing.witness import making_sense

ASKED = (*COMPARISONS, "calls/returns")  # the latter is seen by the run of SUPERCOP's tests
GLANCES, SHORTENS = "glance-", "short-"
REASON = "only compared with known answers so far: the other checks were not run"
CRASHES = "Every function is called once, with random inputs: run the package's own tests."
CURE = "`assay check PACKAGE` runs them, and `assay run PACKAGE --exhaustive` for every code."


def with_causes(
    workshop: Workshop, recipe: Recipe, build: Build, outcome: Examination
) -> Examination:
    """Add why code fails: what it calls, and the first calls where nothing was compared."""
    if outcome.subject is None:
        return outcome
    checks = outcome.checks
    if outcome.passed and not compared(checks):
        try:
            with making_sense(), workshop.connector(build, recipe.package.kind)() as agent:
                kind_of(recipe.package).exercise(agent, outcome.subject)
        except AgentError as error:
            died = CheckResult(ANSWERS, Verdict.FAIL, str(error), CRASHES)
            checks = tuple(died if one.check == ANSWERS else one for one in checks)
    found = complaint(build) if any(one.verdict is Verdict.FAIL for one in checks) else None
    checks = checks if found is None else (*checks, found)
    return replace(outcome, checks=explained(with_warnings(checks, build)))


def glanced(outcome: Examination) -> Examination:
    """Leave open what was not asked, unless something failed."""
    if outcome.subject is None or not outcome.passed:
        return outcome
    left = CheckResult(GLANCE, Verdict.OPEN, REASON, CURE)
    return replace(outcome, checks=(*outcome.checks, left))


def asker(kind: str, wanted: Wanted) -> str:
    """Name who asks, as verdicts are kept with it."""
    prefix = GLANCES if wanted.glance else SHORTENS if wanted.short else ""
    return prefix + asked_by(kind)


def askers(kind: str, wanted: Wanted) -> tuple[str, ...]:
    """Name those whose verdicts say all that is wanted; an examination says what a glance does."""
    full = asked_by(kind)
    if wanted.glance:
        return (full, SHORTENS + full, GLANCES + full)
    return (full, SHORTENS + full) if wanted.short else (full,)

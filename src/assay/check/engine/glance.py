# SPDX-License-Identifier: MIT
"""A glance at code: its outputs are compared with known answers, and no other check is run.

That is what a first table and a race need. Verdicts are open then, and are not taken for those
of an examination; what is examined needs no glance. Nor are those of a short examination, which
scouts of a contest get, taken for those of a winner.
"""

from dataclasses import replace

from assay.check.engine.asker import asked_by
from assay.check.engine.examination import Examination
from assay.check.engine.wanted import Wanted
from assay.model import CheckResult, Verdict
from assay.model.compared import GLANCE

GLANCES, SHORTENS = "glance-", "short-"
REASON = "only compared with known answers so far: the other checks were not run"
CURE = "`assay check PACKAGE` runs them, and `assay run PACKAGE --exhaustive` for every code."


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

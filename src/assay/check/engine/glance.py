# SPDX-License-Identifier: MIT
"""A glance at code: its outputs are compared with known answers, and no other check is run.

That is what a first table and a race need. Verdicts are open then, and are not taken for those
of an examination; what is examined needs no glance.
"""

from dataclasses import replace

from assay.check.engine.asker import asked_by
from assay.check.engine.examination import Examination
from assay.check.engine.wanted import Wanted
from assay.model import CheckResult, Verdict
from assay.model.compared import GLANCE

PREFIX = "glance-"
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
    return f"{PREFIX}{asked_by(kind)}" if wanted.glance else asked_by(kind)


def askers(kind: str, wanted: Wanted) -> tuple[str, ...]:
    """Name those whose verdicts say all that is wanted; an examination says what a glance does."""
    return tuple(dict.fromkeys((asked_by(kind), asker(kind, wanted))))

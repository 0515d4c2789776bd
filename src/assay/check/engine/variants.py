# SPDX-License-Identifier: MIT
"""What the variants of one package say together."""

from collections.abc import Sequence

from assay.check.engine.workshop import COMPILES, Examination
from assay.compile.reasons import STOPS
from assay.model import CheckResult, Verdict


def together(outcomes: Sequence[Examination]) -> tuple[Examination, ...]:
    """Return the outcomes of all variants; those that stop with #error fail if no other builds."""
    if not all(map(stopped, outcomes)):
        return tuple(outcomes)
    return tuple(Examination(one.subject, tuple(map(_failed, one.checks))) for one in outcomes)


def stopped(outcome: Examination) -> bool:
    """Whether a variant was skipped since its code stops with #error."""
    return any(
        one.verdict is Verdict.SKIPPED and one.reason.startswith(STOPS) for one in outcome.checks
    )


def _failed(skipped: CheckResult) -> CheckResult:
    return CheckResult(COMPILES, Verdict.FAIL, skipped.reason, skipped.cure, skipped.evidence)

# SPDX-License-Identifier: MIT
"""Verdicts that another attempt may change: the time was used up, or Assay itself failed.

The former is open: slow code is not wrong, and what was not asked may fail.
"""

from collections.abc import Iterable

from assay.execute.patience import OutOfPatience
from assay.fence import cure_of, evidence_of, reason_of
from assay.model import CheckResult, Verdict
from assay.model.compared import PATIENCE, ended_early

NOT_ASKED = "not asked: the package took too long"
NOT_FINISHED = "not finished: the package took too long"
FAILED = "bench/failed"


def unexpected(error: BaseException) -> CheckResult:
    """Return the failed check of a package at which Assay itself failed (`fence.py`)."""
    return CheckResult(FAILED, Verdict.FAIL, reason_of(error), cure_of(error), evidence_of(error))


def took_too_long(error: OutOfPatience, checks: Iterable[CheckResult] = ()) -> CheckResult:
    """Return the open check, which counts those of `checks` that were answered, and the others."""
    given = tuple(checks)
    left = [one.check for one in given if one.reason in (NOT_ASKED, NOT_FINISHED)]
    reason = f"not examined to the end: {error}"
    if left:
        reason += f"; {len(given) - len(left)} checks were answered, {len(left)} were not"
    return CheckResult(PATIENCE, Verdict.OPEN, reason, error.cure, "\n".join(left))


def is_final(checks: Iterable[CheckResult]) -> bool:
    """Return whether verdicts would be the same in another attempt, so that they can be kept."""
    given = tuple(checks)
    failed = any(one.check == FAILED for one in given)
    return not failed and not ended_early(given)

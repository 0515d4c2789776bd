# SPDX-License-Identifier: MIT
"""The verdict on a package that used up the time for which its agents are waited for.

It is open: slow code is not wrong, and what was not asked may fail.
"""

from collections.abc import Iterable

from assay.execute.patience import OutOfPatience
from assay.model import CheckResult, Verdict
from assay.model.compared import PATIENCE, ended_early

NOT_ASKED = "not asked: the package took too long"
NOT_FINISHED = "not finished: the package took too long"


def took_too_long(error: OutOfPatience, checks: Iterable[CheckResult] = ()) -> CheckResult:
    """Return the open check, which counts those of `checks` that were answered, and the others."""
    given = tuple(checks)
    left = [one.check for one in given if one.reason in (NOT_ASKED, NOT_FINISHED)]
    reason = f"not examined to the end: {error}"
    if left:
        reason += f"; {len(given) - len(left)} checks were answered, {len(left)} were not"
    return CheckResult(PATIENCE, Verdict.OPEN, reason, error.cure, "\n".join(left))


def is_final(checks: Iterable[CheckResult]) -> bool:
    """Return whether verdicts would be the same with more patience, so that they can be kept."""
    return not ended_early(checks)

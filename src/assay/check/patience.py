# SPDX-License-Identifier: MIT
"""The verdict on a package that used up the time for which its agents are waited for."""

from collections.abc import Iterable

from assay.execute.patience import OutOfPatience
from assay.model import CheckResult, Verdict

PATIENCE = "agent/patience"


def took_too_long(error: OutOfPatience) -> CheckResult:
    """Return the failed check."""
    return CheckResult(PATIENCE, Verdict.FAIL, str(error), error.cure)


def is_final(checks: Iterable[CheckResult]) -> bool:
    """Return whether verdicts would be the same with more patience, so that they can be kept."""
    return not any(one.check == PATIENCE and one.verdict is Verdict.FAIL for one in checks)

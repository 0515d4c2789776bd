# SPDX-License-Identifier: MIT
"""What a package promises of its timing, and whether anybody has looked."""

from collections.abc import Iterable

from assay.model.work import CheckResult, Verdict

PROMISED = "secrets/timing"
UNEXAMINED = "declared goals not examined"
ASKING = f"{UNEXAMINED}, `--deep` examines them"


def examined(checks: Iterable[CheckResult]) -> bool:
    """Return whether declared goals were looked at, to the end or until one was broken."""
    answers = (Verdict.PASS, Verdict.FAIL)
    return any(one.check == PROMISED and one.verdict in answers for one in checks)


def unexamined(goals: frozenset[str], checks: Iterable[CheckResult]) -> bool:
    """Return whether goals are declared, and nobody asked for what takes a minute.

    Where it was asked for and could not be answered, the check itself is open.
    """
    skipped = (one.check == PROMISED and one.verdict is Verdict.SKIPPED for one in checks)
    return bool(goals) and any(skipped)

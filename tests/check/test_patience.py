# SPDX-License-Identifier: MIT
"""Checks of a package whose time is used up."""

from assay.check.check import Check, CheckFailed, run_checks
from assay.check.patience import PATIENCE, is_final, took_too_long
from assay.execute.patience import Patience
from assay.model import CheckResult, Verdict


def check(name: str, patience: Patience, seconds: float, *, fails: bool = False) -> Check[None]:
    """Make a check that waits for so many seconds."""

    def run(_: None) -> None:
        patience.spend(seconds)
        if fails:
            raise CheckFailed("wrong")

    return Check(name, "?", "", "", run)


def test_nothing_is_said_of_what_could_not_be_asked_to_its_end() -> None:
    """Verdicts of before stay; the check that took the last second has no answer."""
    patience = Patience(10.0)
    checks = [
        check("a/passes", patience, 3.0),
        check("b/fails", patience, 3.0, fails=True),
        check("c/late", patience, 4.0, fails=True),
        check("d/later", patience, 0.0, fails=True),
    ]
    found = [(one.check, one.verdict) for one in run_checks(checks, None, patience)]
    assert found == [
        ("a/passes", Verdict.PASS),
        ("b/fails", Verdict.FAIL),
        ("c/late", Verdict.SKIPPED),
        ("d/later", Verdict.SKIPPED),
    ]


def test_a_verdict_for_want_of_time_is_asked_again() -> None:
    """So --patience helps where verdicts are kept."""
    late = took_too_long(Patience(600.0).error())
    assert (late.check, late.verdict) == (PATIENCE, Verdict.FAIL)
    assert not is_final([CheckResult("a/passes", Verdict.PASS), late])
    assert is_final([CheckResult("a/fails", Verdict.FAIL)])

# SPDX-License-Identifier: MIT
"""Checks of a package whose time is used up."""

from contextlib import suppress

from assay.check.check import Check, CheckFailed, is_final, run_checks, took_too_long
from assay.execute.patience import OutOfPatience, Patience
from assay.model import CheckResult, Verdict
from assay.model.compared import PATIENCE


def check(
    name: str, patience: Patience, seconds: float, *, fails: bool = False, waits: bool = False
) -> Check[None]:
    """Make a check that waits for so many seconds, or then for an answer that never comes."""

    def run(_: None) -> None:
        patience.spend(seconds)
        if waits:
            with suppress(OutOfPatience):
                patience.until(0.0)
        if fails:
            raise CheckFailed("wrong")

    return Check(name, "?", "", "", run)


def test_nothing_is_said_of_what_could_not_be_asked_to_its_end() -> None:
    """The check that waited for more than there was has no answer, nor have later ones."""
    patience = Patience(10.0)
    checks = [
        check("a/passes", patience, 3.0),
        check("b/fails", patience, 3.0, fails=True),
        check("c/late", patience, 4.0, fails=True, waits=True),
        check("d/later", patience, 0.0, fails=True),
    ]
    found = [(one.check, one.verdict) for one in run_checks(checks, None, patience)]
    assert found == [
        ("a/passes", Verdict.PASS),
        ("b/fails", Verdict.FAIL),
        ("c/late", Verdict.SKIPPED),
        ("d/later", Verdict.SKIPPED),
    ]


def test_a_failure_that_is_seen_in_the_last_second_stays_a_failure() -> None:
    """No answer was missing for it, so that more patience would not change it."""
    patience = Patience(10.0)
    last = check("a/fails", patience, 10.0, fails=True)
    assert [one.verdict for one in run_checks([last], None, patience)] == [Verdict.FAIL]


def test_an_open_verdict_counts_what_was_examined() -> None:
    """It says how many checks were answered, and names the others."""
    patience = Patience(3.0)
    names = ("a/one", "b/two", "c/three")
    checks = [check(name, patience, 2.0, waits=number == 1) for number, name in enumerate(names)]
    late = took_too_long(patience.error(), run_checks(checks, None, patience))
    assert late.reason.endswith("; 1 checks were answered, 2 were not")
    assert late.evidence == "b/two\nc/three"


def test_a_verdict_for_want_of_time_is_asked_again() -> None:
    """So --patience helps where verdicts are kept."""
    late = took_too_long(Patience(600.0).error())
    assert (late.check, late.verdict) == (PATIENCE, Verdict.OPEN)
    assert not is_final([CheckResult("a/passes", Verdict.PASS), late])
    assert is_final([CheckResult("a/fails", Verdict.FAIL)])

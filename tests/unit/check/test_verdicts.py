# SPDX-License-Identifier: MIT
"""Tests of verdicts: what a check may answer, and what that makes of the whole."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckOpen,
    CheckSkipped,
    run_checks,
)
from assay.model import Verdict, overall


def _raises(error: Exception) -> Callable[[object], None]:
    def run(trial: object) -> None:
        del trial
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "verdict", "cure"),
    [
        (CheckFailed("r"), Verdict.FAIL, "the check's cure"),
        (CheckFailed("r", "", "its own"), Verdict.FAIL, "its own"),
        (CheckFinding("r"), Verdict.FINDING, "the check's cure"),
        (CheckOpen("r", "", "its own"), Verdict.OPEN, "its own"),
        (CheckSkipped("r"), Verdict.SKIPPED, ""),
    ],
)
def test_a_check_says_what_its_exception_stands_for(
    error: Exception, verdict: Verdict, cure: str
) -> None:
    """Failures, findings and open questions come with a cure, skipped ones without."""
    check: Check[object] = Check("name", "asks", "why", "the check's cure", _raises(error))
    found = check.verdict(object())
    assert found is not None
    assert (found.verdict, found.reason, found.cure) == (verdict, "r", cure)


@pytest.mark.parametrize(
    ("given_", "whole"),
    [
        ((), Verdict.SKIPPED),
        ((Verdict.SKIPPED,), Verdict.SKIPPED),
        ((Verdict.SKIPPED, Verdict.PASS), Verdict.PASS),
        ((Verdict.FINDING, Verdict.SKIPPED), Verdict.PASS),
        ((Verdict.PASS, Verdict.FINDING, Verdict.OPEN), Verdict.OPEN),
        ((Verdict.OPEN, Verdict.FAIL, Verdict.PASS), Verdict.FAIL),
    ],
)
def test_the_gravest_verdict_is_that_on_the_whole(
    given_: tuple[Verdict, ...], whole: Verdict
) -> None:
    """A failure outweighs an open question, that a pass, and a finding weighs nothing."""
    assert overall(given_) is whole


@given(st.lists(st.sampled_from(Verdict)))
def test_nothing_that_failed_or_is_open_is_a_pass(verdicts: list[Verdict]) -> None:
    """Whatever else passed, and in whatever order."""
    if overall(verdicts) is Verdict.PASS:
        assert not {Verdict.FAIL, Verdict.OPEN} & set(verdicts)


def test_what_never_applies_has_no_row() -> None:
    """x86's flags on AVR, forgeries of a hash: nobody can do anything about it."""
    never: Check[object] = Check("x86/flags", "", "", "", _raises(CheckInapplicable("no x86")))
    now: Check[object] = Check("slow", "", "", "", _raises(CheckSkipped("--deep")))
    assert [one.check for one in run_checks((never, now), object())] == ["slow"]


def test_a_check_that_passes_may_have_a_remark() -> None:
    """What it was compared with, say."""

    def run(_: object) -> str:
        return "compared with another's"

    found = Check("name", "", "", "", run).verdict(object())
    assert found is not None
    assert (found.verdict, found.reason) == (Verdict.PASS, "compared with another's")

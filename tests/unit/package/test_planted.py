# SPDX-License-Identifier: MIT
"""Engines are believed that find all planted leaks, and nothing in honest code."""

import pytest

from assay.model import CheckResult, Verdict
from assay.package.leaks import (
    HONEST,
    LEAKING,
    PLANTED,
    PLANTED_THERE,
    misses,
    planted_package,
)


def timing(*functions: str, verdict: Verdict = Verdict.FINDING) -> tuple[CheckResult, ...]:
    """Make the verdict of an engine that finds branches in functions."""
    evidence = "".join(f"Conditional jump\n    {one} (planted.c:9)\n" for one in functions)
    if not functions and verdict is Verdict.FINDING:
        verdict = Verdict.PASS
    return (CheckResult("secrets/timing", verdict, "no valgrind", evidence=evidence),)


def test_an_engine_that_finds_all_and_no_more_is_believed() -> None:
    """A compiler may have named a function anew."""
    found = [*PLANTED[:-1], f"{PLANTED[-1]}.isra.0"]
    assert not misses({LEAKING: timing(*found), HONEST: timing()})


@pytest.mark.parametrize("missed", PLANTED)
def test_an_engine_that_misses_one_is_not_believed(missed: str) -> None:
    """The reason names it."""
    found = [one for one in PLANTED if one != missed]
    assert missed in misses({LEAKING: timing(*found), HONEST: timing()})


@pytest.mark.parametrize("missed", PLANTED_THERE["avr8"])
def test_on_an_avr_its_own_leaks_must_be_found_besides(missed: str) -> None:
    """Elsewhere a table lies in the same memory, and a shift takes one time."""
    found = [one for one in (*PLANTED, *PLANTED_THERE["avr8"]) if one != missed]
    verdicts = {LEAKING: timing(*found), HONEST: timing()}
    assert missed in misses(verdicts, "avr8")
    assert not misses(verdicts, "riscv64")


def test_an_engine_that_finds_a_leak_in_honest_code_is_not_believed() -> None:
    """The reason names the place."""
    said = misses({LEAKING: timing(*PLANTED), HONEST: timing("planted_bound")})
    assert "planted_bound (planted.c:9), which is honest" in said


def test_what_honest_code_leaves_behind_says_nothing_against_an_engine() -> None:
    """Its time depends on no secret."""
    said = "16 bytes depend on a secret\n    keysetup (vector registers)"
    left = CheckResult("state/left-behind", Verdict.FINDING, "", evidence=said)
    assert not misses({LEAKING: timing(*PLANTED), HONEST: (*timing(), left)})


def test_multiplications_must_be_found_where_they_are_asked_of() -> None:
    """What divides multiplies before, in honest code, too, and that is no mistake there."""
    name = "secrets/multiplication"
    found = CheckResult(name, Verdict.FINDING, "", evidence="what\n    planted_division (a.c:9)")
    passed = CheckResult(name, Verdict.PASS)
    assert not misses({LEAKING: (*timing(*PLANTED), found), HONEST: (*timing(), found)})
    assert name in misses({LEAKING: (*timing(*PLANTED), passed), HONEST: timing()})


def test_an_engine_that_cannot_be_asked_says_why() -> None:
    """It is no miss."""
    nothing = timing(verdict=Verdict.SKIPPED)
    assert misses({LEAKING: nothing, HONEST: nothing}) == "no valgrind"


def test_the_package_comes_with_assay_in_two_variants() -> None:
    """One leaks."""
    assert planted_package().variants == HONEST

# SPDX-License-Identifier: MIT
"""The places in the evidence of checks of secrets are read as they were written."""

from assay.check.memory.valgrind import evidence
from assay.execute.valgrind import Complaint
from assay.model import CheckResult, Verdict
from assay.model.secrets import Leak, leaks

BRANCH = "Conditional jump or move depends on uninitialised value(s)"
ADDRESS = "Use of uninitialised value of size 8"


def found(check: str, *complaints: Complaint, verdict: Verdict = Verdict.FINDING) -> list[Leak]:
    """Read what a check says of complaints."""
    return list(leaks(CheckResult(check, verdict, evidence=evidence(list(complaints)))))


def complaint(what: str, *where: str, instruction: str = "") -> Complaint:
    """Make a complaint of a secret."""
    return Complaint(what, True, True, where, instruction)


def test_a_place_has_its_kind_the_innermost_function_and_the_instruction() -> None:
    """Callers are in the evidence, and no places of their own."""
    one = complaint(BRANCH, "less (a.c:3)", "sort (a.c:9)", instruction="jne 12 <less+0x2>")
    other = complaint(ADDRESS, "sbox (b.c:7)")
    assert found("secrets/timing", one, other) == [
        Leak("branch", "less (a.c:3)", "jne 12 <less+0x2>"),
        Leak("address", "sbox (b.c:7)"),
    ]


def test_a_place_that_two_callers_reach_is_one() -> None:
    """Valgrind complains once for each way that leads there."""
    ways = (complaint(BRANCH, "less (a.c:3)", caller) for caller in ("sort", "merge"))
    assert found("secrets/timing", *ways) == [Leak("branch", "less (a.c:3)")]


def test_a_function_of_a_library_is_named_with_its_caller() -> None:
    """Nobody can change memcmp; a reason is found by the name of either."""
    of_libc = complaint(BRANCH, "memcmp", "verify (a.c:3)", "open (a.c:9)")
    replaced = complaint(BRANCH, "bcmp (vg_replace_strmem.c:1122)", "verify (a.c:3)")
    places = found("secrets/timing", of_libc, replaced)
    assert [one.functions for one in places] == [("memcmp", "verify"), ("bcmp", "verify")]
    assert places[0].place == "memcmp, from verify (a.c:3)"


def test_what_was_made_visible_is_of_the_kind_of_its_check_and_shows_no_instruction() -> None:
    """The branch is the harness's own."""
    one = complaint(BRANCH, "reduce (poly.c:5)", instruction="jb 77 <reduce+0x9>")
    assert found("secrets/division", one) == [Leak("division", "reduce (poly.c:5)")]


def test_a_check_that_passed_has_no_places() -> None:
    """Whatever it says besides."""
    assert found("secrets/timing", complaint(BRANCH, "f"), verdict=Verdict.PASS) == []


def test_what_a_compiler_says_of_code_that_does_not_build_is_no_place() -> None:
    """It shows lines of the source behind blanks, as evidence has places."""
    said = CheckResult("build", Verdict.FAIL, evidence="a.c:3:1: error: what\n    3 | what x;")
    assert list(leaks(said)) == []

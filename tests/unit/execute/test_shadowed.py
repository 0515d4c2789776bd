# SPDX-License-Identifier: MIT
"""What MemorySanitizer reports of secrets is sorted into branches, addresses and divisions."""

from assay.execute.sanitizers import ADDRESS, BRANCH, DIVISION, told_apart
from assay.execute.valgrind import Complaint


def place(where: str, what: str = BRANCH) -> Complaint:
    """Make what is reported at a place."""
    return Complaint(what, True, True, (where,))


def test_what_a_build_without_addresses_does_not_report_is_an_address() -> None:
    """The other places stay what they are."""
    every = [place("sbox (a.c:3)"), place("less (a.c:9)"), place("reduce (a.c:12)", DIVISION)]
    assert [one.what for one in told_apart(every, every[1:])] == [ADDRESS, BRANCH, DIVISION]


def test_a_line_with_a_branch_and_an_address_is_two_places() -> None:
    """The line is reported twice, and once without addresses."""
    found = [*told_apart([place("f (a.c:3)")] * 2, [place("f (a.c:3)")])]
    assert [one.what for one in found] == [BRANCH, ADDRESS]


def test_a_line_that_a_compiler_has_doubled_is_one_place() -> None:
    """Loops are unrolled."""
    every = [place("f (a.c:3)")] * 8
    assert [*told_apart(every, every)] == every[:1]

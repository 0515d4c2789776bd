# SPDX-License-Identifier: MIT
"""Places where secrets reach what takes a time, before and after an option."""

from assay.model.secrets import LEFT_BEHIND, Leak, gone, leaks
from assay.model.work import CheckResult, Verdict

MASK, TABLE = Leak("branch", "select (a.c:7)", "jae 3"), Leak("address", "look (a.c:9)")


def test_a_leak_that_an_option_moves_to_another_line_of_its_function_is_not_gone() -> None:
    """Optimisation changes what line an instruction is of."""
    moved = Leak("branch", "select.isra.0 (a.c:8)")
    assert gone((MASK, TABLE), (moved, TABLE)) == ()


def test_what_is_gone_is_named_though_other_instructions_leak_as_before() -> None:
    """The same place has another instruction with other options."""
    other = Leak("address", "look (a.c:9)", "mov (%rax),%al")
    assert gone((MASK, TABLE), (other,)) == (Leak("branch", "select (a.c:7)"),)


def test_what_is_left_behind_is_a_place_with_its_size() -> None:
    """Where there is no instruction to show, the table of places has the size."""
    said = "95 bytes depend on a secret\n    encrypt (stack, 16 to 111 bytes below)"
    check = CheckResult(LEFT_BEHIND, Verdict.FINDING, "", evidence=said)
    place = "encrypt (stack, 16 to 111 bytes below)"
    assert list(leaks(check)) == [Leak("left behind", place, "95 bytes depend on a secret")]


def test_a_leak_that_moves_to_another_function_is_not_gone() -> None:
    """Without its builtin functions a compiler calls memcmp, which ends early, too."""
    assert gone((MASK,), (Leak("branch", "memcmp"),)) == ()

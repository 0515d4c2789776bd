# SPDX-License-Identifier: MIT
"""Questions that a budget by the clock leaves out, and what a check says of them."""

import pytest

from assay.check.budget import Budget


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Put a clock in the place of the machine's that the test moves."""
    now = [0.0]
    monkeypatch.setattr("assay.check.budget.time.monotonic", lambda: now[0])
    return now


def test_the_first_question_is_asked_of_each_however_slow_the_code_is(clock: list[float]) -> None:
    """A routine that comes last is asked something, too; the rest is counted as left out."""
    budget, asked = Budget(4.0), []
    for routine in "ab":
        for number in budget.by_clock(range(5)):
            asked.append(f"{routine}{number}")
            clock[0] += 3.0
    assert asked == ["a0", "a1", "b0"]
    assert budget.remark("failures") == "the code is slow: 7 of 10 failures left out"


def test_quick_code_is_asked_everything(clock: list[float]) -> None:
    """And nothing is remarked."""
    budget = Budget(4.0)
    for _ in budget.by_clock(range(5)):
        clock[0] += 0.5
    assert (budget.asked, budget.remark()) == (5, "")

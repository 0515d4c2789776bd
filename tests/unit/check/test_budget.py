# SPDX-License-Identifier: MIT
"""Questions that a budget by the clock leaves out, and what a check says of them."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.budget import Budget
from assay.check.session import StreamSession
from assay.execute.agent import Agent


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


def test_what_takes_too_long_by_its_weight_is_not_asked(clock: list[float]) -> None:
    """Parts of the time that one did not use others have, and counts are of all parts."""
    agent = stand_in(Agent, processor_seconds=lambda: clock[0], closed=False)
    session = stand_in(StreamSession, agent=agent, settle=lambda: None)
    budget, asked = Budget(10.0), []
    for parts in (2, 1):
        with budget.share(parts) as share:
            for size in share.each(session, (0, 1, 2, 100), float):
                asked.append(size)
                clock[0] += 0.1 * max(size, 1)
    assert asked == [0, 1, 2] * 2
    assert budget.remark("vectors") == "the code is slow: 2 of 8 vectors left out"
    assert list(Budget(1.0).each(session, range(2000))) == list(range(2000))

# SPDX-License-Identifier: MIT
"""Slow code is used less often, and what it does is seen all the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.memory.taken import LEAK
from assay.check.trial import BaseTrial
from assay.model import Verdict


@dataclass
class LeakingAgent:
    """Works for so many seconds in each use, and keeps so many bytes of the heap."""

    seconds: float
    lost_bytes: int
    uses: int = 0
    closed: bool = False

    def processor_seconds(self) -> float:
        """Return how long all uses took."""
        return self.uses * self.seconds

    def forget_buffers(self) -> None:
        """Forget nothing: there are none."""

    def ask(self, *_: object) -> Any:
        """Answer what the heap holds."""
        held = self.uses * self.lost_bytes
        return SimpleNamespace(number=lambda _bytes: held)


@dataclass
class OneUse:
    """A trial with one routine for each length."""

    agent: LeakingAgent
    settled: int = field(default=0)
    stretch: int = 0  # lengths are short
    deep: bool = False
    bench: None = None
    use_all = BaseTrial.use_all

    @contextmanager
    def session(self) -> Iterator[Any]:
        """Lend a session with the agent."""
        yield SimpleNamespace(agent=self.agent, settle=lambda: None)

    def uses(self, lengths: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield one batch."""
        yield lengths

    def refused(self, *_: object) -> tuple[()]:
        """Return nothing that is to be refused."""
        return ()

    def budget(self, seconds: float) -> Budget:
        """Return how long the code may work."""
        return Budget(seconds)

    def excuse(self, _: object) -> str:
        """Excuse nothing."""
        return ""


@pytest.fixture(autouse=True)
def _arena(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count uses, and make none."""

    def counted(arena: Arena, _: object) -> None:
        agent: Any = arena.session.agent
        agent.uses += 1

    monkeypatch.setattr(Arena, "use", counted)


@pytest.mark.parametrize(
    ("seconds", "lost_bytes", "verdict", "uses"),
    [
        (0.001, 0, Verdict.PASS, 2 + 2 * 8),
        (1.0, 0, Verdict.PASS, 2 + 2 * 2),
        (0.001, 16, Verdict.FAIL, 2 + 10 * 8),
        (1.0, 16, Verdict.FAIL, 2 + 10 * 2),
    ],
)
def test_a_leak_of_slow_code_is_found_in_fewer_uses(
    seconds: float, lost_bytes: int, verdict: Verdict, uses: int
) -> None:
    """A block of 16 bytes that each use keeps is found, however slow the code is."""
    trial: Any = OneUse(LeakingAgent(seconds, lost_bytes))
    found = LEAK.verdict(trial)
    assert found is not None
    assert (found.verdict, trial.agent.uses) == (verdict, uses)


@pytest.mark.parametrize(("seconds", "remark", "uses"), [
    (0.001, "", 7),
    (5.0, "the code is slow: 6 of 7 uses left out", 1),
])  # fmt: skip
def test_slow_code_is_used_once_for_each_question_and_the_remark_counts_the_rest(
    seconds: float, remark: str, uses: int
) -> None:
    """Lengths are left out when the time is used up, and never the first one."""
    trial: Any = OneUse(LeakingAgent(seconds, 0))
    budget = Budget(3.0)
    with trial.session() as session:
        trial.use_all(session, budget=budget)
    assert (budget.remark("uses"), trial.agent.uses) == (remark, uses)

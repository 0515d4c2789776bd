# SPDX-License-Identifier: MIT
"""Slow code is used less often, and what it does is seen all the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.memory.taken import LEAK
from assay.check.session import StreamSession
from assay.check.trial import AnyTrial, BaseTrial
from assay.execute.protocol import PayloadReader
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

    def ask(self, *_: object) -> PayloadReader:
        """Answer what the heap holds."""
        held = self.uses * self.lost_bytes
        return stand_in(PayloadReader, number=lambda _bytes: held)


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
    def session(self) -> Iterator[StreamSession]:
        """Lend a session with the agent."""
        yield stand_in(StreamSession, agent=self.agent, settle=lambda: None)

    def uses(self, lengths: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield one batch."""
        yield lengths

    def refused(self, *_: object) -> tuple[()]:
        """Return nothing that is to be refused."""
        return ()

    too_short = refused

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
        cast("LeakingAgent", arena.session.agent).uses += 1

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
    agent = LeakingAgent(seconds, lost_bytes)
    found = LEAK.verdict(cast("AnyTrial", OneUse(agent)))
    assert found is not None
    assert (found.verdict, agent.uses) == (verdict, uses)


@pytest.mark.parametrize(("seconds", "remark", "uses"), [
    (0.001, "", 7),
    (5.0, "the code is slow: 6 of 7 uses left out", 1),
])  # fmt: skip
def test_slow_code_is_used_once_for_each_question_and_the_remark_counts_the_rest(
    seconds: float, remark: str, uses: int
) -> None:
    """Lengths are left out when the time is used up, and never the first one."""
    agent, budget = LeakingAgent(seconds, 0), Budget(3.0)
    trial = cast("AnyTrial", OneUse(agent))
    with trial.session() as session:
        trial.use_all(session, budget=budget)
    assert (budget.remark("uses"), agent.uses) == (remark, uses)

# SPDX-License-Identifier: MIT
"""How much time a check's many questions may take, so that slow code is asked fewer of them.

Time is what the agent's processor spent on it, so that a busy machine asks no fewer; where that
is unknown, it goes by the clock. What a question will take is projected from those before it,
by weight: the bytes that it has the code process, say.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.execute.agent import Agent

UNMEASURED = 8192  # of weight: more is not asked without looking at the clock


@dataclass(slots=True)
class Budget:
    """Seconds for all questions of a check; `asked` and `left_out` count them."""

    seconds: float
    asked: int = 0
    left_out: int = 0
    used: float = 0.0
    weight: float = 0.0

    @contextmanager
    def share(self, agent: Agent, parts: int) -> Iterator["Allotment"]:
        """Lend what one of the `parts` that are left may take; what it saves, others have."""
        agent.flush()
        share = Allotment(
            self, agent, self.used + (self.seconds - self.used) / parts, _clock(agent)
        )
        yield share
        share.measure()

    def remark(self, what: str) -> str:
        """Return the remark on questions left out; empty if none was."""
        if not self.left_out:
            return ""
        return f"the code is slow: {self.left_out} of {self.asked + self.left_out} {what} left out"


@dataclass(slots=True)
class Allotment:
    """Questions to one agent until `limit` seconds are used; the first is always asked."""

    budget: Budget
    agent: Agent
    limit: float
    _measured: float
    _asked: int = 0
    _unmeasured: float = 0.0

    def affords(self, weight: float) -> bool:
        """Return whether there is time for one more question; count it as asked or left out."""
        if self._unmeasured and self._unmeasured + weight > UNMEASURED:
            self.measure()
        if self._asked and self._projected(weight) > self.limit:
            self.budget.left_out += 1
            return False
        self.budget.asked += 1
        self._asked += 1
        self._unmeasured += weight
        return True

    def _projected(self, weight: float) -> float:
        """Return how much will be used after all that is asked, and a question of this weight."""
        budget = self.budget
        rate = budget.used / budget.weight if budget.weight else 0.0
        return budget.used + (self._unmeasured + weight) * rate

    def measure(self) -> None:
        """Have everything answered, and learn what it cost."""
        self.agent.flush()
        now = _clock(self.agent)
        self.budget.used += now - self._measured
        self.budget.weight += self._unmeasured
        self._measured, self._unmeasured = now, 0.0


def _clock(agent: Agent) -> float:
    used = agent.processor_seconds()
    return time.monotonic() if used is None else used

# SPDX-License-Identifier: MIT
"""How much a check asks of code in the time that it has: slow code is asked fewer questions.

Time is what the agent's processor spent on it, so that a busy machine asks no fewer; where
that is unknown, it goes by the clock.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from assay.check.arena import Performs
from assay.execute.agent import Agent

SECONDS = 0.6  # that a check may spend on one function of a slow implementation
SHORT_SECONDS = 0.15  # the same, of a further configuration
SLICE_SECONDS = 0.05  # after so long the bench looks at the clock again
MOST_AT_ONCE = 1024

ItemT = TypeVar("ItemT")


@dataclass(slots=True)
class Pace:
    """The time of a check. What it leaves out for want of time is in `remark`."""

    seconds: float
    used: float = 0.0
    asked: int = 0
    left: int = 0

    @property
    def over(self) -> bool:
        """Return whether the time is over."""
        return self.used > self.seconds

    @property
    def remark(self) -> str:
        """State how many questions were left out; nothing if none was."""
        if not self.left:
            return ""
        return f"the code is slow: {self.left} of {self.asked + self.left} questions left out"

    @contextmanager
    def spending(self, agent: Agent) -> Iterator[None]:
        """Count what an agent works meanwhile."""
        before, began = agent.processor_seconds(), time.monotonic()
        yield
        after = None if agent.closed else agent.processor_seconds()
        known = before is not None and after is not None
        self.used += after - before if known else time.monotonic() - began  # type: ignore[operator]

    def each(self, session: Performs, items: Iterable[ItemT]) -> Iterator[ItemT]:
        """Yield items as long as there is time, the first one always.

        What is queued for them is performed in groups that take a short while each.
        """
        chosen, at, group = tuple(items), 0, 1
        while at < len(chosen):
            spent, began = self.used, time.monotonic()
            with self.spending(session.agent):
                for item in chosen[at : at + group]:
                    yield item
                    self.asked += 1
                session.settle()
            at += group
            if self.over:
                self.left += max(len(chosen) - at, 0)
                return
            group = _next_group(group, max(self.used - spent, time.monotonic() - began))


def _next_group(group: int, seconds: float) -> int:
    """Return how many items would take a slice, if they go on as the last group did."""
    fitting = int(SLICE_SECONDS * group / max(seconds, 1e-6))
    return max(1, min(MOST_AT_ONCE, fitting, 8 * group))

# SPDX-License-Identifier: MIT
"""How much time a check's many questions may take, so that slow code is asked fewer of them.

Time is what the agent's processor spent on it, so that a busy machine asks no fewer; where that
is unknown, it goes by the clock. Questions that are alike are asked as long as there is time
(`Budget.each`). Where they have a weight, the bytes that they have the code process, say, what
the next ones will take is projected from those before them.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct

from assay.check.session import BaseSession
from assay.execute.agent import Agent

LOOK_SECONDS = 0.05  # after so long the bench looks at the time again
MOST_AT_ONCE = 1024

ItemT = TypeVar("ItemT")


class Budget(Struct):
    """Seconds for all questions of a check; `asked` and `left_out` count them."""

    seconds: float
    asked: int = 0
    left_out: int = 0
    used: float = 0.0

    @contextmanager
    def share(self, parts: int) -> Iterator["Budget"]:
        """Lend what one of the `parts` that are left may take; what it saves, others have."""
        share = Budget((self.seconds - self.used) / parts)
        yield share
        self.asked += share.asked
        self.left_out += share.left_out
        self.used += share.used

    @property
    def over(self) -> bool:
        """Return whether the time is used up."""
        return self.used > self.seconds

    @contextmanager
    def spending(self, agent: Agent) -> Iterator[None]:
        """Count what an agent works meanwhile."""
        before, began = agent.processor_seconds(), time.monotonic()
        yield
        after = None if agent.closed else agent.processor_seconds()
        if before is None or after is None:
            self.used += time.monotonic() - began
        else:
            self.used += after - before

    def each(
        self,
        session: BaseSession,
        items: Iterable[ItemT],
        weight: Callable[[ItemT], float] | None = None,
    ) -> Iterator[ItemT]:
        """Yield items as long as there is time, the first one always.

        What is queued for them is performed in groups that take a short while each. One for which
        time will not suffice by its `weight` is not asked, nor are those behind it.
        """
        left = deque((one, max(weight(one), 1.0) if weight else 1.0) for one in items)
        fitting, done, before = 0.0, 0.0, self.used
        while left:
            began, group = time.monotonic(), 0.0
            with self.spending(session.agent):
                for _ in range(MOST_AT_ONCE):
                    if group and (not left or group + left[0][1] > fitting):
                        break
                    item, more = left.popleft()
                    yield item
                    self.asked += 1
                    group += more
                session.settle()
            done += group
            rate = (self.used - before) / done if weight else 0.0
            if self.over or (left and self.used + rate * left[0][1] > self.seconds):
                self.left_out += len(left)
                return
            fitting = group * min(LOOK_SECONDS / max(time.monotonic() - began, 1e-6), 8.0)

    def by_clock(self, items: Iterable[ItemT]) -> Iterator[ItemT]:
        """Yield items as long as there is time by the clock, the first one always.

        For questions to agents that live for one of them only.
        """
        for number, item in enumerate(items):
            if number and self.over:
                self.left_out += 1
                continue
            began = time.monotonic()
            yield item
            self.asked += 1
            self.used += time.monotonic() - began

    def remark(self, what: str = "questions") -> str:
        """Return the remark on questions left out; empty if none was."""
        if not self.left_out:
            return ""
        return f"the code is slow: {self.left_out} of {self.asked + self.left_out} {what} left out"

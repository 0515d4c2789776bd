# SPDX-License-Identifier: MIT
"""How much time a check's many questions may take, so that slow code is asked fewer of them.

Time is what the agent's processor spent on it, so that a busy machine asks no fewer; where that
is unknown, it goes by the clock. Questions that are alike are asked as long as there is time
(`Budget.each`). Where they have a weight, the bytes that they have the code process, say, what
the next ones will take is projected from those before them.

Routines performed thousands of times inside an agent, with new bytes in some variables.

The agent draws them (`harness/agent/again.c`) and tells a digest of all outputs: a million calls
in the time that the pipe takes for some thousand. If two digests differ, halving finds the first
round that differs. The bench draws the same by SplitMix64 (Steele, Lea, Flood: Fast splittable
pseudorandom number generators, OOPSLA 2014).
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.routine import Routine
from assay.check.session import BaseSession
from assay.execute.agent import Agent
from assay.execute.circumstances import vary

LOOK_SECONDS = 0.05  # after so long the bench looks at the time again
MOST_AT_ONCE = 1024

ItemT = TypeVar("ItemT")

WORD = (1 << 64) - 1
FIRST_ROUNDS, MORE = 1, 8  # a use may take a second
SLICE_SECONDS = 0.25


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


def digest(arena: Arena, routine: Routine, drawn: Sequence[str], seed: int, rounds: int) -> int:
    """Perform a routine that is laid and filled so many times; digest its outputs.

    AgentRefusal from an agent that cannot.
    """
    watched, changed = (
        [(arena.buffer(name), routine.variables[name].size) for name in names]
        for names in (routine.outputs, drawn)
    )
    requests = arena.requests(routine, drawn)
    return vary(arena.session.agent, requests, watched, changed, seed, rounds)


def until_different(
    differ: Callable[[int, int], bool], most: int, over: Callable[[], bool]
) -> tuple[int, bool]:
    """Return after how many rounds digests differ, and whether they do.

    `differ` says it of some rounds after so many others. It is asked of about a slice of time
    each, until `most` rounds are made or time is `over`; halving finds the first that differs.
    """
    done, rounds = 0, FIRST_ROUNDS
    while done < most and not over():
        rounds, began = min(rounds, most - done), time.monotonic()
        if differ(done, rounds):
            low, high = 0, rounds  # they agree after `low` rounds, and differ after `high`
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if differ(done, middle) else (middle, high)
            return done + low, True
        done += rounds
        slices = SLICE_SECONDS / max(time.monotonic() - began, 1e-3)
        rounds = min(rounds * MORE, max(1, int(rounds * slices)))
    return done, False


def drawn(seed: int, part: int, length: int) -> bytes:
    """Return the bytes of a part in the round of a seed; one in eight is one byte throughout."""
    words = _words(next(_words(seed + part)))
    first = next(words)
    if first % 8 == 0:
        return bytes([first >> 56]) * length
    return b"".join(next(words).to_bytes(8, "little") for _ in range(0, length, 8))[:length]


def _words(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        yield word ^ (word >> 31)

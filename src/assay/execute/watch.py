# SPDX-License-Identifier: MIT
"""Watching a launch: canaries around each timed group, and who else used the processor.

The canaries are asked for right before the request that times a group, in a turn of their
own: what they use of the processor is no part of what the group uses. They are at least
`APART_SECONDS` apart: groups may be short.
"""

import time
from dataclasses import dataclass, field, replace

from assay.execute.agent import Agent, Answer
from assay.execute.clock import (
    LATENCY,
    MEMORY,
    MULTIPLIER,
    THROUGHPUT,
    ask_clock,
    ask_loop,
    fastest,
    instant_of,
)
from assay.machine.neighbours import Usage, usage
from assay.model import Canaries

APART_SECONDS = 0.004
REPEATS = 2
# Thousands of operations: about 20 microseconds each, but for memory.
THOUSANDS = {LATENCY: 30, THROUGHPUT: 90, MULTIPLIER: 10, MEMORY: 1}
DIGITS = 5
INTRUDING_SECONDS, INTRUDING_SHARE = 0.06, 0.3  # of others on the measured processor
LEAST_GROUP_NS = 1_000_000  # of a shorter group no share is taken


@dataclass(slots=True)
class Watch:
    """What was asked around the timed groups of one agent, pinned to `cpu` (None: to none)."""

    agent: Agent
    cpu: int | None
    _loops: list[dict[int, tuple[Answer, ...]]] = field(default_factory=list)
    _clocks: list[tuple[Answer, Answer]] = field(default_factory=list)
    _last: float = 0.0
    _ended: bool = False
    _first_usage: Usage | None = None
    _first_seconds: float | None = None

    def __post_init__(self) -> None:
        """Begin to watch."""
        ask_loop(self.agent, MEMORY, THOUSANDS[MEMORY], 1)  # which links its lines first
        self._first_usage = usage(self.cpu)
        self._first_seconds = self.agent.processor_seconds()
        self.agent.around_timing = self

    def prepare(self) -> None:
        """Queue the canaries."""
        self._look()

    def before(self) -> None:
        """Queue what shall be done right before a group is timed: waiting is no absence."""
        self._clocks.append((Answer(self.agent), Answer(self.agent)))
        ask_clock(self.agent, self._clocks[-1][0])

    def after(self) -> None:
        """Queue what shall be done right after."""
        ask_clock(self.agent, self._clocks[-1][1])

    def _look(self) -> None:
        if self._loops and time.monotonic() - self._last < APART_SECONDS:
            return
        self._last = time.monotonic()
        ends = not self._loops or self._ended
        self._loops.append(
            {
                loop: ask_loop(self.agent, loop, n, REPEATS)
                for loop, n in THOUSANDS.items()
                if loop != MEMORY or ends  # it takes ten times as long, and evicts lines
            }
        )

    def stop(self) -> tuple[tuple[Canaries, ...], float | None, Usage]:
        """End with the last canaries; give them all, the worst absence, what others used."""
        self.agent.around_timing = None
        self._last, self._ended = 0.0, True
        self._look()
        self.agent.flush()
        canaries = tuple(_canaries(one) for one in self._loops)
        absences = [one for one in map(_absence, self._clocks) if one is not None]
        since = self._first_usage or usage(self.cpu)
        return canaries, max(absences, default=None), self._with_intruders(since)

    def _with_intruders(self, since: Usage) -> Usage:
        """Give what was used; others on the measured processor itself count as beside.

        The kernel counts a processor's time in steps, and the agent's exactly: what does not
        stand out against the steps is not believed.
        """
        used, own = usage(self.cpu).since(since), self.agent.processor_seconds()
        if used.busy_seconds is None or own is None or self._first_seconds is None:
            return used
        others = used.busy_seconds - (own - self._first_seconds)
        if others < max(INTRUDING_SECONDS, INTRUDING_SHARE * used.at):
            return used
        return replace(used, beside_seconds=(used.beside_seconds or 0.0) + others)


def _canaries(loops: dict[int, tuple[Answer, ...]]) -> Canaries:
    read = {loop: fastest(answers, THOUSANDS[loop]) for loop, answers in loops.items()}
    known = read[MULTIPLIER][1]
    return Canaries(
        round(read[LATENCY][0], DIGITS),
        round(read[THROUGHPUT][0], DIGITS),
        round(read[MULTIPLIER][0] / known, DIGITS) if known else None,
        round(read[MEMORY][0], 2) if MEMORY in read else None,
    )


def _absence(clocks: tuple[Answer, Answer]) -> float | None:
    """Give the share of a group in which the agent wanted the processor and had it not."""
    first, last = (instant_of(one.data) for one in clocks)
    if first.processor_ns is None or last.processor_ns is None:
        return None
    whole = last.ns - first.ns
    if whole < LEAST_GROUP_NS:
        return None
    return max(0.0, 1.0 - (last.processor_ns - first.processor_ns) / whole)

# SPDX-License-Identifier: MIT
"""Whether the times that an agent reports are what the kernel saw it work.

Between the calls of an operation the agent copies their inputs and outputs. The same request
without the calls says how long that takes, so the rest of the processor time must be in the
report. It is asked after every request that is timed: code that sees it learns nothing.

What takes some milliseconds is judged request by request. Of a group that takes less, some rounds
are timed, all alike; nobody knows which of them the figures are taken from.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from assay.measure.operation.bed import Bed
from assay.measure.operation.challenge import Challenge
from assay.measure.operation.timing import (
    TIMING_SECONDS,
    OperationEffort,
    Timing,
    request_of,
)
from assay.timing.agent import ProcessUse, TimedAgent, watched
from assay.timing.witness import accuse

ENOUGH_SECONDS, MOST_ROUNDS = 0.005, 32
LEAST_SHARE = 0.9  # of the processor time that must have been reported
MOST_TIMES_MEDIAN = 20.0  # that a sample counts for: work differs, and the processor may be lost
BESIDE = 2.0  # calls leave colder caches to what is done beside them
# What is believed of the request without calls, in which code that has taken the agent's place
# could work as well: so much, and so much for each byte that is copied.
BESIDE_SECONDS, BESIDE_SECONDS_A_BYTE = 0.00025, 1e-9
UNTIMED_SECONDS = 0.0001
HOLLOW = 2  # requests: the first may find the pools in the caches of another processor


@dataclass(frozen=True, slots=True)
class Account:
    """Seconds that were reported, those of the processor, and those without the calls."""

    reported: float
    used: float
    beside: float

    @property
    def least(self) -> float:
        """The least that must have been reported."""
        return LEAST_SHARE * (self.used - BESIDE * self.beside - UNTIMED_SECONDS)

    def require(self, operation: str) -> None:
        """Raise AgentLied if too little is reported."""
        if self.reported < self.least:
            accuse(
                f"while timing {operation}: it reports {1000 * self.reported:.2f} ms and used "
                f"{1000 * self.used:.2f} ms of the processor, {1000 * self.beside:.2f} ms of it "
                "beside the calls"
            )


def account_of(
    bed: Bed, challenge: Challenge, timing: Timing, seen: ProcessUse, effort: OperationEffort
) -> Account | None:
    """Have the request made once more without its calls; None where nothing can be compared."""
    agent, used = watched(bed.session.agent), seen.processor_seconds
    if used is None or math.isinf(effort.ticks_per_second):
        return None
    around, agent.around_timing = agent.around_timing, None
    try:
        beside = min(_hollow(agent, bed, challenge) for _ in range(HOLLOW))
    finally:
        agent.around_timing = around
    copied = sum(pool.size_bytes for pool in bed.pools.values())
    most = BESIDE_SECONDS + BESIDE_SECONDS_A_BYTE * copied
    return Account(usual_ticks(timing) / effort.ticks_per_second, used, min(beside, most))


def _hollow(agent: TimedAgent, bed: Bed, challenge: Challenge) -> float:
    request = request_of(bed, challenge, hollow=True)
    agent.time(request, "doing all but the calls", TIMING_SECONDS)
    return agent.since_timing().processor_seconds or 0.0


def joined(rounds: Sequence[Sequence[Account]]) -> Account:
    """Join accounts of rounds; what one of them takes beside the others is nobody's work."""
    return _joined(statistics.median, [_joined(sum, one, 1) for one in rounds], len(rounds))


def enough(rounds: Sequence[Sequence[Account]]) -> bool:
    """Return whether rounds can be judged, or more of them would be too many."""
    account = joined(rounds)
    return account.used - account.beside > ENOUGH_SECONDS or len(rounds) >= MOST_ROUNDS


def _joined(
    join: Callable[[list[float]], float], accounts: Sequence[Account], times: int
) -> Account:
    """Join each of the numbers, and take it so many times."""
    columns = ([getattr(one, each.name) for one in accounts] for each in fields(Account))
    return Account(*(times * join(column) for column in columns))


def usual_ticks(timing: Timing, most: float = MOST_TIMES_MEDIAN) -> float:
    """Return all ticks of a task; of a sample no more than so many times the median.

    In those that took longer the agent lost the processor.
    """
    limit = most * statistics.median(timing.ticks)
    longer = [ticks for ticks in timing.ticks if ticks > limit]
    return sum(timing.ticks) - sum(longer) + limit * len(longer) + min(timing.warm_up, limit)

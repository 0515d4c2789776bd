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
    STEPS_PER_SAMPLE,
    OperationEffort,
    Timing,
    read_timing,
    request_of,
    writes_length,
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


@dataclass(frozen=True, slots=True)
class Hollow:
    """What a request takes without its calls.

    `seconds` of the processor are used (None: unknown), and each sample takes so many `ticks`: the
    inputs of all its calls but the first are made within it. A long one is not said to take any.
    """

    seconds: float | None
    copied_bytes: int
    ticks: float
    samples: int


def hollow_of(bed: Bed, challenge: Challenge, timing: Timing, effort: OperationEffort) -> Hollow:
    """Have a request made without its calls; the fastest counts, as no code of a package runs."""
    short = statistics.median(timing.ticks) < STEPS_PER_SAMPLE * effort.step_ticks
    agent = watched(bed.session.agent)
    around, agent.around_timing = agent.around_timing, None
    try:
        found = [_hollow(agent, bed, challenge) for _ in range(HOLLOW)]
    finally:
        agent.around_timing = around
    seconds = [one for one, _ in found if one is not None]
    ticks = min(statistics.median(one.ticks) for _, one in found)
    ticks = ticks if bed.calls > 1 or short else 0
    copied = sum(pool.size_bytes for pool in bed.pools.values())
    return Hollow(min(seconds, default=None), copied, ticks, bed.samples + 1)


def _hollow(agent: TimedAgent, bed: Bed, challenge: Challenge) -> tuple[float | None, Timing]:
    request, what = request_of(bed, challenge, hollow=True), "doing all but the calls"
    lengths = bed.slices if writes_length(bed, challenge.task) else 0
    timing = read_timing(agent, request, what, bed.samples, lengths)
    return agent.since_timing().processor_seconds, timing


def account_of(
    hollow: Hollow, timing: Timing, seen: ProcessUse, effort: OperationEffort
) -> Account | None:
    """Return the account of a request; None where nothing can be compared."""
    used, rate = seen.processor_seconds, effort.ticks_per_second
    if used is None or hollow.seconds is None or math.isinf(rate):
        return None
    most = BESIDE_SECONDS + BESIDE_SECONDS_A_BYTE * hollow.copied_bytes
    beside = max(0.0, min(hollow.seconds, most) - hollow.ticks * hollow.samples / rate)
    return Account(usual_ticks(timing) / rate, used, beside)


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

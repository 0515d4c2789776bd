# SPDX-License-Identifier: MIT
"""Whether the times that an agent reports are what the kernel saw it work.

Between the calls of an operation the agent copies their inputs and outputs. The same request
without the calls says how long that takes, so the rest of the processor time must be in the
report. It is asked before the figures of a group are taken, by the same calls: code that is
called for the first time in a group cannot know whether this one counts.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from random import Random

from assay.measure.operation.bed import Bed, fill
from assay.measure.operation.challenge import Challenge, Challenger
from assay.measure.operation.timing import (
    TIMING_SECONDS,
    OperationEffort,
    Timing,
    request_of,
    time_task,
)
from assay.timing.agent import TimedAgent, watched
from assay.timing.witness import accuse, believed

ENOUGH_SECONDS, MOST_ROUNDS = 0.005, 32
LEAST_SHARE = 0.75  # of the processor time that must have been reported
MOST_TIMES_MEDIAN = 3.0  # that a sample counts for: work differs from call to call
ATTEMPTS = 2
BESIDE = 2.0  # calls leave colder caches to what is done beside them
UNTIMED_SECONDS = 0.0005


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


def require_account(
    bed: Bed, challenger: Challenger, effort: OperationEffort, random: Random
) -> None:
    """Time a group until there is enough to judge; AgentLied if too little of it is reported."""
    agent = watched(bed.session.agent)
    if agent.processor_seconds() is None or math.isinf(effort.ticks_per_second):
        return
    around, agent.around_timing = agent.around_timing, None
    try:
        believed(lambda: _judge(bed, _taken(agent, bed, challenger, effort, random)), ATTEMPTS)
    finally:
        agent.around_timing = around


def _taken(
    agent: TimedAgent, bed: Bed, challenger: Challenger, effort: OperationEffort, random: Random
) -> Account:
    """Time rounds of the group; what one of them takes beside the others is nobody's work."""
    rounds: list[Account] = []
    for _ in range(MOST_ROUNDS):
        challenges = (challenger.make(task, random) for task in bed.group.timed)
        tasks = [_of_task(agent, bed, one, effort) for one in challenges]
        rounds.append(_joined(sum, tasks, 1))
        account = _joined(statistics.median, rounds, len(rounds))
        if account.used - account.beside > ENOUGH_SECONDS:
            break
    return account


def _joined(
    join: Callable[[list[float]], float], accounts: Sequence[Account], times: int
) -> Account:
    """Join each of the numbers, and take it so many times."""
    columns = ([getattr(one, each.name) for one in accounts] for each in fields(Account))
    return Account(*(times * join(column) for column in columns))


def _of_task(
    agent: TimedAgent, bed: Bed, challenge: Challenge, effort: OperationEffort
) -> Account:
    """Have a task timed without its calls, and with them."""
    fill(bed, challenge.inputs, challenge.seed)
    for _ in range(2):  # the first finds the pools in the caches of another processor
        agent.time(
            request_of(bed, challenge, hollow=True), "doing all but the calls", TIMING_SECONDS
        )
        beside = agent.since_timing()[0] or 0.0
    timing = time_task(bed, challenge, effort)
    used = agent.since_timing()[0] or 0.0
    return Account(_usual(timing) / effort.ticks_per_second, used, beside)


def _usual(timing: Timing) -> float:
    """Return all ticks of a task; of samples in which the agent lost the processor, fewer."""
    most = MOST_TIMES_MEDIAN * statistics.median(timing.ticks)
    return sum(min(ticks, most) for ticks in (timing.warm_up, *timing.ticks))


def _judge(bed: Bed, account: Account) -> None:
    if account.reported < account.least:
        accuse(
            f"while timing {bed.session.subject.operation}: it reports "
            f"{1000 * account.reported:.2f} ms and used {1000 * account.used:.2f} ms of the "
            f"processor, {1000 * account.beside:.2f} ms of it beside the calls"
        )

# SPDX-License-Identifier: MIT
"""Whether the times that an agent reports are what the kernel saw it work.

Between the calls of an operation the agent copies their inputs and outputs. The same request
without the calls says how long that takes, so the rest of the processor time must be in the
report. It is asked after every request that is timed: code that sees it learns nothing.

What takes some milliseconds is judged request by request. Of a group that takes less, some rounds
are timed, all alike; nobody knows which of them the figures are taken from.

A figure is a median, and the account of a request is a sum: code that shifts the agent's clock
readings could report half of most calls, and the rest with the others. Work may differ from call
to call, as that of signatures does. Then it does so for the same input everywhere; so where the
ticks of a request are uneven, those calls that seem to have taken the least are made again by a
process that never saw their inputs, and the kernel says what they take.
"""

import itertools
import math
import statistics
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import fields

from assay.check.operation.routines import TimedGroup
from assay.check.operation.script import Script
from assay.check.operation.session import SCRIPT_SECONDS, OperationSession
from assay.execute.agent import Agent
from assay.execute.protocol import Request
from assay.measure.audit import Account, Slices, require_same
from assay.measure.operation.bed import Bed, begin_randomness, fill, fresh_outputs
from assay.measure.operation.challenge import Challenge, calls_of
from assay.measure.operation.timing import (
    STEPS_PER_SAMPLE,
    OperationEffort,
    Timing,
    read_timing,
    request_of,
    writes_length,
)
from assay.model import OperationSubject
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
ALIKE = 1.1  # times the median: a sample of even ones takes no more
UNEVEN = 1.15  # times what even samples come to: more is looked into
LEAST_SHARE_AGAIN = 0.8  # of what the calls take elsewhere that must have been reported
TURN_SECONDS = 15e-6  # asking once more: where randomness is drawn there are many turns


class Hollow(Struct, frozen=True):
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


def require_reported(account: Account, operation: str) -> None:
    """Raise AgentLied if too little is reported: calls leave colder caches to what is beside."""
    if account.used > account.most(1 / LEAST_SHARE, BESIDE, UNTIMED_SECONDS):
        accuse(
            f"while timing {operation}: it reports {1000 * account.reported:.2f} ms and used "
            f"{1000 * account.used:.2f} ms of the processor, {1000 * account.beside:.2f} ms of it "
            "beside the calls"
        )


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


class Uneven(Struct, frozen=True):
    """A request whose samples differ: its calls, and what the `low` ones are said to take.

    `low` are the numbers of their slices. Code that draws randomness must be given all of them in
    their order.
    """

    group: TimedGroup
    challenge: Challenge
    slices: int
    low: frozenset[int]
    reported_seconds: float
    draws: bool

    @property
    def turns(self) -> Iterator[tuple[bool, Sequence[int]]]:
        """Return the calls in the order in which they are made, low ones apart."""
        if not self.draws:
            yield True, sorted(self.low)
            return
        for low, numbers in itertools.groupby(range(self.slices), self.low.__contains__):
            yield low, list(numbers)


def uneven(
    bed: Bed, challenge: Challenge, timing: Timing, account: Account | None
) -> Uneven | None:
    """Return what is to be made again; None if samples are alike, or nothing can be compared."""
    ticks = timing.ticks
    even = usual_ticks(timing, most=ALIKE)
    if account is None or not even or usual_ticks(timing) <= UNEVEN * even:
        return None
    median = statistics.median(ticks)
    odd = {number // bed.calls for number in challenge.other}
    samples = [at for at, one in enumerate(ticks, 1) if one <= median and at not in odd]
    seconds = account.reported * sum(ticks[one - 1] for one in samples) / usual_ticks(timing)
    if seconds < UNTIMED_SECONDS:  # calls of nanoseconds, and the process would do little else
        return None
    low = frozenset(one * bed.calls + call for one in samples for call in range(bed.calls))
    draws = any(timing.random_calls)
    return Uneven(bed.group, challenge, bed.slices, low, seconds, draws)


def make_again(agent: Agent, subject: OperationSubject, one: Uneven) -> None:
    """Make the calls; AgentLied if the low ones take longer than was reported.

    WrongOutput if they write something else: code may see that it is not timed, and do nothing.
    """
    session = OperationSession(agent, subject)
    bed = Bed(session, one.group, calls=1, samples=one.slices - 1)
    bed.make()
    _begin(bed, one)
    session.run(calls_of(bed, one.challenge.task, one.challenge.given, [0]))
    _begin(bed, one)
    nothing = min(_seconds(session, Script()) for _ in range(3))
    taken = TURN_SECONDS
    for low, numbers in one.turns:
        calls = calls_of(bed, one.challenge.task, one.challenge.given, numbers)
        taken += (_seconds(session, calls) - nothing - TURN_SECONDS) * low
    _require_outputs(bed, one)
    _require(subject, one, taken)


def _begin(bed: Bed, one: Uneven) -> None:
    """Write all pools, so that no call is the first to touch them."""
    fill(bed, fresh_outputs(bed) | one.challenge.inputs, one.challenge.seed)
    begin_randomness(bed, one.challenge.seed)


def _seconds(session: OperationSession, script: Script) -> float:
    what = "making calls again that seem to take the least"
    agent = watched(session.agent)
    seconds = agent.processor_time_of(Request.SCRIPT, script.payload, what, SCRIPT_SECONDS)
    return seconds or 0.0


def _require_outputs(bed: Bed, one: Uneven) -> None:
    made = set(range(one.slices) if one.draws else one.low) - one.challenge.other
    who = f"when {bed.session.subject.operation}{one.challenge.task.suffix} was made again it"
    for name, timed in one.challenge.outputs.items():
        slices = Slices(bed.stride(name), one.slices)
        again = slices.only(made, bed.session.agent.read(bed.pools[name]), timed)
        require_same(who, f"`{name}`", again, timed, than="while it was timed")


def _require(subject: OperationSubject, one: Uneven, taken: float) -> None:
    account = Account(one.reported_seconds, taken)
    if account.used > account.most(1 / LEAST_SHARE_AGAIN, more=UNTIMED_SECONDS):
        accuse(
            f"while timing {subject.operation}{one.challenge.task.suffix}: {len(one.low)} of "
            f"{one.slices} calls are reported with {1000 * one.reported_seconds:.2f} ms, and "
            f"use {1000 * taken:.2f} ms of the processor when they are made again"
        )

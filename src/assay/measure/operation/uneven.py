# SPDX-License-Identifier: MIT
"""Calls that seem to take less than others, made again by a process that never saw their inputs.

A figure is a median, and the account of a request is a sum: code that shifts the agent's clock
readings could report half of most calls, and the rest with the others. Work may differ from call
to call, as that of signatures does. Then it does so for the same input everywhere; so where the
ticks of a request are uneven, those calls that seem to have taken the least are made again, and
the kernel says what they take.
"""

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.check.operation.script import Script
from assay.check.operation.session import SCRIPT_SECONDS, OperationSession
from assay.check.operation.tasks import TimedGroup
from assay.execute.agent import Agent
from assay.execute.protocol import Request
from assay.measure.operation.account import UNTIMED_SECONDS, Account, usual_ticks
from assay.measure.operation.bed import Bed, begin_randomness, fill, fresh_outputs
from assay.measure.operation.challenge import Challenge, calls_of
from assay.measure.operation.timing import Timing
from assay.measure.task import WrongOutput
from assay.model import OperationSubject
from assay.timing.agent import watched
from assay.timing.witness import accuse

ALIKE = 1.1  # times the median: a sample of even ones takes no more
UNEVEN = 1.15  # times what even samples come to: more is looked into
LEAST_SHARE = 0.8  # of what the calls take elsewhere that must have been reported
TURN_SECONDS = 15e-6  # asking once more: where randomness is drawn there are many turns


@dataclass(frozen=True, slots=True)
class Uneven:
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
    made = range(one.slices) if one.draws else one.low
    for name, right in one.challenge.outputs.items():
        mine, stride = bed.session.agent.read(bed.pools[name]), bed.stride(name)
        for at in (number * stride for number in set(made) - one.challenge.other):
            if mine[at : at + stride] != right[at : at + stride]:
                raise WrongOutput(
                    f"when {bed.session.subject.operation}{one.challenge.task.suffix} was made "
                    f"again it wrote another `{name}` than while it was timed"
                )


def _require(subject: OperationSubject, one: Uneven, taken: float) -> None:
    if one.reported_seconds < LEAST_SHARE * (taken - UNTIMED_SECONDS):
        accuse(
            f"while timing {subject.operation}{one.challenge.task.suffix}: {len(one.low)} of "
            f"{one.slices} calls are reported with {1000 * one.reported_seconds:.2f} ms, and "
            f"use {1000 * taken:.2f} ms of the processor when they are made again"
        )

# SPDX-License-Identifier: MIT
"""Watching a launch: canaries around each timed group, and who else used the processor.

The canaries are asked for before and after the request that times a group, in turns of
their own: what they use of the processor is no part of what the group uses. Those before
are left out where others ran `APART_SECONDS` ago or less: groups may be short.

On a machine that is shared, neighbours come and go within a launch. A group beside one is
timed again at once, instead of the whole launch; loops of known cost are such a group, too.
That is judged by canaries and clocks, never by what the group took, so it favours no figure;
how often is written down.
"""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from assay.execute.agent import Agent, PendingAnswer
from assay.execute.protocol import LATENCY, MEMORY, MULTIPLIER, THROUGHPUT
from assay.machine.processors import Usage, usage
from assay.model import Canaries
from assay.timing.agent import TimedAgent
from assay.timing.beats import CYCLES, Beat, Rhythm, no_slower, rhythm, unheard
from assay.timing.clock import ask_clock, ask_loop, fastest, instant_of

FoundT = TypeVar("FoundT")
APART_SECONDS = 0.004
REPEATS = 2
# Thousands of operations: about 20 microseconds each, but for memory.
THOUSANDS = {LATENCY: 30, THROUGHPUT: 90, MULTIPLIER: 10, MEMORY: 1}
DIGITS = 5
INTRUDING_SECONDS, INTRUDING_SHARE = 0.06, 0.3  # of others on the measured processor
LEAST_GROUP_NS = 1_000_000  # of a shorter group no share is taken
LATENCY_BOUND = 0.05  # the clock changed by more than this
THROUGHPUT_BOUND = 0.10  # a neighbour came or went: that much of the core
SLOWEST = 1.6  # times as slow as the lowest canaries of the launch: more is not believed of beats
ABSENT_BOUND = 0.02  # share of a timed group without the processor


class RetryLimit(Struct, frozen=True):
    """What may be spent on timing groups again: `seconds`, and `share` times what counted."""

    seconds: float
    share: float


# A neighbour that stays costs nothing of it, only those that come and go; another launch costs
# more.
PATIENT = RetryLimit(0.2, 2.0)
HURRIED = RetryLimit(0.0, 0.5)  # somebody waits, and disturbed launches answer, too


class Lowest(Struct):
    """The lowest canaries of a launch so far: throughput in units of latency, and latency."""

    share: float = math.inf
    latency: float = math.inf

    def take(self, looked: Sequence[Canaries]) -> None:
        """Take canaries in."""
        self.share = min(self.share, *(one.throughput / one.latency for one in looked))
        self.latency = min(self.latency, *(one.latency for one in looked))

    def holds(self, looked: Sequence[Canaries]) -> bool:
        """Return whether all of them are near the lowest."""
        share = max(one.throughput / one.latency for one in looked)
        latency = max(one.latency for one in looked)
        return share <= self.share * (1 + THROUGHPUT_BOUND) and (
            latency <= self.latency * (1 + LATENCY_BOUND)
        )


class RetryBudget(Struct):
    """How long groups took that count, and others that were timed again, of what may be spent."""

    limit: RetryLimit = PATIENT
    counted: float = 0.0
    repeated: float = 0.0
    _since: float = field(default_factory=time.monotonic)

    def counts(self, *, quiet: bool) -> bool:
        """Account for the time since the last call; whether what was timed in it counts."""
        took, self._since = time.monotonic() - self._since, time.monotonic()
        allowed = self.limit.seconds + self.limit.share * self.counted
        if not quiet and self.repeated + took <= allowed:
            self.repeated += took
            return False
        self.counted += took
        return True


class Watch(Struct):
    """What was asked around the timed groups of one agent, pinned to `cpu` (None: to none).

    `beside` is an agent on a neighbouring processor that works for the launch between the groups
    (None: there is none). `budget` is what may be spent on timing groups again.
    `repeated` is how many groups were timed again, `left_out` how many batches of the others do
    not count.
    """

    agent: TimedAgent
    cpu: int | None
    beside: Agent | None = None
    budget: RetryBudget = field(default_factory=RetryBudget)
    repeated: int = 0
    left_out: int = 0
    _looks: list[dict[int, tuple[PendingAnswer, ...]]] = field(default_factory=list)
    _clocks: list[tuple[PendingAnswer, PendingAnswer]] = field(default_factory=list)
    _canaries: list[Canaries] = field(default_factory=list)
    _absences: list[float] = field(default_factory=list)
    _lowest: Lowest = field(default_factory=Lowest)
    _last: float = 0.0
    _first_usage: Usage | None = None
    _first_seconds: float | None = None
    _first_beside: float | None = None

    def __post_init__(self) -> None:
        """Begin to watch."""
        ask_loop(self.agent, MEMORY, THOUSANDS[MEMORY], 1)  # which links its lines first
        self._first_usage = usage(self.cpu)
        self._first_seconds = self.agent.processor_seconds()
        self._first_beside = _seconds_of(self.beside)
        self._look(memory=True)
        self.agent.around_timing = self

    def prepare(self) -> None:
        """Queue the canaries, and a clock, behind which the agent rests until it is asked."""
        if time.monotonic() - self._last >= APART_SECONDS:
            self._look()
        ask_clock(self.agent, PendingAnswer(self.agent))

    def before(self) -> None:
        """Queue what shall be done right before a group is timed: waiting is no absence."""
        self._clocks.append((PendingAnswer(self.agent), PendingAnswer(self.agent)))
        ask_clock(self.agent, self._clocks[-1][0])

    def after(self) -> None:
        """Queue what shall be done right after."""
        ask_clock(self.agent, self._clocks[-1][1])

    def settled(self) -> bool:
        """Judge the groups since the last call; False: they shall be timed again."""
        return self.heard() is not None

    def heard(self) -> Rhythm | None:
        """Judge the groups since the last call by the canaries around them.

        None: they shall be timed again. If there is no patience left, they are not steady.
        """
        looked, absences = self._looked()
        quiet = self._lowest.holds(looked)
        if not self._counts(looked, absences, quiet=quiet):
            return None
        latency = statistics.median(one.latency for one in looked)
        share = max(one.throughput / one.latency for one in looked)
        return Rhythm((), quiet, share, CYCLES / latency if latency else None, _away(absences))

    def believed(self, beats: Sequence[Beat]) -> list[Beat]:
        """Return beats with none slower than a clock and a neighbour explain.

        Code that writes the agent's numbers could else move the time of batches into them: the
        sum would stay right, and the clock of the group would seem slow besides.
        """
        latency = SLOWEST * self._lowest.latency
        return no_slower(beats, latency, SLOWEST * latency * self._lowest.share)

    def judged(self, beats: Sequence[Beat]) -> Rhythm | None:
        """Judge the last group, batch by batch; None: it shall be timed again.

        Beats tell who shared the core, and what its clock was, better than the canaries
        around the group do; those decide where there are no beats. If too few batches count
        and there is no patience left, all of them do, and mark the launch.
        """
        if not any(beat.latency for beat in beats):
            return unheard(beats) if self.settled() else None
        looked, absences = self._looked()
        found = rhythm(beats, self._lowest.share)
        if not self._counts(looked, absences, quiet=found.steady):
            return None
        if not found.steady:
            return replace(found, counting=(True,) * len(found.counting))
        self.left_out += found.counting.count(False)
        return replace(found, away=_away(absences))

    def _looked(self) -> tuple[list[Canaries], list[float]]:
        self._look()
        ask_clock(self.agent, PendingAnswer(self.agent))  # so that it rests
        self.agent.flush()
        looked, absences = self._take()
        self._lowest.take(looked)
        return looked, absences

    def _counts(self, looked: list[Canaries], absences: list[float], *, quiet: bool) -> bool:
        """Return whether groups had no noisy neighbour (`quiet`), as far as the core shows."""
        quiet = quiet and not _away(absences)
        if not self.budget.counts(quiet=quiet):
            self.repeated += 1
            self._last = 0.0  # so that the next begins with canaries of its own
            return False
        self._canaries += looked
        self._absences += absences
        return True

    def steadily(self, read: Callable[[], FoundT]) -> FoundT:
        """Read as a timed group is taken: again, until no neighbour was there."""
        while True:
            self.prepare()
            found = read()
            if self.settled():
                return found

    def _look(self, *, memory: bool = False) -> None:
        """Queue canaries; that of the memory takes ten times as long, and evicts lines."""
        self._last = time.monotonic()
        self._looks.append(
            {
                loop: ask_loop(self.agent, loop, n, REPEATS)
                for loop, n in THOUSANDS.items()
                if loop != MEMORY or memory
            }
        )

    def _take(self) -> tuple[list[Canaries], list[float]]:
        """Take what was answered since the last call: canaries, and shares of absence."""
        looked = [_canaries(one) for one in self._looks]
        absences = [one for one in map(_absence, self._clocks) if one is not None]
        self._looks, self._clocks = [], []
        return looked, absences

    def stop(self) -> tuple[tuple[Canaries, ...], float | None, Usage]:
        """End with the last canaries; give them all, the worst absence, what others used.

        Of the last look only the memory is kept if everything was settled before it.
        """
        self.agent.around_timing = None
        self._look(memory=True)
        self.agent.flush()
        looked, absences = self._take()
        canaries, absences = self._canaries + looked, self._absences + absences
        if self._canaries and len(looked) == 1:
            *earlier, last = self._canaries
            canaries = [*earlier, replace(last, memory=looked[0].memory)]
        since = self._first_usage or usage(self.cpu)
        used = self._without_own(usage(self.cpu).since(since))
        return tuple(canaries), max(absences, default=None), self._with_intruders(used)

    def _without_own(self, used: Usage) -> Usage:
        """Take off what the agent beside used: it works while the measured one rests."""
        first, last = self._first_beside, _seconds_of(self.beside)
        if used.beside_seconds is None or first is None or last is None:
            return used
        return replace(used, beside_seconds=max(0.0, used.beside_seconds - (last - first)))

    def _with_intruders(self, used: Usage) -> Usage:
        """Return what was used; others on the measured processor itself count as beside.

        The kernel counts a processor's time in steps, and the agent's exactly: what does not
        stand out against the steps is not believed.
        """
        own = self.agent.processor_seconds()
        if used.busy_seconds is None or own is None or self._first_seconds is None:
            return used
        others = used.busy_seconds - (own - self._first_seconds)
        if others < max(INTRUDING_SECONDS, INTRUDING_SHARE * used.at):
            return used
        return replace(used, beside_seconds=(used.beside_seconds or 0.0) + others)


def _away(absences: Sequence[float]) -> bool:
    """Return whether the agent was without the processor for too much of a group."""
    return max(absences, default=0.0) > ABSENT_BOUND


def _seconds_of(agent: Agent | None) -> float | None:
    return None if agent is None else agent.processor_seconds()


def _canaries(loops: dict[int, tuple[PendingAnswer, ...]]) -> Canaries:
    read = {loop: fastest(answers, THOUSANDS[loop]) for loop, answers in loops.items()}
    known = read[MULTIPLIER][1]
    return Canaries(
        round(read[LATENCY][0], DIGITS),
        round(read[THROUGHPUT][0], DIGITS),
        round(read[MULTIPLIER][0] / known, DIGITS) if known else None,
        round(read[MEMORY][0], 2) if MEMORY in read else None,
    )


def _absence(clocks: tuple[PendingAnswer, PendingAnswer]) -> float | None:
    """Return the share of a group in which the agent wanted the processor and had it not."""
    first, last = (instant_of(one.data) for one in clocks)
    if first.processor_ns is None or last.processor_ns is None:
        return None
    whole = last.ns - first.ns
    if whole < LEAST_GROUP_NS:
        return None
    return max(0.0, 1.0 - (last.processor_ns - first.processor_ns) / whole)

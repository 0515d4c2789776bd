# SPDX-License-Identifier: MIT
"""A series of batches with their beats, timed again while a neighbour disturbs it."""

import itertools
from collections.abc import Callable

from msgspec import Struct

from assay.execute.protocol import PayloadReader
from assay.model import Beats
from assay.timing.agent import TimedAgent
from assay.timing.beats import Beat, Rhythm, beat_ticks, beats_for, read_series
from assay.timing.witness import (
    LEAST_SHARE,
    believed,
    compare,
    require_alike,
    require_even,
    require_few_faults,
    require_rest,
    took_time,
)

DIGITS = 5
TEST_SECONDS = 30.0  # one batch of hopelessly slow code, before it counts as a hang


class BatchSeries(Struct, frozen=True):
    """The batches that count and their beats; what the agent told after them; ticks in all.

    `used` is the processor time of the request that they were told in (None: unknown), and
    `quiet` whether the beats say that nobody disturbed it.
    """

    ticks: tuple[int, ...]
    beats: Beats | None
    rest: PayloadReader
    spent: int
    used: float | None
    quiet: bool


class TimedBeats(Struct, frozen=True):
    """The warm-up and the batches as the agent reports them, and what follows.

    `used` is the processor time of the process meanwhile (None: unknown), and `absent` are ticks
    in which it had no processor.
    """

    beats: list[Beat]
    rest: PayloadReader
    used: float | None
    absent: float


def time_series(
    agent: TimedAgent, what: str, request: bytes, samples: int, rate: float
) -> TimedBeats:
    """Time the warm-up batch and every sample.

    They are compared with the processor time that the agent used, since little is done beside
    the timing. AgentLied if the report does not fit what was seen.
    """
    asked = beats_for(rate)
    reader = agent.time(request + samples.to_bytes(4, "little") + asked, what, TEST_SECONDS)
    seen = agent.since_timing()
    require_few_faults(what, seen.page_faults)
    require_rest(f"between the setup and {what}", agent.preparing.processor_seconds)
    series = agent.believed(read_series(reader, samples, asked))
    took_time(what, [one.ticks for one in series])
    reported = (sum(one.ticks for one in series) + beat_ticks(series)) / rate
    used = seen.processor_seconds
    compare(what, reported, used, seen.seconds, LEAST_SHARE)
    absent = 0.0 if used is None else max(0.0, reported - used) * rate
    return TimedBeats(series, reader, used, absent)


def until_settled(agent: TimedAgent, what: str, timed: Callable[[], TimedBeats]) -> BatchSeries:
    """Time again while neighbours disturb it, for as long as the agent's watch allows.

    AgentLied if what counts would say less than what was worked in all.
    """
    spent = 0

    def once() -> tuple[Rhythm | None, TimedBeats]:
        nonlocal spent
        series = timed()
        spent += sum(one.ticks for one in series.beats)
        found = agent.judged(series.beats)
        if found is not None and series.used is not None:
            warm_up, *ticks = (one.ticks for one in series.beats)
            counting = list(itertools.compress(ticks, found.counting))
            require_even(what, warm_up, counting, series.absent, steady=found.steady)
            require_alike(what, counting, warm_up, ticks, series.absent)
        return found, series

    while True:
        found, series = believed(once)
        if found is not None:
            batches = itertools.compress(series.beats[1:], found.counting)
            ticks = tuple(one.ticks for one in batches)
            beats = beats_of(found)
            return BatchSeries(ticks, beats, series.rest, spent, series.used, found.quiet)


def beats_of(found: Rhythm) -> Beats | None:
    """Return what a sample keeps of the core that its group had; None if nothing is known."""
    ratio = found.cycles_per_tick
    return Beats(round(ratio, DIGITS), round(found.share, DIGITS)) if ratio else None

# SPDX-License-Identifier: MIT
"""A series of batches with their beats, timed again while a neighbour disturbs it."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from assay.execute.protocol import PayloadReader
from assay.model import Beats
from assay.timing.agent import TimedAgent
from assay.timing.beats import Beat, Rhythm, beat_ticks, beats_for, read_series
from assay.timing.witness import LEAST_SHARE, believed, compare, took_time

DIGITS = 5
TEST_SECONDS = 30.0  # one batch of hopelessly slow code, before it counts as a hang


@dataclass(frozen=True, slots=True)
class BatchSeries:
    """The batches that count and their beats; what the agent told after them; ticks in all."""

    ticks: tuple[int, ...]
    beats: Beats | None
    rest: PayloadReader
    spent: int


def time_series(
    agent: TimedAgent, what: str, request: bytes, samples: int, rate: float
) -> tuple[list[Beat], PayloadReader]:
    """Return the ticks of the warm-up batch and of every sample, and what follows them.

    They are compared with the processor time that the agent used, since little is done beside
    the timing. AgentLied if the report does not fit what was seen.
    """
    asked = beats_for(rate)
    reader = agent.time(request + samples.to_bytes(4, "little") + asked, what, TEST_SECONDS)
    used, passed = agent.since_timing()
    series = read_series(reader, samples, asked)
    took_time(what, [one.ticks for one in series])
    reported = (sum(one.ticks for one in series) + beat_ticks(series)) / rate
    compare(what, reported, used, passed, LEAST_SHARE)
    return series, reader


def until_settled(
    agent: TimedAgent, timed: Callable[[], tuple[list[Beat], PayloadReader]]
) -> BatchSeries:
    """Time again while neighbours disturb it, for as long as the agent's watch allows."""
    spent = 0
    while True:
        series, rest = believed(timed)
        spent += sum(one.ticks for one in series)
        found = agent.judged(series)
        if found is not None:
            counting = itertools.compress(series[1:], found.counting)
            return BatchSeries(tuple(one.ticks for one in counting), _beats(found), rest, spent)


def _beats(found: Rhythm) -> Beats | None:
    ratio = found.cycles_per_tick
    return Beats(round(ratio, DIGITS), round(found.share, DIGITS)) if ratio else None

# SPDX-License-Identifier: MIT
"""What is believed of what follows a series, which nobody times."""

import pytest

from assay.measure.loops import EndTime, LoopMeasure, TimedSeries
from assay.measure.stream.untimed import require_ends
from assay.measure.task import Batch
from assay.model import Sample, SizeChoice
from assay.timing.witness import AgentLied

SIZES, RATE = SizeChoice(128, 64), 1e9
LONG, PACKET, AGILITY = 0, 1, 4
TESTS, IV_NS, TEXT_NS = 50, 10_000, 40_000  # 32 contexts take 1.6 ms
CHOSEN = tuple(range(32))


def timed(*names: str) -> list[Sample]:
    """Give the samples of what is done with each context."""
    took = {"setup/iv": IV_NS, "agility": TEXT_NS}
    return [Sample(name, SIZES, 5, TESTS, 0, (TESTS * took[name],) * 3) for name in names]


def end(milliseconds: float, *, loop: int = AGILITY, length: int = 0) -> EndTime:
    """Give what followed a series."""
    measure = LoopMeasure("name", loop, length, length, length)
    series = TimedSeries(measure, SIZES, Batch(10, 5), 39, chosen=CHOSEN)
    return EndTime(series, milliseconds / 1000)


def test_contexts_that_take_what_they_take_when_they_are_timed_are_believed() -> None:
    """Twice as long, too, as they are in no cache."""
    require_ends([end(1.6), end(4.0)], timed("setup/iv", "agility"), RATE)


def test_calls_that_were_left_to_the_end_are_not_believed() -> None:
    """They take longer than a text for each context."""
    with pytest.raises(AgentLied, match=r"after name was timed it used 9.0 ms .* 5.2 ms at most"):
        require_ends([end(9.0)], timed("setup/iv", "agility"), RATE)


def test_behind_packets_there_is_nothing_to_do() -> None:
    """And behind a long stream each of its contexts encrypts once more."""
    with pytest.raises(AgentLied, match=r"2.0 ms at most"):
        require_ends([end(2.2, loop=PACKET, length=40)], timed("setup/iv", "agility"), RATE)
    require_ends([end(1.9, loop=LONG)], timed("setup/iv", "agility"), RATE)
    with pytest.raises(AgentLied, match=r"3.0 ms at most"):
        require_ends([end(3.1, loop=LONG)], timed("setup/iv", "agility"), RATE)


def test_nothing_is_said_where_these_calls_were_not_timed() -> None:
    """As with a single measure that was asked for."""
    require_ends([end(9.0)], timed("setup/iv"), RATE)

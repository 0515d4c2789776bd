# SPDX-License-Identifier: MIT
"""Batches are judged one by one, by the canaries between them and never by what they took."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.timing.test_clock import Core

from assay.execute.protocol import PayloadReader
from assay.timing.agent import TimedAgent
from assay.timing.beats import (
    BEAT_BOUND,
    FURTHER,
    LEAST_SHARE,
    Beat,
    beat_ticks,
    beats_for,
    read_series,
    rhythm,
)
from assay.timing.watch import PATIENT, RetryBudget, RetryLimit, Watch

LATENCY = 1 / 1.4  # ticks per operation on the simulated core
SHARE = 0.3


def beat(share: float = SHARE, clock: float = 1.0) -> Beat:
    """Make a beat of the simulated core: `clock` scales the time of all, `share` throughput."""
    return Beat(650_000, LATENCY * clock, LATENCY * clock * share)


QUIET, BESIDE = beat(), beat(1.5 * SHARE)


def watched(core: Core, limit: RetryLimit = PATIENT) -> tuple[TimedAgent, Watch]:
    """Greet an agent on the core, and watch it."""
    agent = TimedAgent(core)
    return agent, Watch(agent, None, budget=RetryBudget(limit))


def timed(agent: TimedAgent, beats: list[Beat]) -> tuple[bool, ...] | None:
    """Time a group whose beats are known."""
    agent.time(b"", "timing")
    found = agent.judged(beats)
    return found.counting if found else None


def test_batches_near_a_neighbour_do_not_count_and_the_others_do() -> None:
    """One that came in the third batch is in the beats around it, or one further away."""
    agent, watch = watched(Core())
    beats = [QUIET] * 3 + [BESIDE] + [QUIET] * 8
    assert timed(agent, beats) == (True, False, False, False, False, *(True,) * 6)
    assert (watch.repeated, watch.left_out) == (0, 4)


def test_canaries_around_a_group_are_no_matter_where_its_beats_are_quiet() -> None:
    """A neighbour that came behind the last batch has touched none."""
    core = Core()
    agent, watch = watched(core)
    timed(agent, [QUIET] * 10)
    core.neighbour = 5
    assert timed(agent, [QUIET] * 10) == (True,) * 9
    assert watch.repeated == 0


def test_a_group_is_timed_again_if_too_few_of_its_batches_count() -> None:
    """The canaries around it may have seen nothing."""
    agent, watch = watched(Core())
    assert timed(agent, [QUIET] * 5 + [BESIDE] * 5) is None
    assert timed(agent, [QUIET] * 10) == (True,) * 9
    assert watch.repeated == 1


def test_where_patience_has_ended_all_batches_count_and_their_beats_mark_the_launch() -> None:
    """Nothing is left out of a group that has no quiet half."""
    agent, watch = watched(Core(), RetryLimit(0.0, 0.0))
    agent.time(b"", "timing")
    found = agent.judged([QUIET] * 2 + [BESIDE] * 8)
    assert found is not None
    assert found.counting == (True,) * 9
    assert found.share == pytest.approx(1.5 * SHARE)
    assert watch.left_out == 0


def test_a_group_that_lost_the_processor_is_timed_again_however_quiet_its_beats() -> None:
    """Beats run while the agent has the processor."""
    agent, _ = watched(Core(absent=0.5))
    assert timed(agent, [QUIET] * 10) is None


def test_an_agent_that_nobody_watches_counts_all_batches() -> None:
    """Contexts are timed for sizes, too."""
    assert timed(TimedAgent(Core()), [BESIDE] * 10) == (True,) * 9


def test_where_no_loops_ran_the_canaries_around_a_group_decide() -> None:
    """With a counter too coarse for them, as on a RISC-V board whose time counts at 4 MHz."""
    core = Core()
    agent, watch = watched(core)
    silent = [Beat(1000, 0.0, 0.0)] * 10
    assert timed(agent, silent) == (True,) * 9
    core.neighbour = 2
    assert timed(agent, silent) is None
    assert watch.repeated == 1


def test_beats_are_asked_for_with_a_fine_counter_alone() -> None:
    """A chain of 7,000 additions is 18 ticks at 4 MHz: one more or less is 5 %."""
    assert beats_for(2.6e9) != beats_for(4e6)
    words = [(11).to_bytes(8, "little"), (22).to_bytes(8, "little")]
    assert [
        one.ticks for one in read_series(PayloadReader(b"".join(words)), 1, beats_for(4e6))
    ] == [
        11,
        22,
    ]


def test_a_slower_clock_is_no_neighbour_and_its_cycles_are_known() -> None:
    """Both loops take 7 % longer, so a tick is fewer cycles while the group is timed."""
    found = rhythm([beat(clock=1.07)] * 10, SHARE)
    assert all(found.counting)
    assert found.cycles_per_tick == pytest.approx(1.4 / 1.07)


def test_the_clock_is_that_of_the_batches_which_count() -> None:
    """A neighbour may have slowed it down for the others."""
    found = rhythm([QUIET] * 8 + [beat(1.5 * SHARE, clock=1.2)] * 3, SHARE)
    assert found.cycles_per_tick == pytest.approx(1.4)


def test_a_loop_that_took_no_time_says_nothing_about_the_core() -> None:
    """The agent may report what it likes."""
    found = rhythm([Beat(1, 0.0, 0.0)] * 4, SHARE)
    assert found.counting == (False,) * 3
    assert found.cycles_per_tick is None


def test_the_time_of_beats_is_known_for_the_account_of_the_processor() -> None:
    """7,000 additions and 16,000 other operations behind each of ten batches."""
    assert beat_ticks([QUIET] * 10) == pytest.approx(10 * LATENCY * (7_000 + 16_000 * SHARE))


@given(st.lists(st.sampled_from([0.9, 1.0, 1.03, 1.05, 1.5]), min_size=2, max_size=60))
def test_a_batch_counts_if_and_only_if_all_beats_near_it_are_those_of_the_quiet_core(
    shares: list[float],
) -> None:
    """And the share is theirs, or that of all beats where too few batches count."""
    found = rhythm([beat(one) for one in shares], 1.0)
    for at, counts in enumerate(found.counting):
        near = shares[max(0, at - FURTHER) : at + 2 + FURTHER]
        assert counts == (max(near) <= 1 + BEAT_BOUND)
    assert found.steady == (sum(found.counting) >= LEAST_SHARE * (len(shares) - 1))
    if found.steady:
        assert found.share <= 1 + BEAT_BOUND
    else:
        assert found.share == pytest.approx(statistics.median(shares))

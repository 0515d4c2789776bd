# SPDX-License-Identifier: MIT
"""From launches to figures."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from assay.model import Beats, Cell, Conditions, Counter, Launch, Sample, SizeChoice
from assay.stats.summary import common_counter
from assay.summary.series import series_over

SIZES = SizeChoice(128, 64)
COUNTER = Counter("RDTSC instruction", 2, 2e9, 1.0, 0.0)


def launch(ticks: list[int], ratio: float | None = 1.0, disturbed: str = "") -> Launch:
    """Make a launch with one stream sample: 10 tests over 1 key, 4096 bytes each."""
    return Launch(
        cell=Cell("x/ref", 1, "gcc"),
        object_hash="o",
        seed=1,
        started_at="now",
        counter=replace(COUNTER, cycles_per_tick=ratio),
        latency_canary=(1, 1),
        throughput_canary=(1, 1),
        timed_seconds=1,
        total_seconds=1,
        jail="bubblewrap",
        samples=(Sample("stream/long", SIZES, 1, 10, 4096, tuple(ticks)),),
        disturbed=disturbed,
    )


def in_layout(number: int, ticks: int) -> Launch:
    """Make a launch of a layout."""
    conditions = Conditions(None, (), 1.0, None, 0, None, None, None, layout=number)
    return replace(launch([ticks]), conditions=conditions)


launches = st.lists(
    st.lists(st.integers(1, 10**9), min_size=1, max_size=19).map(launch), min_size=1, max_size=9
)


def test_each_launch_gives_one_value() -> None:
    """Launch medians are 100, 200 and 300 ticks; quartiles are over those three."""
    (figure,) = series_over([launch([1, 100, 999]), launch([200]), launch([300, 300])])
    assert (figure.q1, figure.median, figure.q3) == (15, 20, 25)
    assert (len(figure.points), figure.work, figure.work_unit) == (3, 4096, "byte")
    assert (figure.keys, figure.tests, round(figure.ticks * figure.tests)) == (1, 10, 200)


@pytest.mark.parametrize("again", range(4))
def test_a_layout_that_is_launched_once_more_moves_no_figure(again: int) -> None:
    """Two of four layouts take 57 ticks and two 71; 64 are halfway, whichever comes again."""
    ticks = [570, 570, 710, 710]
    (figure,) = series_over([in_layout(n, ticks[n]) for n in (0, 1, 2, 3, again)])
    assert (figure.q1, figure.median, figure.q3) == (57, 64, 71)


def test_disturbed_launches_do_not_count() -> None:
    """They are kept in the store and left out here."""
    (figure,) = series_over([launch([100]), launch([900], disturbed="canary moved")])
    assert (len(figure.points), figure.median) == (1, 10)


def test_no_launch_gives_no_figure() -> None:
    """Unknown is not 0."""
    assert tuple(series_over([])) == ()


def test_disturbed_launches_count_only_where_no_launch_was_quiet() -> None:
    """A busy machine still gets figures, which the reader is told of; a quiet launch ends that."""
    noisy = launch([1000], disturbed="yes")
    (figure,) = series_over([noisy])
    assert figure.median == noisy.samples[0].ticks[0] / noisy.samples[0].tests
    (figure,) = series_over([noisy, launch([1])])
    assert figure.launches == 1
    assert figure.median < noisy.samples[0].ticks[0] / noisy.samples[0].tests
    assert common_counter([]) is None


def test_a_launch_without_a_ratio_counts_only_where_no_other_is() -> None:
    """Its loops disagreed, so others are better, disturbed ones too; alone it has no cycles."""
    odd = launch([300], None, disturbed="loops of known cost disagree")
    (figure,) = series_over([launch([100], 1.5, disturbed="a neighbour"), odd])
    assert (figure.unit, figure.median, figure.launches) == ("cycles", 15, 1)
    (figure,) = series_over([launch([300], None)])
    assert (figure.unit, figure.median) == ("ticks", 30)


def test_a_change_of_clock_between_launches_moves_no_figure() -> None:
    """150 core cycles per test took 100, 150 and 75 ticks: the quartiles coincide."""
    (figure,) = series_over([launch([1000], 1.5), launch([1500], 1.0), launch([750], 2.0)])
    assert (figure.q1, figure.median, figure.q3) == pytest.approx((150, 150, 150))


def test_a_change_of_clock_within_a_launch_moves_no_figure_either() -> None:
    """Beats saw 1.25 cycles in a tick while these 1000 ticks passed; the launch says 1.0."""
    (sample,) = launch([1000]).samples
    beside = replace(sample, beats=Beats(1.25, 0.3))
    (figure,) = series_over([replace(launch([1000]), samples=(beside,))])
    assert figure.rate == pytest.approx(1000 / 10 / 4096)
    scaled = replace(launch([1000], 1.0), samples=(beside,))
    tsc = replace(scaled.counter, cycles_per_tick_spread=0.001)
    (figure,) = series_over([replace(scaled, counter=tsc)])
    assert figure.rate == pytest.approx(1250 / 10 / 4096)


def test_where_loops_do_not_know_the_cycles_in_a_tick_beats_say_them() -> None:
    """1000 ticks of 10 tests are 125 cycles each, at the clock of the sample itself."""
    (sample,) = launch([1000]).samples
    beside = replace(sample, beats=Beats(1.25, 0.3))
    (figure,) = series_over([replace(launch([1000], None), samples=(beside,))])
    assert (figure.unit, figure.median) == ("cycles", 125)
    (figure,) = series_over([launch([1000], None)])
    assert (figure.unit, figure.median) == ("ticks", 100)


def test_a_quiet_sample_counts_although_its_launch_was_disturbed() -> None:
    """A neighbour came between two groups: one of them is as good as in a quiet launch."""
    other = Sample("packet/40", SIZES, 1, 10, 40, (900,))
    quiet = replace(launch([100]).samples[0], quiet=True)
    mixed = replace(launch([100], disturbed="a neighbour came"), samples=(quiet, other))
    stream, packet = series_over([mixed, launch([300]), launch([500], disturbed="yes")])
    assert (stream.launches, stream.median, stream.disturbed) == (2, 20, False)
    assert (packet.launches, packet.median, packet.disturbed) == (1, 90, True)


def test_setups_count_setups() -> None:
    """Their work is one setup, whatever the block length says."""
    given_launch = launch([100])
    (sample,) = given_launch.samples
    samples = (replace(sample, measure="setup/iv"),)
    (figure,) = series_over([replace(given_launch, samples=samples)])
    assert (figure.work, figure.work_unit) == (1, "setup")


def test_counters_are_not_pooled() -> None:
    """Ticks of another counter than the newest launch's are left out."""
    old = launch([10**6])
    other = replace(old, counter=replace(COUNTER, name="clock() function"))
    (figure,) = series_over([other, launch([100])])
    assert (len(figure.points), figure.median) == (1, 10)


@given(launches)
def test_the_median_is_over_launch_medians(data: list[Launch]) -> None:
    """Against `statistics.median`, and the quartiles around it."""
    (figure,) = series_over(data)
    expected = median(median(each.samples[0].ticks) / 10 for each in data)
    assert figure.median == pytest.approx(expected)
    assert figure.q1 <= figure.median * (1 + 1e-12)
    assert figure.median <= figure.q3 * (1 + 1e-12)
    assert round(figure.ticks * figure.tests) == pytest.approx(
        figure.median * figure.tests, abs=0.5
    )


@given(launches, st.integers(1, 1000))
def test_twice_the_ticks_are_twice_the_figure(data: list[Launch], factor: int) -> None:
    """Figures scale with the data."""
    scaled = [launch([t * factor for t in each.samples[0].ticks]) for each in data]
    (first,), (second,) = series_over(data), series_over(scaled)
    assert second.median == pytest.approx(first.median * factor)


@pytest.mark.parametrize(("launches", "said"), [(1, False), (2, True), (3, True)])
def test_a_setup_is_said_to_put_work_off_if_most_launches_show_it(
    launches: int, said: bool
) -> None:
    """One of three may have been disturbed."""

    def setups(deferred: int) -> Launch:
        sample = Sample("setup/iv", SIZES, 1, 10, 0, (1000 + deferred,), deferred_ticks=deferred)
        return replace(launch([1]), samples=(sample,))

    (figure,) = series_over([setups(500 * (number < launches)) for number in range(3)])
    assert figure.deferred is said

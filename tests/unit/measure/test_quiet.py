# SPDX-License-Identifier: MIT
"""Which launches count: each kind of disturbance is recognised, and quiet ones pass."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.measure.disturbance import REMEMBERED, Quiet, movement, within
from assay.model import (
    Beats,
    Canaries,
    Cell,
    Conditions,
    Counter,
    Launch,
    Machine,
    Sample,
    SizeChoice,
)

COUNTER = Counter("RDTSC instruction", 24, 2.4e9, 1.42, 0.001)
CORE = Counter("perf_event cycle counter", 1, 3.4e9, 1.0, 0.0)
# As read on a quiet EPYC of 2023 with RDTSC: a chain of additions takes 0.702 ticks each.
CALM = Canaries(0.702, 0.210, 0.703, 130.0)
QUIET = Conditions(0.0005, (CALM,) * 8, 0.25, 0.001, 1, 0.0, 0.0, 0.001)
MACHINE = Machine("bench", "CPU", "x86_64", 2, 1, "6", "D", None, None, True, None, None)


def launch(latency: float, throughput: float, disturbed: str = "") -> Launch:
    """Make a launch whose canaries did not change while it ran."""
    return Launch(
        Cell("x/ref", 1, "gcc"), "o", 1, "now", COUNTER, (latency, latency),
        (throughput, throughput), 1.0, 1.0, "bubblewrap", (), disturbed,
    )  # fmt: skip


def scaled(share: float = 1.0, clock: float = 1.0, multiplier: float = 1.0) -> Canaries:
    """Make canaries of a core that is shared, or runs at another clock."""
    return Canaries(
        CALM.latency * clock, CALM.throughput * share * clock, 0.703 * multiplier * clock, 130.0
    )


def known(*shares: float) -> Quiet:
    """Give what readings of the core have taught."""
    quiet = Quiet()
    for share in shares:
        quiet.learn(share)
    return quiet


def test_a_neighbour_that_stays_is_seen() -> None:
    """20 % less throughput at the same clock is no property of the code."""
    quiet = known(0.6)
    assert quiet.judged(launch(0.75, 0.45)).disturbed == ""
    assert "20.0 % above the best" in quiet.judged(launch(0.75, 0.54)).disturbed


def launched(*groups: tuple[float, float], quiet: bool = True, changed: str = "") -> Launch:
    """Make a disturbed launch with a sample for each cycles per tick and share of the core."""
    samples = tuple(
        Sample("stream/long", SizeChoice(80, 80), 1, 1, 1, (1,), Beats(*each), quiet=quiet)
        for each in groups
    )
    made = launch(0.75, 0.45, "a neighbour came")
    conditions = replace(QUIET, **{changed: 100}) if changed else QUIET
    return replace(made, samples=samples, conditions=conditions)


def counting(one: Launch, *readings: float) -> list[bool]:
    """Return which samples count after all."""
    return [sample.quiet for sample in known(*readings).judged(one).samples]


def test_samples_count_whose_own_beats_are_those_of_a_quiet_core() -> None:
    """A neighbour was there in the second group, and the clock was another in the third."""
    groups = ((1.42, 0.6), (1.42, 0.8), (1.55, 0.6), (1.42, 0.61))
    assert counting(launched(*groups), 0.6) == [True, False, False, True]


def test_no_sample_counts_that_its_group_says_was_disturbed() -> None:
    """Few batches of it were quiet, or the agent was off the processor meanwhile."""
    assert counting(launched((1.42, 0.6), quiet=False), 0.6) == [False]


def test_a_launch_counts_whole_if_each_of_its_samples_does() -> None:
    """A neighbour between the groups is no reason to launch again."""
    spared = known(0.6).judged(launched((1.42, 0.6), (1.42, 0.61)))
    touched = known(0.6).judged(launched((1.42, 0.6), (1.42, 0.8)))
    assert (spared.counts, touched.counts) == (True, False)
    assert (launch(0.75, 0.45).counts, launch(0.75, 0.45, "why").counts) == (True, False)


@pytest.mark.parametrize("cause", ["steal_seconds", "beside_seconds", "switches"])
def test_no_sample_counts_of_a_launch_that_was_disturbed_all_along(cause: str) -> None:
    """Others on the machine touch all groups alike; so nothing tells which were spared."""
    assert counting(launched((1.42, 0.6), changed=cause), 0.6) == [False]


def test_no_sample_of_a_disturbed_launch_counts_while_no_quiet_core_is_known() -> None:
    """There is nothing that its beats could be compared with."""
    assert counting(launched((1.42, 0.6))) == [False]


def test_a_slower_clock_is_no_neighbour() -> None:
    """Both canaries take as many ticks more: the ratio says that nobody shares the core."""
    assert known(0.6).judged(launch(1.5, 0.9)).disturbed == ""


@pytest.mark.parametrize("reason", ["the core's clock changed"])
def test_an_earlier_reason_stays(reason: str) -> None:
    """What was seen within the launch says more."""
    assert known(0.6).judged(launch(0.75, 0.9, reason)).disturbed == reason


def test_no_launch_becomes_the_measure_of_quietness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package can change the loops in its agent: honest ones would seem to have a neighbour."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    quiet = Quiet.remembered(MACHINE)
    for _ in range(5):
        assert quiet.judged(launch(0.75, 0.20)).disturbed == ""
    assert quiet.judged(launch(0.75, 0.45)).disturbed == ""
    assert Quiet.remembered(MACHINE).judged(launch(0.75, 0.45)).disturbed == ""
    assert not list(tmp_path.rglob("*.json"))


def test_one_or_two_odd_readings_are_no_measure_of_quietness() -> None:
    """The third lowest is."""
    quiet = known(0.6, 0.6, 0.6, 0.3, 0.3)
    assert quiet.judged(launch(0.75, 0.45)).disturbed == ""


def test_readings_beside_a_neighbour_do_not_push_quiet_ones_out() -> None:
    """As many as are remembered, all of them 20 % above the quiet core."""
    quiet = known(0.6, 0.6, 0.6, *[0.72] * REMEMBERED)
    assert "20.0 % above the best" in quiet.judged(launch(0.75, 0.54)).disturbed


def test_the_quiet_core_is_remembered_on_one_machine_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbour that is there in the whole next campaign is seen; another machine is new."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Quiet.remembered(MACHINE).learn(0.6)
    assert "above the best" in Quiet.remembered(MACHINE).judged(launch(0.75, 0.54)).disturbed
    other = replace(MACHINE, cpu="another")
    assert Quiet.remembered(other).judged(launch(0.75, 0.54)).disturbed == ""
    assert Quiet.remembered(MACHINE, "far").judged(launch(0.75, 0.54)).disturbed == ""


def test_a_damaged_memory_of_quietness_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is only a cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "assay").mkdir()
    (tmp_path / "assay" / "quiet.json").write_text("[1")
    assert Quiet.remembered(MACHINE).least is None


def test_a_quiet_launch_is_not_marked() -> None:
    """Neither with a time stamp counter nor with one of core cycles."""
    assert within(COUNTER, QUIET) == within(CORE, QUIET) == ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"calibration_error": -0.021}, "calibration is off by -2.1 %"),
        ({"canaries": (CALM,) * 6 + (scaled(clock=1.1),) * 2}, "clock changed"),
        ({"canaries": (CALM,) * 6 + (scaled(share=1.3),) * 2}, "a neighbour used the core"),
        ({"canaries": (scaled(multiplier=1.05),) * 8}, "multiplications took"),
        ({"absent_share": 0.5}, "away for 50 %"),
        ({"switches": 40}, "taken off the processor 40 times"),
        ({"steal_seconds": 0.05}, "other virtual machines took 20 %"),
        ({"beside_seconds": 0.24}, "other programs used 96 %"),
    ],
)
def test_every_kind_of_disturbance_is_named(changed: dict[str, object], said: str) -> None:
    """One at a time, all else quiet."""
    assert said in within(COUNTER, replace(QUIET, **changed))


def timed(*shares: float, cycles_per_tick: float = 1.42) -> tuple[Sample, ...]:
    """Make a group for each share of the core, as its beats saw it."""
    sizes = SizeChoice(128, 64, None)
    return tuple(
        Sample("stream/long", sizes, 1, 10, 4096, (1, 2, 3), Beats(cycles_per_tick, share))
        for share in shares
    )


def test_beats_between_batches_say_more_than_canaries_around_groups() -> None:
    """Batches beside a neighbour were left out; who was there between groups touched none."""
    beside = replace(QUIET, canaries=(CALM,) * 6 + (scaled(1.3, 1.06, 1.3),) * 4)
    assert within(COUNTER, beside) != ""
    assert within(COUNTER, beside, timed(*[0.3] * 8)) == ""


def test_a_group_without_beats_leaves_the_judgement_to_the_canaries() -> None:
    """Otherwise nobody would have looked at it."""
    beside = replace(QUIET, canaries=(CALM,) * 6 + (scaled(share=1.3),) * 4)
    *some, last = timed(*[0.3] * 8)
    assert "canary moved by 30" in within(COUNTER, beside, (*some, replace(last, beats=None)))


def test_one_group_without_enough_quiet_batches_marks_its_launch() -> None:
    """All its batches count then, and one wrong figure would."""
    assert "canary moved by 13.3 %" in within(COUNTER, QUIET, timed(*[0.3] * 13, 0.34))


def test_a_clock_that_beats_saw_far_from_the_calibration_marks_the_launch() -> None:
    """Figures are corrected by it, within a bound: 5 %."""
    assert within(COUNTER, QUIET, timed(0.3, cycles_per_tick=1.42 * 1.04)) == ""
    said = within(COUNTER, QUIET, timed(0.3, cycles_per_tick=1.42 * 0.94))
    assert said == "the core's clock changed: by 6.0 % for one of the groups"


def test_a_neighbour_that_stays_is_seen_in_beats() -> None:
    """They are compared with those of the quiet core, not the canaries around them."""
    quiet = known(0.3)
    calm = replace(launch(0.7, 0.21), conditions=QUIET, samples=timed(*[0.3] * 8))
    assert quiet.judged(calm).disturbed == ""
    beside = replace(calm, samples=timed(*[0.33] * 8))
    assert "10.0 % above the best" in quiet.judged(beside).disturbed


def test_a_counter_of_core_cycles_has_the_narrower_bound() -> None:
    """1 % is well with a time stamp counter and too much with a counter of cycles."""
    conditions = replace(QUIET, calibration_error=0.01)
    assert within(COUNTER, conditions) == ""
    assert "off by +1.0 %" in within(CORE, conditions)


def test_what_a_system_does_not_tell_marks_nothing() -> None:
    """Other kernels have no such files; unknown is not disturbed."""
    blind = Conditions(None, (), 0.25, None, 0, None, None, None)
    assert within(COUNTER, blind) == ""


def test_one_odd_canary_of_many_is_no_movement() -> None:
    """An interrupt in one of them is not a neighbour; three of twelve are."""
    assert movement([1.0] * 19 + [2.0]) == pytest.approx(0.0)
    assert movement([1.0] * 9 + [1.3] * 3) == pytest.approx(0.3)

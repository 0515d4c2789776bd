# SPDX-License-Identifier: MIT
"""The selftest's judgements, on simulated samples whose truth is known and on recorded ones.

No time is asserted: `recorded.json` holds launches of a loaded virtual machine as
`assay selftest --quick --record` wrote them, shortened.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from assay.cli import selftest
from assay.measure.disturbance import within
from assay.measure.selftest.judging import judge
from assay.measure.selftest.rates import (
    COMPARISONS,
    PromiseRow,
    Rate,
    Samples,
    Shot,
    changes_between,
    detections,
    false_alarms,
    layout_difference,
)
from assay.model import Counter
from assay.store import records

RECORDED = Path(__file__).parent / "recorded.json"
EMPTY = Samples("simulated (class A)", "A", 0.05, 4, "perf_event cycle counter", 0.005)


def recorded() -> Samples:
    """Read the recorded samples."""
    return records.load(Samples, RECORDED.read_text(encoding="utf-8"))


def white(random: Random) -> Iterator[float]:
    """Give independent launches with half a percent of noise."""
    while True:
        yield 1000.0 * (1 + random.gauss(0, 0.005))


def autocorrelated(random: Random) -> Iterator[float]:
    """Give launches on a machine whose state changes slowly: AR(1) with 0.95, 2 % wide."""
    state = 0.0
    while True:
        state = 0.95 * state + random.gauss(0, 0.006)
        yield 1000.0 * (1 + state + random.gauss(0, 0.001))


def heavy_tailed(random: Random) -> Iterator[float]:
    """Give launches of which every tenth took up to three times as long (Pareto)."""
    while True:
        late = random.paretovariate(2.0) if random.random() < 0.1 else 1.0
        yield 1000.0 * (late + random.gauss(0, 0.003))


def two_states(random: Random) -> Iterator[float]:
    """Give launches on a core that a neighbour shares for long stretches: 30 % slower then."""
    shared = False
    while True:
        shared = shared != (random.random() < 0.02)
        yield 1000.0 * (1.3 if shared else 1.0) * (1 + random.gauss(0, 0.004))


NOISES: list[Callable[[Random], Iterator[float]]] = [
    white,
    autocorrelated,
    heavy_tailed,
    two_states,
]


def taken(noise: Callable[[Random], Iterator[float]], count: int, seed: int = 1) -> list[float]:
    """Give so many launches."""
    launches = noise(Random(seed))
    return [next(launches) for _ in range(count)]


def shots(name: str, values: list[float], **same: object) -> tuple[Shot, ...]:
    """Make launches of one measure."""
    made = [Shot(name, at, (("stream/long", value),)) for at, value in enumerate(values)]
    return tuple(replace(one, **same) for one in made)


def only(samples: Samples, topic: str) -> PromiseRow:
    """Give the row of a topic."""
    rows = [row for row in judge(samples) if row.topic.startswith(topic)]
    assert len(rows) == 1, [row.topic for row in judge(samples)]
    return rows[0]


@pytest.mark.parametrize("noise", NOISES)
def test_one_code_is_seldom_taken_for_two_whatever_the_noise(
    noise: Callable[[Random], Iterator[float]],
) -> None:
    """Launches as unit and random order keep the level: no more than 2 % with certainty."""
    rate = false_alarms([taken(noise, 2000), taken(noise, 2000, seed=2)])
    assert rate.tries == COMPARISONS
    assert rate.interval[1] <= 0.02


def test_a_difference_between_both_halves_of_every_window_would_be_an_alarm() -> None:
    """The count is no constant: a test that always rejects is found out."""
    steps = [1000.0 + at for at in range(2000)]
    alarms = sum(
        detections(steps[at : at + 24], [one + 100 for one in steps[at : at + 24]]).hits
        for at in range(0, 240, 24)
    )
    assert alarms == 10


@pytest.mark.parametrize("noise", [white, autocorrelated])
def test_two_percent_more_work_is_seen_when_taken_in_turn(
    noise: Callable[[Random], Iterator[float]],
) -> None:
    """And so is nothing where there is nothing."""
    both = noise(Random(3))
    pairs = [(next(both), next(both)) for _ in range(600)]
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    slower = [1.02 * one for one in second]
    assert detections(first, second).share <= 0.03
    if noise is white:
        assert detections(first, slower).share >= 0.95


def test_faster_is_no_detection_of_slower() -> None:
    """The direction counts."""
    first = taken(white, 100)
    assert detections(first, [0.97 * one for one in taken(white, 100, 2)]).hits == 0


def test_rates_have_exact_intervals() -> None:
    """Clopper and Pearson: none of 1000 leaves 0.37 % at most, 10 of 10 at least 69.2 %."""
    assert Rate(0, 1000).interval[1] == pytest.approx(0.00368, abs=1e-4)
    assert Rate(10, 10).interval[0] == pytest.approx(0.6915, abs=1e-4)


def test_two_names_of_one_code_differ_by_what_their_layouts_do() -> None:
    """The median over 16 layouts of half a percent each; an added percent is not held."""
    base = [Shot("first", at, (("stream/long", 1000.0 + at % 5),)) for at in range(16)]
    other = [replace(one, name="second") for one in base]
    assert layout_difference([*base, *other], "stream/long") == 0.0
    held = only(replace(EMPTY, layouts=(*base, *other)), "identical code")
    assert held.held is True
    slow = [replace(one, values=(("stream/long", 1.01 * one.values[0][1]),)) for one in other]
    moved = only(replace(EMPTY, layouts=(*base, *slow)), "identical code")
    assert moved.held is False
    assert "+1.00 %" in moved.measured


def test_too_few_layouts_prove_nothing() -> None:
    """An agent that cannot be linked again has one."""
    one = (Shot("first", 1, (("stream/long", 1.0),)), Shot("second", 2, (("stream/long", 1.0),)))
    assert only(replace(EMPTY, layouts=one), "identical code").held is None


def test_medians_of_two_campaigns_are_compared_measure_by_measure() -> None:
    """Disturbed launches do not count where there are quiet ones."""
    noise = Shot("a/ref#2", 0, (("stream/long", 5000.0),), disturbed="a neighbour")
    campaigns = (*shots("a/ref#1", [1000.0] * 5), *shots("a/ref#2", [1005.0] * 3), noise)
    assert changes_between(campaigns) == {"a/ref stream/long": pytest.approx(0.5)}
    assert only(replace(EMPTY, campaigns=campaigns), "repeatability").held is True
    worse = (*shots("a/ref#1", [1000.0] * 5), *shots("a/ref#2", [1015.0] * 5))
    assert only(replace(EMPTY, campaigns=worse), "repeatability").held is False
    never = tuple(replace(one, disturbed="a neighbour") for one in worse)
    assert only(replace(EMPTY, campaigns=never), "repeatability").held is None


@pytest.mark.parametrize(("slower", "held"), [(1.003, True), (1.05, False)])
def test_a_figure_is_another_one_only_if_it_is_clearly_beyond_the_usual_ones(
    slower: float, held: bool
) -> None:
    """A hundredth of a per cent beyond the highest of a hundred is no wrong figure."""
    quiet = [1000.0 + at / 100 for at in range(100)]
    beside = shots("busy", [slower * max(quiet)] * 5 + quiet[:95])
    samples = replace(EMPTY, same=shots("same", quiet), neighbours=beside)
    assert only(samples, "disturbed: busy").held is held


def test_power_is_that_of_launches_that_count_as_in_a_campaign() -> None:
    """Launches beside somebody scatter by a third and hide 2 %; too few quiet ones say nothing."""
    names = (("1", 1.0), ("2", 1.01), ("3", 1.02))
    quiet = [s for name, by in names for s in shots(name, [by * one for one in taken(white, 40)])]
    loud = [
        s
        for name, _ in names
        for s in shots(name, [1e3 * (1 + at % 7) for at in range(90)], disturbed="somebody")
    ]
    samples = replace(EMPTY, injected=(*loud, *quiet), trust="A")
    assert only(samples, "power at 2 % more work").held is True
    assert only(replace(samples, injected=tuple(loud)), "power at 2 % more work").held is None


def test_of_identical_code_the_long_stream_is_promised_and_the_worst_is_shown() -> None:
    """A short setup may take a fifth more in half of all layouts."""
    made = [
        Shot(name, 2 * number + at, (("setup/key", key), ("stream/long", 3e4)), "", None, None)
        for at, name in enumerate(("first", "second"))
        for number in range(16)
        for key in (57.0 + 14.0 * at,)
    ]
    row = only(replace(EMPTY, layouts=tuple(made)), "identical code")
    assert row.held is True
    assert "setup/key, +24.56 %" in row.measured


@pytest.mark.parametrize(
    ("missed", "held"), [(0, True), (1, True), (2, None), (5, False)]
)  # of 100: at least 99 %
def test_disturbed_launches_must_be_marked(missed: int, held: bool | None) -> None:
    """Where those without a neighbour were not."""
    quiet = shots("same", taken(white, 100))
    marked = shots("busy", taken(white, 100 - missed), disturbed="a neighbour")
    beside = (*marked, *shots("busy", [1.3 * one for one in taken(white, missed)]))
    samples = replace(EMPTY, same=quiet, neighbours=beside)
    assert only(samples, "disturbed: busy").held is held
    assert only(samples, "quiet launches").held is True


def test_on_a_busy_machine_neither_proves_anything() -> None:
    """Launches are marked there without our neighbour, too."""
    noisy = shots("same", taken(white, 50), disturbed="somebody")
    beside = shots("busy", taken(white, 50), disturbed="somebody")
    samples = replace(EMPTY, same=noisy, neighbours=beside, load=6.0)
    assert only(samples, "disturbed: busy").held is None
    assert only(samples, "quiet launches").held is None


def test_marks_that_show_in_the_figures_are_no_wrong_ones() -> None:
    """A third of the launches had a neighbour and took 30 % more; none was marked without need."""
    noise = taken(white, 300)
    slow = shots("same", [1.3 * one for one in noise[200:]], disturbed="a neighbour")
    row = only(replace(EMPTY, same=(*shots("same", noise[:200]), *slow)), "quiet launches")
    assert row.held is True
    assert row.measured.startswith("0.0 % (0 of 200")
    assert "of all 33.3 % (100 of 300" in row.how
    assert "the others took +30." in row.how


@pytest.mark.parametrize(("needless", "held"), [(2, True), (10, False)])  # of some 300
def test_marks_without_any_effect_are_counted_as_wrong(needless: int, held: bool) -> None:
    """Their figures are those of quiet launches: 1 % of 300 are three."""
    noise = taken(white, 300)
    marked = shots("same", noise[:needless], disturbed="a neighbour")
    samples = replace(EMPTY, same=(*marked, *shots("same", noise[needless:])))
    assert only(samples, "quiet launches").held is held


@pytest.mark.parametrize(("missed", "held"), [(0, True), (1, None), (4, False)])
def test_what_would_have_been_marked_anyway_proves_nothing_for_our_neighbour(
    missed: int, held: bool | None
) -> None:
    """Half are marked without it: 1 missed of 100 is 2 % of those that it could show."""
    noise = taken(white, 200)
    half = (*shots("same", noise[:100]), *shots("same", noise[100:], disturbed="somebody"))
    beside = shots("busy", noise[missed:100], disturbed="a neighbour")
    slow = shots("busy", [1.3 * one for one in noise[:missed]])
    samples = replace(EMPTY, same=half, neighbours=(*beside, *slow))
    assert only(samples, "disturbed: busy").held is held


def test_launches_that_a_neighbour_did_not_reach_need_no_mark() -> None:
    """Their groups were timed again until they had the core: the figures are those of others."""
    noise = taken(white, 200)
    samples = replace(
        EMPTY, same=shots("same", noise[:100]), neighbours=shots("busy", sorted(noise)[80:120])
    )
    row = only(samples, "disturbed: busy")
    assert row.held is True
    assert row.measured.startswith("0 of 40 marked")


@pytest.mark.parametrize(("error", "held"), [(0.001, True), (-0.008, False)])
def test_the_error_of_the_calibration_is_held_against_its_bound(error: float, held: bool) -> None:
    """0.5 % with a counter of cycles, whatever its sign."""
    samples = replace(EMPTY, same=shots("same", [1.0] * 50, calibration_error=error))
    assert only(samples, "calibration error").held is held


@pytest.mark.parametrize(("second", "held"), [((10, 20), True), ((10, 21), False)])
def test_instruction_counts_are_equal_or_not_held(second: tuple[int, int], held: bool) -> None:
    """There is no tolerance."""
    samples = replace(EMPTY, counts=((10, 20), second), counted_by="salsa20/ref on qemu-arm")
    assert only(samples, "instruction counts").held is held


def test_recorded_injections_are_as_large_as_they_were_made() -> None:
    """Variants with 2 and 4 of 200 rounds more: 1 % and 2 %, less what is not rounds."""
    by_name = {
        name: [s.value("stream/long") for s in recorded().injected if s.name == name]
        for name in ("1", "2", "3")
    }
    from assay.stats.shift import change_percent  # noqa: PLC0415 - as the rows have it

    assert change_percent(by_name["1"], by_name["2"]) == pytest.approx(1.0, abs=0.3)
    assert change_percent(by_name["1"], by_name["3"]) == pytest.approx(2.0, abs=0.3)


def test_recorded_disturbances_are_recognised_from_their_conditions() -> None:
    """What was recorded beside neighbours of all kinds is judged again, from the readings."""
    counter = Counter("RDTSC instruction", 26, 2.6e9, 1.42, 0.001)
    kept = [shot for shot in recorded().neighbours if shot.conditions is not None]
    assert {shot.name for shot in kept} == {shot.name for shot in recorded().neighbours}
    for shot in kept:
        assert shot.conditions is not None
        assert within(counter, shot.conditions), shot.name


def test_recorded_samples_give_a_row_for_every_promise() -> None:
    """On that machine, which was not quiet, some cannot be said and some were not held."""
    rows = {row.topic: row for row in judge(recorded())}
    assert len(rows) == 11
    assert rows["false alarms (A/A)"].held is True
    assert rows["calibration error"].held is True
    assert rows["quiet launches"].held is None
    assert rows["repeatability"].held is rows["identical code"].held is None
    assert all("under disturbance" in rows[t].how for t in ("repeatability", "identical code"))


def test_what_was_recorded_is_judged_without_measuring(tmp_path: Path) -> None:
    """`--judge` gives the same rows in both forms; the exit code says that one was not held."""
    file = tmp_path / "samples.json"
    samples = replace(EMPTY, counts=((1, 2), (1, 3)), counted_by="x on y")
    file.write_text(records.dump(samples), encoding="utf-8")
    words = ["--judge", str(file)]
    shown = CliRunner().invoke(selftest.command, words, standalone_mode=False)
    told = CliRunner().invoke(selftest.command, [*words, "--json"], standalone_mode=False)
    assert shown.return_value == told.return_value == 1
    assert "NOT HELD" in shown.output
    assert json.loads(told.output)["rows"][0]["held"] is False

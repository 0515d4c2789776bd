# SPDX-License-Identifier: MIT
"""Other public inputs are tried for longer while they meet new code, and a remark says so."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.depth import Extent
from assay.check.memory.passes import MOST_SECONDS, SECONDS, how_varied, other_lengths
from assay.check.stream.trial import Trial
from assay.model import Package
from assay.package.leaks import planted_package

STEP = 0.25  # seconds that each input takes, by the clock of these tests


@dataclass
class FakeReport:
    """A report that is told how much code was met."""

    translated: int = 0


def trial_of(package: Package | None = None, *, shadowed: bool = False) -> Trial:
    """Return what is asked of a trial."""
    mine = package or stand_in(Package, root=None)
    extent = Extent(shadowed=shadowed)
    return stand_in(Trial, extent=extent, package=mine, notes={}, random=Random(1))


def rounds(meets: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """Return how many inputs are tried where some meet new code, and the remark."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    trial, report = trial_of(), FakeReport()
    count = 0
    for _ in other_lengths(trial, report):
        count += 1
        now += STEP
        report.translated += meets(count)
    return count, how_varied(trial)


def test_inputs_that_meet_nothing_new_end_in_the_usual_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The remark counts those since new code was met."""
    count, remark = rounds(lambda number: number == 3, monkeypatch)
    assert count == SECONDS / STEP == 8
    assert remark == (
        "a path of one input in 2 would have been met; the last 5 of 8 met no new code"
    )


def test_there_is_more_time_until_the_later_half_meets_nothing_new(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Input 6 is the last that meets something, so 12 are enough."""
    count, remark = rounds(lambda number: number <= 6, monkeypatch)
    assert count == 12
    assert remark.endswith("; the last 6 of 12 met no new code")


def test_new_code_to_the_last_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not said that all was met."""
    count, remark = rounds(lambda _: True, monkeypatch)
    assert count == MOST_SECONDS / STEP == 24
    assert remark.endswith("; input 24 of 24 still met new code: more might, too")


def test_the_second_build_of_memory_sanitizer_gets_as_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same ones, as what is drawn is drawn anew from the same seed; the remark stays."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    trial = trial_of(shadowed=True)
    report, drawn = FakeReport(), []
    for _ in range(2):
        trial.random, lengths = Random(7), []
        for length in other_lengths(trial, report):
            lengths.append(length)
            now += STEP
        drawn.append(lengths)
    assert len(drawn[0]) == SECONDS / STEP
    assert drawn[0] == drawn[1]
    assert how_varied(trial).endswith("; the last 8 of 8 met no new code")


def test_nothing_varies_where_leaks_are_planted() -> None:
    """They are met by any input."""
    trial = trial_of(planted_package())
    assert not list(other_lengths(trial, FakeReport()))
    assert not how_varied(trial)

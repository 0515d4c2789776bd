# SPDX-License-Identifier: MIT
"""A neighbour that shares the core during whole launches is seen against the quietest one."""

import pytest

from assay.campaign.measuring import Quiet
from assay.model import Cell, Counter, Launch

COUNTER = Counter("RDTSC instruction", 24, 2.4e9, 1.3, 0.001)


def launch(latency: float, throughput: float, disturbed: str = "") -> Launch:
    """Make a launch whose canaries did not change while it ran."""
    return Launch(
        Cell("x/ref", 1, "gcc"), "o", 1, "now", COUNTER, (latency, latency),
        (throughput, throughput), 1.0, 1.0, "bubblewrap", (), disturbed,
    )  # fmt: skip


def test_a_neighbour_that_stays_is_seen() -> None:
    """20 % less throughput at the same clock is no property of the code."""
    quiet = Quiet()
    assert quiet.judged(launch(0.75, 0.45)).disturbed == ""
    assert "20.0 % above the best" in quiet.judged(launch(0.75, 0.54)).disturbed


def test_a_slower_clock_is_no_neighbour() -> None:
    """Both canaries take as many ticks more: the ratio says that nobody shares the core."""
    quiet = Quiet()
    quiet.judged(launch(0.75, 0.45))
    assert quiet.judged(launch(1.5, 0.9)).disturbed == ""


@pytest.mark.parametrize("reason", ["the core's clock changed"])
def test_an_earlier_reason_stays(reason: str) -> None:
    """What was seen within the launch says more."""
    quiet = Quiet()
    quiet.judged(launch(0.75, 0.45))
    assert quiet.judged(launch(0.75, 0.9, reason)).disturbed == reason

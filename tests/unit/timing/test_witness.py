# SPDX-License-Identifier: MIT
"""What the bench believes of the batches of a series."""

import pytest

from assay.timing import witness
from assay.timing.witness import (
    MOST_FAULTS,
    AgentLied,
    compare,
    require_alike,
    require_even,
    require_few_faults,
    require_rest,
)

USUAL, SAMPLES = 1000, 39


def test_even_batches_are_believed() -> None:
    """A warm-up with cold caches and some slower batches are no work ahead."""
    require_even("timing", 1400, [USUAL] * 30 + [1300] * 9, 0.0, steady=True)


@pytest.mark.parametrize("steady", [True, False])
def test_a_batch_that_does_the_work_of_all_is_not_believed(*, steady: bool) -> None:
    """Neither in the warm-up nor between the others, and neighbours do not excuse it."""
    with pytest.raises(AgentLied, match="works ahead"):
        require_even("timing", SAMPLES * USUAL, [USUAL] * SAMPLES, 0.0, steady=steady)
    lumps = [USUAL] * (SAMPLES - 1) + [SAMPLES * USUAL]
    with pytest.raises(AgentLied, match="works ahead"):
        require_even("timing", USUAL, lumps, 0.0, steady=steady)


def test_work_in_batches_that_do_not_count_is_seen_in_all_of_them() -> None:
    """A long one is interrupted on a busy machine; slower ones beside others are forgiven."""
    counting, slower = [USUAL] * 20, [2 * USUAL] * 19
    require_alike("timing", counting, USUAL, counting + slower, 0.0)
    absent = [*counting, *slower[1:], 100 * USUAL]
    require_alike("timing", counting, USUAL, absent, 98.0 * USUAL)
    with pytest.raises(AgentLied, match="works ahead"):
        require_alike("timing", counting, USUAL, absent, 0.0)


def test_time_without_the_processor_is_nobodys_work() -> None:
    """A batch that was interrupted for long is forgiven, as far as it was absent."""
    batches = [USUAL] * (SAMPLES - 1) + [50 * USUAL]
    require_even("timing", USUAL, batches, 49.0 * USUAL, steady=True)


def test_contradicting_clocks_prove_nothing_on_a_machine_that_is_emulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Elsewhere the same report is a lie."""
    with pytest.raises(AgentLied, match="used"):
        compare("timing", 0.010, 0.030, 0.040, 0.95)
    monkeypatch.setattr(witness, "emulated", lambda: True)
    compare("timing", 0.010, 0.030, 0.040, 0.95)
    require_even("timing", SAMPLES * USUAL, [USUAL] * SAMPLES, 0.0, steady=True)


def test_a_series_may_touch_some_pages_for_the_first_time() -> None:
    """Code, stack and contexts; on a machine that does not say how many, any."""
    require_few_faults("timing", MOST_FAULTS)
    require_few_faults("timing", None)
    with pytest.raises(AgentLied, match="while timing: 129 page faults, and 128 at most"):
        require_few_faults("timing", MOST_FAULTS + 1)


def test_a_process_that_has_nothing_to_do_uses_no_processor() -> None:
    """Canaries and interrupts take less than a millisecond."""
    require_rest("before timing", 0.0009)
    require_rest("before timing", None)
    require_rest("before timing", 0.0029, allowed=0.002)
    with pytest.raises(AgentLied, match=r"before timing it used 5.0 ms of the processor"):
        require_rest("before timing", 0.005)

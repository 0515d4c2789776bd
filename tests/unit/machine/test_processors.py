# SPDX-License-Identifier: MIT
"""The bench leaves the measured processor, and comes back."""

import os
import threading
from pathlib import Path

import pytest

from assay.machine.processors import away_from, measuring_cpu
from assay.machine.sources import Sources


def test_every_thread_leaves_the_measured_processor_and_comes_back() -> None:
    """The thread that draws progress would disturb as much as the main one."""
    before = os.sched_getaffinity(0)
    cpu = measuring_cpu()
    assert cpu in before
    if len(before) == 1:
        pytest.skip("there is one processor only")
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        with away_from(cpu):
            assert other.native_id is not None
            for thread in (0, other.native_id):
                assert os.sched_getaffinity(thread) == before - {cpu}
        assert os.sched_getaffinity(other.native_id) == before
    finally:
        stop.set()
        other.join()
    assert os.sched_getaffinity(0) == before


def isolated(folder: Path, text: str) -> Sources:
    """Make a /sys that says which processors are isolated."""
    place = folder / "devices/system/cpu"
    place.mkdir(parents=True)
    (place / "isolated").write_text(text)
    return Sources(sys=folder)


def test_an_isolated_processor_is_measured_on_though_nobody_inherits_it(tmp_path: Path) -> None:
    """As with isolcpus: the thread may ask for it; and stays where it was."""
    before = os.sched_getaffinity(0)
    first, *others = sorted(before)
    try:
        os.sched_setaffinity(0, set(others) or before)
        mine = os.sched_getaffinity(0)
        assert measuring_cpu(isolated(tmp_path, f"{first}\n")) == first
        assert os.sched_getaffinity(0) == mine
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize("text", ["", "8190", "nonsense"])
def test_processors_that_we_may_not_use_are_left_out(tmp_path: Path, text: str) -> None:
    """A container sees the machine's list, and has some of them only."""
    assert measuring_cpu(isolated(tmp_path, text)) == max(os.sched_getaffinity(0))


def test_without_a_choice_nothing_moves() -> None:
    """Where the system does not tell processors apart, measuring goes on all the same."""
    before = os.sched_getaffinity(0)
    with away_from(None):
        assert os.sched_getaffinity(0) == before

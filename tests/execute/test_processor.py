# SPDX-License-Identifier: MIT
"""The bench leaves the measured processor, and comes back."""

import os
import threading

import pytest

from assay.execute.processor import away_from, measuring_cpu


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


def test_without_a_choice_nothing_moves() -> None:
    """Where the system does not tell processors apart, measuring goes on all the same."""
    before = os.sched_getaffinity(0)
    with away_from(None):
        assert os.sched_getaffinity(0) == before

# SPDX-License-Identifier: MIT
"""The machine's lock, held by processes: who waits for it is seen by who holds it."""

import multiprocessing
import time
from pathlib import Path

import pytest

from assay.execute.lock import awaited, machine_lock

PATIENCE_SECONDS = 30.0


def measure(folder: str) -> None:
    """Wait for the machine as another process does."""
    import tempfile  # noqa: PLC0415 - in the other process

    tempfile.tempdir = folder
    with machine_lock(exclusive=True):
        pass


@pytest.fixture(autouse=True)
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep away from the locks of this machine."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_nobody_waits_for_a_machine_that_only_compiles() -> None:
    """Others may compile, too."""
    with machine_lock(exclusive=False):
        assert not awaited()


def test_whoever_wants_to_measure_is_seen(own_lock: Path) -> None:
    """As long as it waits, and no longer."""
    other = multiprocessing.get_context("spawn").Process(target=measure, args=(str(own_lock),))
    with machine_lock(exclusive=False):
        other.start()
        until = time.monotonic() + PATIENCE_SECONDS
        while not awaited():
            assert time.monotonic() < until
            time.sleep(0.01)
    other.join(PATIENCE_SECONDS)
    assert other.exitcode == 0
    assert not awaited()

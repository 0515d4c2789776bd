# SPDX-License-Identifier: MIT
"""Threads that wait for an agent or a compiler end when a command is interrupted."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.execute.command import run_jailed
from assay.execute.jail import COMPILE_LIMITS, strongest_jail
from assay.machine.threads import ending_threads, go_on, readable

FOR_EVER = 3600.0


def test_who_waits_for_an_answer_is_interrupted_and_who_comes_later_is_not() -> None:
    """As long as threads are to end."""
    ours, theirs = os.pipe()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(readable, ours, FOR_EVER)
        with ending_threads():
            assert isinstance(waiting.exception(), KeyboardInterrupt)
            with pytest.raises(KeyboardInterrupt):
                go_on()
    go_on()
    os.write(theirs, b"x")
    assert readable(ours, FOR_EVER)
    os.close(ours)
    os.close(theirs)


def test_a_command_in_the_jail_ends_with_the_thread_that_waits_for_it(tmp_path: Path) -> None:
    """A compiler may take minutes."""
    words, jail = ["sleep", f"{FOR_EVER:.0f}"], strongest_jail()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(run_jailed, words, tmp_path, jail, COMPILE_LIMITS)
        with ending_threads():
            assert isinstance(running.exception(), KeyboardInterrupt)

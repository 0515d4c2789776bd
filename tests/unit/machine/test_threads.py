# SPDX-License-Identifier: MIT
"""Threads where there is memory, and an error where there is none."""

import subprocess
import sys

from assay.machine.threads import Threads

STARVED = """
import resource
from assay.machine.threads import Threads
import psutil
used = psutil.Process().memory_info().vms
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), resource.RLIM_INFINITY))
try:
    with Threads(2) as pool:
        pool.submit(print, "began")
except MemoryError as error:
    print(error)
"""
PATIENCE_SECONDS = 60


def test_a_pool_works_as_any_other() -> None:
    """Results come back, and errors."""
    with Threads(2) as pool:
        assert [one.result() for one in [pool.submit(pow, 2, n) for n in range(5)]] == [
            1, 2, 4, 8, 16,
        ]  # fmt: skip


def test_without_memory_for_a_thread_there_is_an_error_and_nobody_waits() -> None:
    """One that dies as it starts would be waited for without an end."""
    done = subprocess.run(
        [sys.executable, "-c", STARVED],
        capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "there is no memory for another thread\n")

# SPDX-License-Identifier: MIT
"""Deliberate disturbance: processes of ours that keep a processor or the memory busy."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from assay.machine.processors import usable_processors

_SPIN = "import os\nos.sched_setaffinity(0, {%d})\nwhile True: pass\n"
_SWEEP = """
import os
os.sched_setaffinity(0, {%d})
block, other = bytearray(1 << 26), bytearray(1 << 26)
while True: block[:] = other
"""
SAME, SISTER, MEMORY = "busy on the same processor", "busy beside it", "memory swept beside it"
WARM_UP_SECONDS = 0.5


def kinds(cpu: int | None) -> tuple[str, ...]:
    """Name the disturbances that can be made here."""
    if cpu is None:
        return ()
    return (SAME, SISTER, MEMORY) if _others(cpu) else (SAME,)


@contextmanager
def disturbance(kind: str, cpu: int) -> Iterator[None]:
    """Keep a neighbour of the measured processor busy for a while."""
    where = {cpu} if kind == SAME else _others(cpu)
    program = _SWEEP if kind == MEMORY else _SPIN
    with ExitStack() as stack:
        for one in sorted(where):
            process = subprocess.Popen([sys.executable, "-c", program % one])
            stack.callback(_end, process)
        time.sleep(WARM_UP_SECONDS)
        yield


def _others(cpu: int) -> set[int]:
    return usable_processors() - {cpu}


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()

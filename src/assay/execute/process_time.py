# SPDX-License-Identifier: MIT
"""The kernel's account of a jailed process: its processor time, and its page faults."""

import contextlib
import os
import time
from pathlib import Path

WRAPPER = "bwrap"
CHILDREN = "children"
MINOR, MAJOR = 7, 9  # of /proc/PID/stat, behind the name, see proc(5)


def innermost(pid: int) -> int | None:
    """Return the process that runs inside of the jail whose outermost process is `pid`."""
    with contextlib.suppress(OSError):
        while Path(f"/proc/{pid}/comm").read_text().strip() == WRAPPER:
            children = _children(pid)
            if len(children) != 1:
                return None
            pid = children[0]
        return pid
    return None


def _children(pid: int) -> list[int]:
    """Name the children of a process.

    Where the kernel does not tell them (CONFIG_PROC_CHILDREN), all processes are looked at.
    """
    try:
        told = [(one / CHILDREN).read_text() for one in Path(f"/proc/{pid}/task").iterdir()]
    except FileNotFoundError:
        return _found(pid)
    return [int(word) for words in told for word in words.split()]


def _found(pid: int) -> list[int]:
    import psutil  # noqa: PLC0415 - seldom needed

    try:
        return [int(one.pid) for one in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def is_alive(pid: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def processor_seconds(pid: int) -> float | None:
    """Read how much processor time a process has used, to the nanosecond.

    The number of its clock is made as clock_getcpuclockid(3) of Linux makes it.
    """
    with contextlib.suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)
    return None


def page_faults(pid: int) -> int | None:
    """Read how many page faults a process has had, threads included."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[MINOR]) + int(fields[MAJOR])
    return None

# SPDX-License-Identifier: MIT
"""Which process the bench looks at from outside: the one in the jail, not the jail's own."""

import mmap
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from assay.execute import process_time
from assay.execute.command import kill_group
from assay.execute.process_time import WRAPPER, innermost, page_faults

PATIENCE_SECONDS = 30.0
PAGES = 100
Start = Callable[[str], int]


@pytest.fixture(autouse=True, params=["children", "not-there"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the kernel tell the children of a process, or not."""
    monkeypatch.setattr(process_time, "CHILDREN", request.param)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Give the function that runs a line in a shell which is called as the jail's program is."""
    shell, started = tmp_path / WRAPPER, []
    shell.symlink_to("/bin/sh")

    def run(line: str) -> int:
        words = [str(shell), "-c", line.replace("WRAPPER", str(shell))]
        started.append(subprocess.Popen(words, start_new_session=True))
        return started[-1].pid

    yield run
    for one in started:
        kill_group(one)


def found(pid: int, wanted: Callable[[int | None], bool]) -> int | None:
    """Look until what is found is what is wanted: processes take a while to start."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not wanted(one := innermost(pid)):
        assert time.monotonic() < until, one
        time.sleep(0.01)
    return one


def said(pid: int | None) -> str:
    """Give the command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip() if pid else ""


def test_it_is_the_process_below_all_wrappers(start: Start) -> None:
    """The jail has two of them, since the inner one is the first of its own namespace."""
    pid = start("WRAPPER -c 'sleep 61 & wait' & wait")
    assert said(found(pid, lambda one: said(one) == "sleep 61")) == "sleep 61"


def test_without_a_wrapper_it_is_the_process_itself(start: Start) -> None:
    """The weaker mode has none."""
    pid = start("exec sleep 62")
    assert found(pid, lambda one: said(one) == "sleep 62") == pid


def test_of_two_processes_none_is_taken(start: Start) -> None:
    """Nobody knows which one is meant."""
    pid = start("sleep 63 & sleep 63 & wait")
    until = time.monotonic() + PATIENCE_SECONDS
    while len(psutil.Process(pid).children()) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert innermost(pid) is None


def test_a_process_that_has_gone_is_none() -> None:
    """It may end at any time."""
    with subprocess.Popen(["/bin/true"]) as process:
        process.wait()
    assert innermost(process.pid) is None


def test_pages_that_are_touched_for_the_first_time_are_counted() -> None:
    """A process that grows has more of them than before; one that has gone, none."""
    own = page_faults(os.getpid())
    with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as fresh:
        fresh.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, len(fresh), mmap.PAGESIZE):
            fresh[at] = 1
    after = page_faults(os.getpid())
    assert own is not None
    assert after is not None
    assert after - own >= PAGES
    with subprocess.Popen(["/bin/true"]) as process:
        process.wait()
    assert page_faults(process.pid) is None

# SPDX-License-Identifier: MIT
"""Control groups: all that a jailed command starts is counted together, and ends together.

Where the system lets Assay make groups below its own (version 2 of the kernel's interface,
Documentation/admin-guide/cgroup-v2.rst), every jailed command enters one before it starts.
No process leaves its group: it cannot see the folders in which that is done. The group's
limits hold for the whole tree, where those of `prlimit` hold for each process, and
`cgroup.kill` ends all of it, whatever sessions and parents its processes gave themselves.

Where groups cannot be made, or count nothing, the jail's other limits stand as they are.
"""

import atexit
import contextlib
import functools
import itertools
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from assay.errors import MachineError
from assay.execute.process_time import is_alive

PREFIX = "assay-"
MADE_BY = re.compile(rf"{PREFIX}(\d+)-\d+")
BENCH = f"{PREFIX}bench"
COUNTED = ("memory", "pids")
OWN_PROCESSES = 4  # of the jail: the shell that enters, and bubblewrap's two, before the command
GONE_SECONDS = 5.0
NO_GROUP = "Look at cgroup.max.descendants of the groups above; the same command then continues."
ENTER = 'echo 0 > "$0" && exec "$@"'
_numbers = itertools.count()


class Groups(Struct, frozen=True):
    """The folder in which groups are made, and which of `COUNTED` have limits there."""

    folder: Path
    counted: frozenset[str] = frozenset()

    def make(self, memory_bytes: int, processes: int) -> Path:
        """Make a group with these limits."""
        group = self.folder / f"{PREFIX}{os.getpid()}-{next(_numbers)}"
        group.mkdir()
        try:
            self._limit(group, memory_bytes, processes)
        except BaseException:
            group.rmdir()
            raise
        return group

    def _limit(self, group: Path, memory_bytes: int, processes: int) -> None:
        if "pids" in self.counted:
            (group / "pids.max").write_text(str(processes + OWN_PROCESSES))
        if "memory" in self.counted:
            (group / "memory.max").write_text(str(memory_bytes))
            (group / "memory.oom.group").write_text("1")
            with contextlib.suppress(OSError):  # a kernel that does not count swap
                (group / "memory.swap.max").write_text("0")

    def sweep(self) -> None:
        """End and remove the groups of processes that are no more."""
        for group in self.folder.glob(f"{PREFIX}*"):
            maker = MADE_BY.fullmatch(group.name)
            if maker and not is_alive(int(maker[1])):
                end(group)

    def clear(self) -> None:
        """Remove what this process made and nobody is in."""
        for group in self.folder.glob(f"{PREFIX}{os.getpid()}-*"):
            with contextlib.suppress(OSError):
                group.rmdir()


@contextlib.contextmanager
def entered(memory_bytes: int, processes: int) -> Iterator[list[str]]:
    """Make a group, and give the words before a command that put it there; none without groups.

    A command that cannot enter does not start. Whoever ends it removes the group (`end`).
    """
    groups = own_groups()
    if groups is None:
        yield []
        return
    try:
        group = groups.make(memory_bytes, processes)
    except OSError as error:
        raise MachineError(f"no control group can be made: {error.strerror}", NO_GROUP) from error
    try:
        yield ["/bin/sh", "-c", ENTER, str(group / "cgroup.procs")]
    except BaseException:
        end(group)  # whatever it was, nobody else knows of it
        raise


def group_of(pid: int) -> Path | None:
    """Return the group that a command entered, also of one that has ended and is not reaped."""
    groups = own_groups()
    if groups is None:
        return None
    with contextlib.suppress(OSError):
        name = _own_path(Path(f"/proc/{pid}/cgroup").read_text()).rpartition("/")[2]
        if MADE_BY.fullmatch(name):
            return groups.folder / name
    return None


def end(group: Path) -> None:
    """Kill all that is in a group, and remove it."""
    with contextlib.suppress(OSError):
        (group / "cgroup.kill").write_text("1")
    until = time.monotonic() + GONE_SECONDS
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:  # killed, but not gone yet
            if time.monotonic() > until:
                return
            time.sleep(0.0005)
        else:
            return


@functools.cache
def own_groups() -> Groups | None:
    """Find out where groups can be made; None if nowhere."""
    try:
        folder = _own_folder()
        if folder is None:
            return None
        counted = _counting(folder)
        groups = Groups(folder, counted)
        trial = groups.make(1 << 30, 1)
        usable = (trial / "cgroup.kill").exists() and os.access(trial / "cgroup.procs", os.W_OK)
        trial.rmdir()
    except (OSError, ValueError):
        return None
    if not usable:
        return None
    groups.sweep()
    atexit.register(groups.clear)
    return groups


def counting() -> bool:
    """Return whether groups have any limits here."""
    groups = own_groups()
    return groups is not None and bool(groups.counted)


def stated() -> str:
    """Describe what control groups do here."""
    groups = own_groups()
    if groups is None:
        return "none can be made here"
    ends = "what a jailed command started ends with it"
    if groups.counted < set(COUNTED):
        return f"{ends}; memory and processes are limited by other means alone"
    return f"{ends}; memory and processes are limited for all of it together"


def _own_folder() -> Path | None:
    """Find the folder of the group that this process is in."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        if right.split()[0] == "cgroup2":
            root, point = left.split()[3:5]
            own = _own_path(Path("/proc/self/cgroup").read_text())
            inside = os.path.relpath(own, root)
            folder = None if inside.startswith("..") else Path(point) / inside
            return folder.parent if folder is not None and folder.name == BENCH else folder
    return None


def _own_path(text: str) -> str:
    """Read from a process's list of groups the one of version 2."""
    (line,) = [line for line in text.splitlines() if line.startswith("0::")]
    return line.removeprefix("0::").removesuffix(" (deleted)")


def _counting(folder: Path) -> frozenset[str]:
    """Let groups in a folder have limits, as far as that is possible.

    A group other than the system's first one that hands limits on may hold no processes
    itself. If this one is alone in it, it moves into a group beside those of the jails; others
    are never moved.
    """
    offered = set((folder / "cgroup.controllers").read_text().split()) & set(COUNTED)
    control = folder / "cgroup.subtree_control"
    wanted = offered - set(control.read_text().split())
    if wanted:
        if (folder / "cgroup.type").exists():
            _step_aside(folder)
        with contextlib.suppress(OSError):
            control.write_text(" ".join(f"+{one}" for one in sorted(wanted)))
    return frozenset(offered & set(control.read_text().split()))


def _step_aside(folder: Path) -> None:
    """Move this process out of a group in which it is alone."""
    if (folder / "cgroup.procs").read_text().split() == [str(os.getpid())]:
        bench = folder / BENCH
        bench.mkdir(exist_ok=True)
        (bench / "cgroup.procs").write_text(str(os.getpid()))

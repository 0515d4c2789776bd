# SPDX-License-Identifier: MIT
"""Control groups: what a jailed command starts is counted together, and ends together.

Whether groups can be made, and count memory and processes, is the system's to say. Where they
cannot, the tests of the kernel's work are skipped; those of how Assay asks for it are not.
"""

import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from assay.execute import groups
from assay.execute import jail as jail_module
from assay.execute.calls import Calls
from assay.execute.command import run_jailed
from assay.execute.groups import Groups
from assay.execute.jail import MIB, Jail, JailMode, Limits, strongest_jail
from assay.execute.staging import staged_folder

WEAK = Jail(JailMode.LIMITS_ONLY)
GROUPS = groups.own_groups()
COUNTED = GROUPS.counted if GROUPS else frozenset()
needs_groups = pytest.mark.skipif(GROUPS is None, reason="no control groups can be made here")
counts_pids = pytest.mark.skipif("pids" not in COUNTED, reason="groups do not count processes")
counts_memory = pytest.mark.skipif("memory" not in COUNTED, reason="groups do not count memory")
BOTH = pytest.mark.parametrize("mode", list(JailMode))
# Each takes its share, tells, and keeps it; none alone is near the limit.
HOG = """
import os, time
told, tell = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(b"x") * (64 << 20)
        os.write(tell, b"x")
        time.sleep(600)
for _ in range(8):
    os.read(told, 1)
print("all held")
"""
BOMB = "i=0; while [ $i -lt 60 ]; do sleep 600 & i=$((i + 1)); done; echo all started"


@pytest.fixture
def home() -> Iterator[Path]:
    """Give a folder that the jailed user can reach."""
    with staged_folder() as folder:
        yield folder


def jail_of(mode: JailMode) -> Jail:
    """Give a jail of a mode."""
    return strongest_jail() if mode is JailMode.BUBBLEWRAP else WEAK


def alive(word: str) -> list[int]:
    """Give the processes with a word in their command line."""
    processes = psutil.process_iter(["pid", "cmdline"])
    told = {one.info["pid"]: " ".join(one.info["cmdline"] or []) for one in processes}
    return [pid for pid, words in told.items() if word in words and pid != os.getpid()]


def daemon(seconds: str) -> list[str]:
    """Give a command that leaves a sleeper with a session and a parent of its own."""
    return ["/bin/sh", "-c", f"setsid sh -c 'sleep {seconds} & sleep {seconds} &'; sleep 0.3"]


def left_over() -> list[str]:
    """Name the groups of this process that are still there."""
    assert GROUPS is not None
    return [one.name for one in GROUPS.folder.glob(f"assay-{os.getpid()}-*")]


@needs_groups
def test_what_leaves_its_session_and_its_parent_ends_with_its_group(home: Path) -> None:
    """In the weaker mode nothing else holds it: without groups the same command survives."""
    seconds = f"77.{secrets.randbelow(10**9)}"
    before = left_over()
    assert run_jailed(daemon(seconds), home, WEAK, Limits()).ok
    assert not alive(seconds)
    assert left_over() == before


@needs_groups
def test_without_groups_it_does_survive(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the test above would prove nothing."""
    seconds = f"78.{secrets.randbelow(10**9)}"
    monkeypatch.setattr(groups, "own_groups", lambda: None)
    assert run_jailed(daemon(seconds), home, WEAK, Limits()).ok
    survivors = alive(seconds)
    for pid in survivors:
        psutil.Process(pid).kill()
    assert len(survivors) == 2


@needs_groups
def test_a_command_at_its_limit_of_time_ends_with_all_that_it_started(home: Path) -> None:
    """The group is killed then, not only at a good end."""
    seconds = f"79.{secrets.randbelow(10**9)}"
    words = ["/bin/sh", "-c", f"setsid sh -c 'sleep {seconds} &'; sleep 60"]
    ended = run_jailed(words, home, WEAK, Limits(wall_seconds=1.0))
    assert ended.timed_out
    assert not alive(seconds)


@needs_groups
@BOTH
def test_a_command_knows_nothing_of_its_group(home: Path, mode: JailMode) -> None:
    """It gets its arguments, its output and its exit code as without."""
    words = ["/bin/sh", "-c", 'echo "$1"; exit 7', "sh", "a  b$HOME'c"]
    ended = run_jailed(words, home, jail_of(mode), Limits())
    assert (ended.output, ended.exit_code) == ("a  b$HOME'c\n", 7)


@counts_pids
@BOTH
def test_a_fork_bomb_stays_below_the_limit_of_its_group(
    home: Path, mode: JailMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of its user is far above here; in a jail without a group all of it starts."""
    monkeypatch.setattr(jail_module, "tasks_of", lambda _: 4000)
    words, limits = ["/bin/sh", "-c", BOMB], Limits(processes=20, wall_seconds=120)
    ended = run_jailed(words, home, jail_of(mode), limits)
    assert not ended.ok
    assert "annot fork" in ended.output
    monkeypatch.setattr(groups, "own_groups", lambda: None)
    ended = run_jailed(words, home, strongest_jail(), limits)
    assert ended.output == "all started\n"


@counts_memory
@BOTH
def test_memory_of_many_processes_counts_together(home: Path, mode: JailMode) -> None:
    """Eight of 64 MiB each are stopped at 256 MiB, where each alone may have so much."""
    limits = Limits(memory_bytes=256 * MIB, wall_seconds=120)
    words = ["/usr/bin/python3", "-c", HOG]
    ended = run_jailed(words, home, jail_of(mode), limits)
    assert not ended.ok
    assert not ended.timed_out
    assert "all held" not in ended.output


@counts_memory
def test_without_groups_the_same_processes_get_all_of_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the test above would prove nothing."""
    monkeypatch.setattr(groups, "own_groups", lambda: None)
    limits = Limits(memory_bytes=256 * MIB, wall_seconds=120)
    ended = run_jailed(["/usr/bin/python3", "-c", HOG], home, strongest_jail(), limits)
    assert ended.output == "all held\n"


@needs_groups
@pytest.mark.parametrize("counted", [frozenset(), frozenset({"pids"})])
def test_in_the_full_jail_only_what_may_start_others_has_a_group_that_counts(
    home: Path, counted: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends there ends anyway. In the weaker mode everybody has one."""
    assert GROUPS is not None
    found = groups.Groups(GROUPS.folder, counted)
    monkeypatch.setattr(groups, "own_groups", lambda: found)
    monkeypatch.setattr(groups.Groups, "_limit", lambda *_: None)

    def enters(jail: Jail, calls: Calls) -> bool:
        with jail.confined(["true"], home, Limits(), writable=False, calls=calls) as confined:
            return any(word.endswith("/cgroup.procs") for word in confined.words)

    strong = strongest_jail()
    assert [enters(strong, one) for one in (Calls.AGENT, Calls.TOOL)] == [False, bool(counted)]
    assert [enters(WEAK, one) for one in (Calls.AGENT, Calls.TOOL)] == [True, True]
    GROUPS.clear()


@needs_groups
def test_groups_of_processes_that_are_no_more_are_removed(home: Path) -> None:
    """A killed bench leaves some behind; what they hold is ended."""
    assert GROUPS is not None
    assert home.is_dir()
    gone = next(number for number in range(4_000_000, 5_000_000) if not psutil.pid_exists(number))
    stale = GROUPS.folder / f"assay-{gone}-0"
    stale.mkdir()
    sleeper = psutil.Popen(["/bin/sh", "-c", f"echo 0 > {stale}/cgroup.procs; exec sleep 99"])
    deadline = time.monotonic() + 10
    while not (stale / "cgroup.procs").read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    GROUPS.sweep()
    assert not stale.exists()
    assert sleeper.wait(10) == -9


# ---------------------------------------------------------------- how the kernel is asked


def hierarchy(folder: Path, *, offered: str, enabled: str, first: bool, procs: str) -> Path:
    """Make files as the kernel shows them."""
    (folder / "cgroup.controllers").write_text(f"{offered}\n")
    (folder / "cgroup.subtree_control").write_text(f"{enabled}\n")
    (folder / "cgroup.procs").write_text(procs)
    if not first:
        (folder / "cgroup.type").write_text("domain\n")
    return folder


def test_limits_are_written_where_they_are_counted(tmp_path: Path) -> None:
    """Bytes and processes, those of the jail itself added; the tree is killed at once."""
    group = Groups(tmp_path, frozenset({"memory", "pids"})).make(5 * MIB, 64)
    written = {one.name: one.read_text() for one in group.iterdir()}
    assert written == {
        "memory.max": "5242880",
        "memory.oom.group": "1",
        "memory.swap.max": "0",
        "pids.max": "68",
    }
    assert not [*Groups(tmp_path).make(5 * MIB, 64).iterdir()]


def test_the_first_group_of_a_system_needs_nobody_to_leave_it(tmp_path: Path) -> None:
    """Only what is offered is asked for."""
    folder = hierarchy(tmp_path, offered="cpu pids", enabled="", first=True, procs="1\n2\n")
    groups._counting(folder)
    assert (folder / "cgroup.subtree_control").read_text() == "+pids"
    assert not (folder / "assay-bench").exists()


def test_a_process_alone_in_its_group_steps_aside(tmp_path: Path) -> None:
    """A group that holds processes cannot hand limits on."""
    alone = hierarchy(
        tmp_path, offered="memory pids", enabled="", first=False, procs=f"{os.getpid()}\n"
    )
    groups._counting(alone)
    assert (alone / "assay-bench/cgroup.procs").read_text() == str(os.getpid())
    assert (alone / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_others_are_never_moved(tmp_path: Path) -> None:
    """A shell in the same group stays where it is."""
    procs = f"1\n{os.getpid()}\n"
    shared = hierarchy(tmp_path, offered="memory pids", enabled="", first=False, procs=procs)
    groups._counting(shared)
    assert not (shared / "assay-bench").exists()


def test_what_is_handed_on_already_is_not_asked_for_again(tmp_path: Path) -> None:
    """Then nothing is changed at all."""
    folder = hierarchy(
        tmp_path, offered="memory pids", enabled="memory pids", first=False, procs="1\n"
    )
    assert groups._counting(folder) == {"memory", "pids"}
    assert (folder / "cgroup.subtree_control").read_text() == "memory pids\n"

# SPDX-License-Identifier: MIT
"""Faults of the machine and of people, injected into campaigns."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.campaign.conftest import COUNTING, Tree
from tests.whole.faults.conftest import ROW
from tests.whole.faults.world import (
    WANTED,
    Seen,
    World,
    ended,
    kill_agents,
    kill_bench,
    launches_logged,
    told,
    until,
)

SEED = 20260330
FEW, MANY = 4, 200
LONGEST_SECONDS = 8.0

Record = Callable[[str, object], None]


@pytest.fixture
def world(tree: Tree) -> World:
    """Give a tree in which a small campaign was finished."""
    made = World(tree)
    made.prepare()
    return made


@pytest.fixture
def seen(request: pytest.FixtureRequest, record_property: Record) -> Iterator[Seen]:
    """Give a row of the table, which is complete at the end."""
    row = Seen(request.node.name.removeprefix("test_").replace("_", " "))
    yield row
    record_property(ROW, row.row())


def moments(count: int) -> list[float]:
    """Give so many moments, the same ones every time."""
    chooser = random.Random(SEED)
    return [chooser.uniform(0.2, LONGEST_SECONDS) for _ in range(count)]


def _kill_the_bench(world: World, seen: Seen, count: int) -> None:
    for moment in moments(count):
        kill_bench(world, moment, seen)
        assert not world.lost()
        assert not world.half()
        world.finished = world.rows()
    world.resume(seen)
    seen.says = f"(killed {count} times)"


@pytest.mark.slow  # test_campaign.py kills one at every run
def test_kill_9_of_the_bench(world: World, seen: Seen) -> None:
    """At a few moments, after each of which everything finished is there."""
    _kill_the_bench(world, seen, FEW)


@pytest.mark.slow
def test_kill_9_of_the_bench_200_times(world: World, seen: Seen) -> None:
    """At 200 moments: a campaign that is done begins anew with another package's contents."""
    source = world.tree.root / "submissions/rc4/ref/rc4.c"
    for number, moment in enumerate(moments(MANY)):
        kill_bench(world, moment, seen)
        assert not world.lost(), number
        assert not world.half(), number
        world.finished = world.rows()
        if number % 4 == 3:
            source.write_text(source.read_text() + f"const u8 added{number}[2] = {{1, 2}};\n")
    done = world.tree.assay(*WANTED)
    assert done.returncode == 0
    assert not world.lost()
    world.assert_all_passed()
    seen.says, seen.then = f"(killed {MANY} times)", "completes"


def _kill_agents(world: World, seen: Seen, rounds: int) -> None:
    chooser = random.Random(SEED)
    killed = 0
    for _ in range(rounds):
        killed += kill_agents(world, chooser, seen)
        assert not world.lost()
        assert not world.half()
    assert killed
    seen.fault += f" or compilers ({killed} kills)"


@pytest.mark.slow
def test_kill_9_of_agents(world: World, seen: Seen) -> None:
    """The campaign goes on; a killed agent is launched again and nobody is blamed for it."""
    _kill_agents(world, seen, 1)
    world.resume(seen)


@pytest.mark.slow
def test_kill_9_of_agents_200_times(world: World, seen: Seen) -> None:
    """At 200 moments, as above; code whose agents are killed again and again may be given up."""
    _kill_agents(world, seen, 200)
    seen.then = "completes"


@pytest.fixture
def disk(tree: Tree) -> Iterator[Path]:
    """Mount a small disk at the results folder."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(tree.results)]
    tree.results.mkdir()
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nobody may mount a small disk here")
    yield tree.results
    subprocess.run(["umount", "-l", str(tree.results)], check=True)


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def _used_kilobytes(folder: Path) -> int:
    usage = shutil.disk_usage(folder)
    return usage.used >> 10


@pytest.mark.slow  # test_folders.py has one at every run
def test_disk_full(disk: Path, tree: Tree, seen: Seen) -> None:
    """It fills up while launches are written."""
    world = World(tree)
    world.prepare()
    _remount(disk, f"size={_used_kilobytes(disk) + 4}k")
    done = tree.assay(*WANTED)
    told(seen, done)
    assert seen.code == 2
    _remount(disk, "size=64m")
    world.resume(seen)


@pytest.mark.slow
def test_disk_read_only(disk: Path, tree: Tree, seen: Seen) -> None:
    """Nothing is written, and reports can be made in another place."""
    world = World(tree)
    world.prepare()
    _remount(disk, "ro")
    told(seen, tree.assay(*WANTED))
    assert seen.code == 2
    assert tree.assay("show", str(disk)).returncode == 0
    _remount(disk, "rw")
    world.resume(seen)


@pytest.mark.slow
def test_two_campaigns_in_one_folder(world: World, seen: Seen) -> None:
    """The second is refused at once, the first is not disturbed."""
    with world.tree.start(*WANTED) as first:
        until(launches_logged(world, 1))
        told(seen, world.tree.assay(*WANTED))
        done = ended(first)
    assert seen.code == 2
    assert "another campaign is at work" in seen.says
    assert done.returncode == 0
    world.resume(seen)


SET_BACK = """
import datetime, time
class Back(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) - datetime.timedelta(days=4000)
real = time.time
time.time = lambda: real() - 4000 * 86400
datetime.datetime = Back
"""


@pytest.mark.slow
def test_clock_set_back(world: World, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """By eleven years in the middle: what was finished stays, and is not done again."""
    monkeypatch.setattr(
        Tree, "command", lambda _, *words: [sys.executable, "-c", SET_BACK + COUNTING, *words]
    )
    world.resume(seen)
    with world.tree.store() as store:
        years = [launch.started_at[:4] for launch in store.launch_heads()]
    assert years[0] > years[-1]
    seen.says = "(nothing: no order depends on the clock)"


LITTLE_MEMORY = """
import resource
hog = []
def starve():
    import psutil
    most = psutil.Process().memory_info().vms // 2
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        while True:
            hog.append(bytearray(1 << 12))
    except MemoryError:
        del hog[-64:]
from assay.campaign import run
real = run.describe
def describe(*arguments):
    starve()
    return real(*arguments)
run.describe = describe
"""


@pytest.mark.slow
def test_out_of_memory(world: World, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench may map nothing more at all, once the campaign has begun."""
    with monkeypatch.context() as patched:
        patched.setattr(
            Tree, "command", lambda _, *w: [sys.executable, "-c", LITTLE_MEMORY + COUNTING, *w]
        )
        done = world.tree.assay(*WANTED)
    told(seen, done)
    assert seen.code == 2
    world.resume(seen)


# All cells may be compiled at once: one waits until the compiler has gone, and fails then.
VANISHING = """#!/bin/sh
case "$*" in *-O1*)
    for _ in $(seq 400); do test -e "$0" && sleep 0.1; done
    test -e "$0" || exit 1 ;;
esac
exec /usr/bin/gcc "$@"
"""


@pytest.mark.slow
def test_compiler_vanishes(tree: Tree, seen: Seen, tmp_path: Path) -> None:
    """Behind the first build: no cell is failed for it, and with the compiler all completes."""
    folder = tree.temporary / "tools/bin"  # where jailed users can go
    folder.mkdir(parents=True)
    for program in Path("/usr/bin").iterdir():
        if program.name != "gcc":
            (folder / program.name).symlink_to(program)
    compiler = folder / "gcc"
    compiler.write_text(VANISHING)
    compiler.chmod(0o755)
    tree.path = str(folder)
    with tree.start(*WANTED) as process:
        until(lambda: tree.log.exists() or process.poll() is not None)
        compiler.rename(tmp_path / "gone")
        done = ended(process)
    world = World(tree)
    if done.returncode == 0:
        pytest.fail("the compiler vanished too late for this test to say anything")
    told(seen, done)
    assert seen.code == 2
    (tmp_path / "gone").rename(compiler)
    world.resume(seen)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["cut short", "overwritten", "emptied"])
def test_store_damaged(world: World, seen: Seen, how: str) -> None:
    """It is told and left as it is; with a copy put back the campaign goes on."""
    copy = world.file.read_bytes()
    damaged = bytearray(copy)
    if how == "cut short":
        damaged = damaged[: len(damaged) // 2]
    elif how == "overwritten":
        damaged[4096 * 2 : 4096 * 4] = os.urandom(4096 * 2)
    else:
        damaged = bytearray(b"\1") * 100
    world.file.write_bytes(damaged)
    told(seen, world.tree.assay(*WANTED))
    assert seen.code == 2
    assert world.file.read_bytes() == damaged
    assert world.tree.assay("show", str(world.tree.results)).returncode == 2
    world.file.write_bytes(copy)
    world.resume(seen)


@pytest.mark.slow
def test_results_folder_removed(world: World, seen: Seen, tmp_path: Path) -> None:
    """It is told at the next result, instead of writing to a file that nobody can see."""
    with world.tree.start(*WANTED) as process:
        until(launches_logged(world, 2))
        world.tree.results.rename(tmp_path / "moved")
        done = ended(process)
    told(seen, done)
    assert seen.code == 2
    shutil.rmtree(world.tree.results, ignore_errors=True)
    (tmp_path / "moved").rename(world.tree.results)
    world.resume(seen)

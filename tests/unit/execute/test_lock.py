# SPDX-License-Identifier: MIT
"""The machine's lock, held by processes and threads, and left to others in between."""

import fcntl
import multiprocessing
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from assay.errors import MachineError
from assay.execute import lock
from assay.execute.lock import (
    Alone,
    Hold,
    Holder,
    holders,
    listen,
    machine_lock,
    sharing,
    stand_aside,
    waiting,
)

PATIENCE_SECONDS = 60.0
ANOTHER_USER = 54321


def use(folder: str, name: str, exclusive: bool, user: int) -> None:
    """Wait for the machine as another process does; note when it was had, and given back."""
    import tempfile  # noqa: PLC0415 - in the other process

    tempfile.tempdir = folder
    diary = os.open(Path(folder) / "diary", os.O_WRONLY | os.O_APPEND)
    if user:
        os.setuid(user)
    with machine_lock(exclusive=exclusive):
        os.write(diary, f"{name} has it\n".encode())
        os.write(diary, f"{name} leaves\n".encode())


def twenty_launches(folder: str) -> None:
    """Take the machine many times in a row, as a campaign does."""
    for _ in range(20):
        use(folder, "m", True, 0)


def check_after_check(folder: str, name: str) -> None:
    """Take the machine for checks as long as nobody says that it is enough."""
    while not (Path(folder) / "enough").exists():
        use(folder, name, False, 0)


@pytest.fixture(autouse=True)
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep away from the locks of this machine, in a folder like /tmp."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    (folder / "diary").touch()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    lock._listeners.clear()


def waiters(folder: Path) -> int:
    """Count those that the kernel lets wait for one of the two locks."""
    files = [folder / name for name in (lock.GATE, lock.MACHINE)]
    inodes = {str(path.stat().st_ino) for path in files if path.exists()}
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return sum("->" in words and words[-3].split(":")[-1] in inodes for words in lines)


@pytest.fixture
def another(own_lock: Path) -> Iterator[Callable[..., SpawnProcess]]:
    """Return a function that starts a process and waits until it waits for the machine."""
    started: list[SpawnProcess] = []

    def start(name: str, *, exclusive: bool, user: int = 0) -> SpawnProcess:
        before = waiters(own_lock)
        words = (str(own_lock), name, exclusive, user)
        started.append(multiprocessing.get_context("spawn").Process(target=use, args=words))
        started[-1].start()
        until(lambda: waiters(own_lock) > before)
        return started[-1]

    yield start
    for one in started:
        one.join(PATIENCE_SECONDS)
        if one.exitcode is None:
            one.kill()


def until(happens: Callable[[], bool]) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.005)


def diary(folder: Path, several: int) -> list[str]:
    """Return what processes noted, when so many have left."""
    until(lambda: (folder / "diary").read_text().count("leaves") >= several)
    return (folder / "diary").read_text().splitlines()


def test_nobody_waits_for_a_machine_that_only_compiles() -> None:
    """Others may compile, too."""
    first, second = Hold(exclusive=False), Hold(exclusive=False)
    first.take()
    assert second.taken_at_once()
    assert not first.is_wanted
    assert not second.is_wanted
    first.give_back()
    second.give_back()


def test_nobody_measures_beside_whoever_has_the_machine() -> None:
    """Neither beside a measurement nor beside a check; and nobody checks beside a measurement."""
    for has, wants in ((True, True), (True, False), (False, True)):
        with machine_lock(exclusive=has):
            assert not Hold(exclusive=wants).taken_at_once()
    late = Hold(exclusive=True)
    assert late.taken_at_once()
    late.give_back()


def test_whoever_wants_to_measure_is_seen(another: Callable[..., SpawnProcess]) -> None:
    """As long as it waits, and no longer."""
    hold = Hold(exclusive=False)
    hold.take()
    other = another("m", exclusive=True)
    assert hold.is_wanted
    hold.give_back()
    other.join(PATIENCE_SECONDS)
    assert other.exitcode == 0
    hold.take()
    assert not hold.is_wanted
    hold.give_back()


def test_checks_that_come_later_do_not_overtake_a_measurement(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """Else checks one after another would keep it out for ever."""
    with machine_lock(exclusive=False):
        another("m", exclusive=True)
        for name in ("c1", "c2"):
            another(name, exclusive=False)
    assert diary(own_lock, 3)[:2] == ["m has it", "m leaves"]


def test_all_checks_that_wait_for_a_measurement_come_before_the_next(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """And beside each other: a campaign that measures again must let them in."""
    with machine_lock(exclusive=True):
        for name in ("c1", "c2", "c3"):
            another(name, exclusive=False)
        another("m", exclusive=True)
    assert diary(own_lock, 4)[-2:] == ["m has it", "m leaves"]


def test_a_campaign_gets_on_beside_loops_of_checks(own_lock: Path) -> None:
    """They never end by themselves, so it must have its turns between theirs."""
    context = multiprocessing.get_context("spawn")
    folder = str(own_lock)
    loops = [context.Process(target=check_after_check, args=(folder, f"c{n}")) for n in range(3)]
    campaign = context.Process(target=twenty_launches, args=(folder,))
    with machine_lock(exclusive=True):
        for one in (*loops, campaign):
            one.start()
        until(lambda: waiters(own_lock) == 4)
    campaign.join(PATIENCE_SECONDS)
    (own_lock / "enough").touch()
    for one in (*loops, campaign):
        one.join(PATIENCE_SECONDS)
    assert [one.exitcode for one in (*loops, campaign)] == [0] * 4


def test_whoever_was_killed_is_waited_for_no_longer(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """Neither while it waited nor while it had the machine."""
    with machine_lock(exclusive=True):
        killed = another("killed", exclusive=True)
        another("after", exclusive=True)
        os.kill(killed.pid or 0, signal.SIGKILL)
        killed.join(PATIENCE_SECONDS)
        until(lambda: waiters(own_lock) == 1)
    assert diary(own_lock, 1) == ["after has it", "after leaves"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_users_of_one_machine_wait_for_each_other(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """Locks of files that others own need no more than reading them."""
    own_lock.parent.chmod(0o755)
    for above in own_lock.parents:  # the other user must get there
        if above.stat().st_uid == 0:
            above.chmod(above.stat().st_mode | 0o055)
    with machine_lock(exclusive=True):
        another("first", exclusive=True, user=ANOTHER_USER)
        another("second", exclusive=False, user=ANOTHER_USER + 1)
    assert sorted(line.split()[0] for line in diary(own_lock, 2))[::2] == ["first", "second"]


@pytest.mark.parametrize("name", [lock.MACHINE, lock.GATE])
@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_a_lock_that_is_no_file_is_refused(own_lock: Path, name: str, what: str) -> None:
    """It is neither followed nor waited for, and the message names it."""
    path = own_lock / name
    if what == "link":
        path.symlink_to(own_lock / "elsewhere")
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(MachineError, match=name), machine_lock(exclusive=False):
        pass
    assert not (own_lock / "elsewhere").exists()


def test_everybody_can_lock_the_machine_whatever_the_umask(own_lock: Path) -> None:
    """Else other users would not wait for it."""
    before = os.umask(0o077)
    try:
        with machine_lock(exclusive=True):
            modes = {stat.S_IMODE(path.stat().st_mode) for path in own_lock.glob("assay-*")}
    finally:
        os.umask(before)
    assert modes == {0o644}


def test_the_kernel_names_who_has_the_machine() -> None:
    """Its process and its command line, and whether it measures; nobody if it is free."""
    assert holders() == []
    for exclusive in (True, False):
        with machine_lock(exclusive=exclusive):
            (one,) = holders()
        assert (one.measuring, one.process) == (exclusive, os.getpid())
        assert one.command
    assert holders() == []
    assert lock._holder(["1:", "FLOCK", "ADVISORY", "READ", "0", "fe:00:1"]) == Holder(False)


def test_a_wait_that_was_told_of_is_told_to_be_over(
    monkeypatch: pytest.MonkeyPatch, own_lock: Path
) -> None:
    """The line before would else be the last for the rest of a silent hour."""
    heard: list[Holder | float | None] = []
    monkeypatch.setattr(lock, "PATIENT_SECONDS", 0.0)
    held = os.open(own_lock / lock.MACHINE, os.O_RDONLY | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)

    def hear(what: Holder | float | None) -> None:
        heard.append(what)
        fcntl.flock(held, fcntl.LOCK_UN)

    listen(hear)
    with machine_lock(exclusive=False):
        os.close(held)
    assert isinstance(heard[0], Holder)
    assert (heard[0].measuring, heard[0].process) == (True, os.getpid())
    assert isinstance(heard[1], float)
    with machine_lock(exclusive=True):
        pass
    assert len(heard) == 2


def test_measurements_keep_the_machine_until_their_slice_is_over(
    another: Callable[..., SpawnProcess], own_lock: Path
) -> None:
    """Others wait, but not for long enough yet."""
    with Alone(seconds=1000.0) as alone:
        with alone.use():
            another("c", exclusive=False)
        with alone.use():
            assert waiters(own_lock) == 1
    assert diary(own_lock, 1) == ["c has it", "c leaves"]


def test_measurements_whose_slice_is_over_leave_the_machine_to_others(
    another: Callable[..., SpawnProcess], own_lock: Path
) -> None:
    """After the launch and not while one runs; and they go on as soon as the others are done."""
    with Alone(seconds=0.0, others_seconds=1000.0) as alone:
        with alone.use():
            another("c", exclusive=False)
            assert (own_lock / "diary").read_text() == ""
        with alone.use():
            assert (own_lock / "diary").read_text() == "c has it\nc leaves\n"


def test_a_measurement_that_waited_for_long_enough_waits_at_the_gate() -> None:
    """Then those who check stand aside, however many come after each other."""
    with ThreadPoolExecutor(1) as pool, Alone(seconds=0.0, others_seconds=0.0) as alone:
        checks = Hold(exclusive=False)
        checks.take()

        def measure() -> None:
            with alone.use():
                pass

        measured = pool.submit(measure)
        until(lambda: checks.is_wanted)
        checks.give_back()
        measured.result(PATIENCE_SECONDS)


def test_nobody_gives_the_machine_back_for_nobody() -> None:
    """Who measures keeps it from launch to launch."""
    with Alone(seconds=0.0) as alone:
        with alone.use():
            pass
        assert [one.measuring for one in holders()] == [True]


def test_the_machine_is_given_back_after_a_launch_that_failed() -> None:
    """An interrupt in it, too."""
    with pytest.raises(KeyboardInterrupt), Alone(seconds=1000.0) as alone, alone.use():
        raise KeyboardInterrupt
    assert holders() == []


def test_threads_that_check_stand_aside_between_two_checks(
    another: Callable[..., SpawnProcess], own_lock: Path
) -> None:
    """One that has come to the end of its check waits, and the machine is had after the last."""
    both = threading.Barrier(2)
    begun, ends = threading.Event(), threading.Event()

    def early(_: object) -> str:
        both.wait(PATIENCE_SECONDS)
        begun.wait(PATIENCE_SECONDS)
        stand_aside()
        return (own_lock / "diary").read_text()

    def late(_: object) -> str:
        both.wait(PATIENCE_SECONDS)
        ends.wait(PATIENCE_SECONDS)
        assert (own_lock / "diary").read_text() == ""
        stand_aside()
        return (own_lock / "diary").read_text()

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(sharing(work), None) for work in (early, late)]
        until(lambda: len(holders()) == 2)
        another("m", exclusive=True)
        begun.set()
        until(lambda: waiters(own_lock) == 2)
        ends.set()
        assert [one.result(PATIENCE_SECONDS) for one in done] == 2 * ["m has it\nm leaves\n"]


def test_who_waits_for_another_thread_does_not_keep_the_machine(
    another: Callable[..., SpawnProcess], own_lock: Path
) -> None:
    """The other one stands aside: if both had to, neither would go on."""
    answer: Future[str] = Future()

    def wait_for_it(_: object) -> str:
        with waiting():
            return answer.result(PATIENCE_SECONDS)

    def give_it(_: object) -> None:
        another("m", exclusive=True)
        stand_aside()
        answer.set_result("the same code")

    with ThreadPoolExecutor(2) as pool:
        waits, gives = (pool.submit(sharing(work), None) for work in (wait_for_it, give_it))
        assert waits.result(PATIENCE_SECONDS) == "the same code"
        gives.result(PATIENCE_SECONDS)
    assert diary(own_lock, 1) == ["m has it", "m leaves"]


def test_who_does_not_share_the_machine_stands_aside_for_nobody() -> None:
    """Checks run in tests, and in commands that hold the machine by themselves."""
    with machine_lock(exclusive=True):
        stand_aside()
        with waiting():
            pass
        assert [one.measuring for one in holders()] == [True]

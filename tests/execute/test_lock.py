# SPDX-License-Identifier: MIT
"""The machine's lock, held by processes: first come, first served, and who waits is seen."""

import fcntl
import json
import multiprocessing
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import MachineError
from assay.execute import lock, tickets
from assay.execute.lock import Waiting, awaited, listen, machine_lock
from assay.execute.tickets import Owner, Ticket, having_turn, live, waited_for

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


def again_and_again(folder: str, name: str, exclusive: bool, times: int) -> None:
    """Take the machine many times in a row, as a campaign or a loop of checks does."""
    for _ in range(times):
        use(folder, name, exclusive, 0)


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


@pytest.fixture
def another(own_lock: Path) -> Iterator[Callable[..., SpawnProcess]]:
    """Return a function that starts a process and waits until it stands in the queue."""
    started: list[SpawnProcess] = []

    def start(name: str, *, exclusive: bool, user: int = 0) -> SpawnProcess:
        before = len(live())
        words = (str(own_lock), name, exclusive, user)
        started.append(multiprocessing.get_context("spawn").Process(target=use, args=words))
        started[-1].start()
        until(lambda: len(live()) > before)
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
    with machine_lock(exclusive=False), machine_lock(exclusive=False):
        assert not awaited()


def test_whoever_wants_to_measure_is_seen(another: Callable[..., SpawnProcess]) -> None:
    """As long as it waits, and no longer."""
    with machine_lock(exclusive=False):
        other = another("m", exclusive=True)
        assert awaited()
    other.join(PATIENCE_SECONDS)
    assert other.exitcode == 0
    assert not awaited()


def test_the_machine_is_had_in_the_order_in_which_it_was_asked_for(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """Six processes that measure wait, and each has its turn after the one before."""
    with machine_lock(exclusive=True):
        for number in range(6):
            another(str(number), exclusive=True)
    noted = diary(own_lock, 6)
    assert noted == [f"{n} {what}" for n in range(6) for what in ("has it", "leaves")]


def test_checks_that_come_later_wait_for_a_measurement_and_it_for_those_before(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """Neither overtakes the other; only checks beside each other may change places."""
    with machine_lock(exclusive=True):
        for name in ("c1", "c2", "m1", "c3", "c4", "m2", "m3"):
            another(name, exclusive=name.startswith("m"))
    names = [line.split()[0] for line in diary(own_lock, 7)]
    assert sorted(names[:4]) == ["c1", "c1", "c2", "c2"]
    assert names[4:6] == ["m1", "m1"]
    assert sorted(names[6:10]) == ["c3", "c3", "c4", "c4"]
    assert names[10:] == ["m2", "m2", "m3", "m3"]


def test_a_campaign_gets_on_beside_loops_of_checks(own_lock: Path) -> None:
    """Between two of its launches every loop has at most a few turns: none is left out.

    A loop that comes back stands behind the launch that came meanwhile, so two launches have
    one check of each loop between them, and another where a process was slow to come back.
    """
    context = multiprocessing.get_context("spawn")
    loops = [
        context.Process(target=again_and_again, args=(str(own_lock), f"c{n}", False, 100))
        for n in range(3)
    ]
    campaign = context.Process(target=again_and_again, args=(str(own_lock), "m", True, 20))
    with machine_lock(exclusive=True):
        for one in loops:
            one.start()
        until(lambda: len(live()) == 4)
        campaign.start()
        until(lambda: len(live()) == 5)
    noted = [line.split()[0] for line in diary(own_lock, 320) if line.endswith("has it")]
    for one in (*loops, campaign):
        one.join(PATIENCE_SECONDS)
        assert one.exitcode == 0
    last = len(noted) - noted[::-1].index("m")
    assert last < 200, noted
    assert noted.index("m") == 3


def test_whoever_was_killed_is_waited_for_no_longer(
    own_lock: Path, another: Callable[..., SpawnProcess]
) -> None:
    """Its ticket is left behind, counts no more, and is removed by the next."""
    with machine_lock(exclusive=True):
        killed = another("killed", exclusive=True)
        another("after", exclusive=True)
        os.kill(killed.pid or 0, signal.SIGKILL)
        killed.join(PATIENCE_SECONDS)
        until(lambda: len(live()) == 2)
    assert diary(own_lock, 1) == ["after has it", "after leaves"]
    with machine_lock(exclusive=False):
        assert len(list(own_lock.glob("assay-ticket-*"))) == 1
    assert not list(own_lock.glob("*ticket*"))


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
        another("root", exclusive=False)
        another("second", exclusive=True, user=ANOTHER_USER + 1)
    assert [line.split()[0] for line in diary(own_lock, 3)][::2] == ["first", "root", "second"]


def test_what_others_put_into_the_folder_is_no_ticket(own_lock: Path) -> None:
    """Links, pipes, folders, files that nobody locks, and nonsense in those that are locked."""
    (own_lock / "assay-ticket-000001-m-link").symlink_to("/etc/passwd")
    (own_lock / "assay-ticket-000001-m-loop").symlink_to("assay-ticket-000001-m-loop")
    os.mkfifo(own_lock / "assay-ticket-000002-m-pipe")
    (own_lock / "assay-ticket-000003-m-folder").mkdir()
    (own_lock / "assay-ticket-000004-m-free").write_text("{}")
    held = own_lock / "assay-ticket-000005-c-held"
    for text in (
        "",
        "[1]",
        "{",
        "[" * 4096,
        '{"process": 1, "command": "x", "since": 1e999}',
        json.dumps({"process": 7, "command": "x" * 9000, "since": 1}),
        "\xff" * 99,
    ):
        held.write_text(text, "latin-1")
        descriptor = os.open(held, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with machine_lock(exclusive=False):
            assert [one.number for one in live()] == [5, 6]
            assert isinstance(tickets.owner_of(live()[0]), Owner)
        os.close(descriptor)
    assert Path("/etc/passwd").exists()


@pytest.mark.parametrize("name", [lock.MACHINE, lock.TURNSTILE])
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
    assert not list(own_lock.glob("*ticket*"))


def test_everybody_can_see_a_ticket_whatever_the_umask(own_lock: Path) -> None:
    """Else other users would not wait for it."""
    before = os.umask(0o077)
    try:
        with machine_lock(exclusive=True):
            modes = {stat.S_IMODE(path.stat().st_mode) for path in own_lock.glob("assay-*")}
    finally:
        os.umask(before)
    assert modes == {0o644}


def test_a_long_wait_tells_who_has_the_machine_and_how_many_are_ahead(
    monkeypatch: pytest.MonkeyPatch, another: Callable[..., SpawnProcess], own_lock: Path
) -> None:
    """Then that it is over; a wait of no length tells nothing."""
    heard: list[Waiting | float] = []
    monkeypatch.setattr(lock, "PATIENT_SECONDS", 0.0)
    monkeypatch.setattr("sys.argv", ["assay", "run", "crypto_hash"])
    with machine_lock(exclusive=True):
        monkeypatch.setattr("sys.argv", ["assay", "check"])
        another("m", exclusive=True)
        listen(heard.append)
        place = lock._Wait()
        place._watch()
    diary(own_lock, 1)
    owner = heard[0].owner if isinstance(heard[0], Waiting) else Owner()
    assert heard == [Waiting(owner, measuring=True, before=2)]
    assert (owner.process, owner.command) == (os.getpid(), "assay run crypto_hash")
    assert owner.since is not None
    assert 0 <= time.time() - owner.since < PATIENCE_SECONDS
    with machine_lock(exclusive=True):
        pass
    assert len(heard) == 1


def test_a_wait_that_was_told_of_is_told_to_be_over(
    monkeypatch: pytest.MonkeyPatch, own_lock: Path
) -> None:
    """The line before would else be the last for the rest of a silent hour."""
    heard: list[Waiting | float] = []
    monkeypatch.setattr(lock, "PATIENT_SECONDS", 0.0)
    held = os.open(own_lock / lock.MACHINE, os.O_RDONLY | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)

    def hear(what: Waiting | float) -> None:
        heard.append(what)
        fcntl.flock(held, fcntl.LOCK_UN)

    listen(hear)
    with machine_lock(exclusive=False):
        os.close(held)
    assert heard[0] == Waiting(Owner(), measuring=False, before=0)
    assert isinstance(heard[1], float)
    assert len(heard) == 2


QUEUES = st.lists(st.booleans()).map(
    lambda wanted: [Ticket(n, each, Path(str(n))) for n, each in enumerate(wanted)]
)


@given(QUEUES)
def test_who_has_the_machine_never_disturbs_a_measurement(queue: list[Ticket]) -> None:
    """One that measures is alone, and as long as anybody is there somebody has it."""
    turn = queue[: having_turn(queue)]
    assert bool(turn) == bool(queue)
    assert len(turn) == 1 or not any(one.exclusive for one in turn)


@given(QUEUES)
def test_turns_come_to_those_for_whom_nobody_is_left_to_wait(queue: list[Ticket]) -> None:
    """What each waits for agrees with whose turn it is; so all waits end, from the head on."""
    turn = queue[: having_turn(queue)]
    assert turn == [one for one in queue if not waited_for(one, queue)]


@given(QUEUES, st.data())
def test_later_ones_never_make_one_wait(queue: list[Ticket], data: st.DataObject) -> None:
    """That is what first come, first served means."""
    if queue:
        mine = data.draw(st.sampled_from(queue))
        ahead = [one for one in queue if one.number <= mine.number]
        assert waited_for(mine, queue) == waited_for(mine, ahead)

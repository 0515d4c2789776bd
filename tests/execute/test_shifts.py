# SPDX-License-Identifier: MIT
"""Commands that use the machine for long leave it to others in between, and lose nothing."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from assay.execute import shifts
from assay.execute.shifts import Alone, Shift, stand_aside, waiting

SECONDS = 20.0  # a wait that takes longer is a deadlock


class Machine:
    """Counts who takes it and gives it back; `wanted` says whether somebody waits for it."""

    def __init__(self) -> None:
        """Belong to nobody."""
        self.diary: list[str] = []
        self.wanted = True
        self.with_lock = threading.Lock()

    @contextmanager
    def lock(self, *, exclusive: bool) -> Iterator[None]:
        """Be held."""
        name = "alone" if exclusive else "shared"
        with self.with_lock:
            self.diary.append(name)
        yield
        with self.with_lock:
            self.diary.append(f"not {name}")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Give a machine that nobody else uses."""
    found = Machine()
    monkeypatch.setattr(shifts, "machine_lock", found.lock)
    monkeypatch.setattr(shifts, "awaited", lambda: found.wanted)
    monkeypatch.setattr(shifts, "LOOKING_SECONDS", 0.0)
    return found


def test_measurements_keep_the_machine_until_their_slice_is_over(machine: Machine) -> None:
    """Others wait, but not for long enough yet."""
    with Alone(seconds=1000.0) as alone:
        for _ in range(3):
            with alone.use():
                machine.diary.append("launch")
    assert machine.diary == ["alone", "launch", "launch", "launch", "not alone"]


def test_measurements_whose_slice_is_over_leave_the_machine_to_others(machine: Machine) -> None:
    """After the launch, and not while one runs."""
    with Alone(seconds=0.0) as alone:
        for _ in range(2):
            with alone.use():
                machine.diary.append("launch")
    assert machine.diary == 2 * ["alone", "launch", "not alone"]


def test_nobody_gives_the_machine_back_for_nobody(machine: Machine) -> None:
    """Neither who measures nor who checks, however long it takes."""
    machine.wanted = False
    with Alone(seconds=0.0) as alone:
        for _ in range(2):
            with alone.use():
                pass
    assert machine.diary == ["alone", "not alone"]
    machine.diary.clear()
    with Shift(seconds=0.0) as shift:
        shift.run(lambda _: stand_aside(), 1)
    assert machine.diary == ["shared", "not shared"]


def test_the_machine_is_given_back_after_a_launch_that_failed(machine: Machine) -> None:
    """An interrupt in it, too."""
    with pytest.raises(KeyboardInterrupt), Alone(seconds=0.0) as alone, alone.use():
        raise KeyboardInterrupt
    assert machine.diary == ["alone", "not alone"]


def test_all_threads_of_a_shift_stand_aside_together(machine: Machine) -> None:
    """The machine is given back when the last has come to the end of its check."""
    machine.wanted = False
    both, checks = threading.Barrier(2), ["first", "second"]

    def work(name: str) -> str:
        both.wait(SECONDS)
        machine.wanted = True
        machine.diary.append(f"{name} ends a check")
        stand_aside()
        machine.wanted = False
        machine.diary.append(f"{name} goes on")
        return name

    with ThreadPoolExecutor(2) as pool, Shift(seconds=0.0) as shift:
        done = [pool.submit(shift.run, work, name) for name in checks]
        assert [one.result(SECONDS) for one in done] == checks
    first, second, *middle = machine.diary[1:5]
    assert {first, second} == {f"{name} ends a check" for name in checks}
    assert middle == ["not shared", "shared"]
    assert set(machine.diary[5:7]) == {f"{name} goes on" for name in checks}


def test_who_waits_for_another_thread_does_not_keep_the_machine(machine: Machine) -> None:
    """The other one stands aside: if both had to, neither would go on."""
    answer: Future[str] = Future()
    begun = threading.Event()

    def wait_for_it(_: object) -> str:
        with waiting():
            begun.set()
            return answer.result(SECONDS)

    def give_it(_: object) -> None:
        begun.wait(SECONDS)
        stand_aside()
        machine.wanted = False
        answer.set_result("the same code")

    machine.wanted = False
    with ThreadPoolExecutor(2) as pool, Shift(seconds=0.0) as shift:
        waits = pool.submit(shift.run, wait_for_it, None)
        begun.wait(SECONDS)
        machine.wanted = True
        gives = pool.submit(shift.run, give_it, None)
        assert waits.result(SECONDS) == "the same code"
        gives.result(SECONDS)
    assert machine.diary.count("shared") >= 2


def test_who_ends_its_work_does_not_keep_those_who_stand_aside(machine: Machine) -> None:
    """The machine is given back by whoever ends last."""
    aside, machine.wanted = threading.Event(), True

    def stand(_: object) -> str:
        aside.set()
        stand_aside()
        machine.wanted = False
        return "went on"

    with ThreadPoolExecutor(2) as pool, Shift(seconds=0.0) as shift:
        machine.wanted = False
        ends = threading.Event()
        short = pool.submit(shift.run, lambda _: ends.wait(SECONDS), None)
        machine.wanted = True
        long = pool.submit(shift.run, stand, None)
        ends.set()
        assert long.result(SECONDS) == "went on"
        assert short.result(SECONDS)


def test_who_is_not_in_a_shift_stands_aside_for_nobody(machine: Machine) -> None:
    """Checks run in tests, and in commands that hold the machine by themselves."""
    stand_aside()
    with waiting():
        pass
    assert machine.diary == []

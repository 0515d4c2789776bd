# SPDX-License-Identifier: MIT
"""A second process makes calls with its own copy of an object."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from assay.errors import MachineError
from assay.machine.helper import HelperLost, SecondProcess, helping
from assay.machine.threads import ending_threads


@dataclass
class Counter:
    """Counts, in the process that has it."""

    count: int = 0

    def begin(self) -> None:
        """Begin at ten."""
        self.count = 10

    def add(self, number: int) -> tuple[int, int]:
        """Add a number; return the sum, and the process that knows it."""
        self.count += number
        return self.count, os.getpid()

    def fail(self) -> None:
        """Raise an error with a cure."""
        raise MachineError("it does not work", "repair it")

    def wait(self) -> None:
        """Give no answer."""
        signal.pause()

    def leave(self) -> None:
        """End as if somebody had killed the process."""
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def helper() -> Iterator[SecondProcess]:
    """Give a helper that counts."""
    with helping(Counter(), 1) as (made,):
        yield made


@pytest.fixture
def three() -> Iterator[tuple[SecondProcess, ...]]:
    """Give three helpers that count."""
    with helping(Counter(), 3) as made:
        yield made


def test_the_copy_of_an_object_lives_on_from_call_to_call(helper: SecondProcess) -> None:
    """It begins before the first call, in another process than ours."""
    first, second = helper.call("add", 1), helper.call("add", 2)
    assert (first[0], second[0]) == (11, 13)
    assert first[1] == second[1] != os.getpid()


def test_what_a_call_raises_is_raised_where_it_was_made(helper: SecondProcess) -> None:
    """The helper lives on."""
    with pytest.raises(MachineError, match="it does not work") as caught:
        helper.call("fail")
    assert caught.value.cure == "repair it"
    assert helper.call("add", 1)[0] == 11


def test_a_helper_that_was_killed_is_lost(helper: SecondProcess) -> None:
    """Closing it does not wait, and nothing is left of it."""
    with pytest.raises(HelperLost):
        helper.call("leave")
    with pytest.raises(HelperLost):
        helper.call("add", 1)


def test_every_helper_has_a_copy_of_its_own_that_has_begun(
    three: tuple[SecondProcess, ...],
) -> None:
    """They begin once for all, and count apart."""
    answers = [one.call("add", number) for number, one in enumerate(three)]
    assert [count for count, _ in answers] == [10, 11, 12]
    assert len({pid for _, pid in answers} | {os.getpid()}) == 4
    assert three[2].call("add", 1)[0] == 13


@pytest.mark.parametrize("killed", [0, 1])
def test_helpers_go_on_without_one_that_was_killed(
    three: tuple[SecondProcess, ...], killed: int
) -> None:
    """Whether it made the others or not; and nothing is left of any."""
    pids = [one.call("add", 0)[1] for one in three]
    with pytest.raises(HelperLost):
        three[killed].call("leave")
    left = [one for number, one in enumerate(three) if number != killed]
    assert [one.call("add", 1)[1] for one in left] == [
        pid for number, pid in enumerate(pids) if number != killed
    ]


def test_whoever_waits_for_an_answer_is_interrupted_and_the_process_ends() -> None:
    """A check of slow code is not waited for."""
    with helping(Counter(), 1) as (helper,), ThreadPoolExecutor() as pool:
        helper.call("add", 1)
        waiting = pool.submit(helper.call, "wait")
        with ending_threads():
            assert isinstance(waiting.exception(), KeyboardInterrupt)

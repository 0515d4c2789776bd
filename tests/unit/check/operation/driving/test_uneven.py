# SPDX-License-Identifier: MIT
"""Calls that are said to take less than others are made again where nobody knows their inputs."""

from platform import machine
from random import Random

import pytest
from tests.unit.check.operation.driving.conftest import Drive
from tests.unit.check.operation.driving.timed import (
    DIFFERING_HASH,
    HONEST_HASH,
    MOVING_HASH,
    written_hash,
)

from assay.check.operation.routines import group
from assay.check.operation.session import OperationSession
from assay.measure.audit import WrongOutput
from assay.measure.operation.account import make_again
from assay.measure.operation.request_size import SHORT_SECONDS, Beds, RequestSize, request_size_of
from assay.measure.operation.rounds import GroupTiming, TakenTask
from assay.measure.operation.timing import OperationEffort
from assay.model import OperationSubject, Package
from assay.timing.clock import choose_counter, select, steady_counters
from assay.timing.witness import ATTEMPTS, AgentLied, believed

BYTES, SAMPLES = 50_000, 31


def effort_of(session: OperationSession) -> OperationEffort:
    """Choose a real counter."""
    counter = choose_counter(steady_counters(session.agent))
    select(session.agent, counter)
    return OperationEffort(SAMPLES, counter.step_ticks, counter.ticks_per_second)


def timed_once(
    drive: Drive, package: Package, calls: int = 1
) -> tuple[TakenTask, OperationSubject]:
    """Time a group; return what was taken of its task, and what it is a package of."""
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        effort, one = effort_of(timed), group(timed.subject, BYTES)
        beds = Beds.of(timed, proof, one, RequestSize(calls, SAMPLES, SAMPLES))
        timing = GroupTiming(beds.timed, beds.challenger, effort, Random(4))
        ((task,),) = timing.rounds(accounted=False)
        return task, timed.subject


@pytest.mark.parametrize("calls", [1, 2])
def test_work_that_differs_from_input_to_input_is_made_again_and_believed(
    drive: Drive, calls: int
) -> None:
    """One in eight messages takes five times as long, wherever it is hashed."""
    package = written_hash(drive, DIFFERING_HASH)
    task, subject = timed_once(drive, package, calls)
    differing = task.uneven
    assert differing is not None
    assert len(differing.low) % calls == 0

    def again() -> None:
        with drive.speaking(package) as fresh:
            make_again(fresh.agent, subject, differing)

    believed(again)


@pytest.mark.skipif(machine() != "x86_64", reason="the liar reads the counter of x86-64")
def test_code_that_moves_time_from_most_calls_to_the_others_is_found(drive: Drive) -> None:
    """All of its time is in the report, so the kernel's account of the whole fits.

    Where neighbours halve the machine's pace while it is timed, the half that it reports is true.
    """
    package = written_hash(drive, MOVING_HASH)

    def timed_and_made_again() -> None:
        for _ in range(ATTEMPTS):
            task, subject = timed_once(drive, package)
            if task.uneven is not None:
                with drive.speaking(package) as fresh:
                    make_again(fresh.agent, subject, task.uneven)

    with pytest.raises(AgentLied, match=r"when they are made again"):
        timed_and_made_again()


@pytest.mark.skipif(machine() != "x86_64", reason="the liar reads the counter of x86-64")
def test_code_that_does_nothing_when_its_calls_are_made_again_is_found(drive: Drive) -> None:
    """It may know by its caller that nobody reads a clock."""
    idle = MOVING_HASH.replace("result = sum(out, in, n);", "result = 0;")
    task, subject = timed_once(drive, written_hash(drive, MOVING_HASH))
    assert task.uneven is not None
    with (
        drive.speaking(written_hash(drive, idle)) as fresh,
        pytest.raises(WrongOutput, match="another `h` than while it was timed"),
    ):
        make_again(fresh.agent, subject, task.uneven)


def test_requests_of_short_calls_last_long_enough_to_be_judged(drive: Drive) -> None:
    """By more samples; the calls of each sample stay as they are.

    The machine may be faster than when the number was chosen, but hardly four times.
    """
    package = written_hash(drive, HONEST_HASH)
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        effort, one = effort_of(timed), group(timed.subject, 64)
        size = request_size_of(timed, proof, one, effort, Random(5))
        assert size.samples > SAMPLES
        beds = Beds.of(timed, proof, one, size)
        ticks = beds.once(next(iter(one.timed)), effort, Random(6)).ticks
    reached = sum(ticks) / effort.ticks_per_second >= SHORT_SECONDS / 4
    assert reached or size.samples == size.most_samples


@pytest.mark.parametrize(
    ("seconds", "samples"),
    [
        ([0.001], 31),  # long enough
        ([0.0001], 310),
        ([0.0001, 0.0001], 310),
        ([0.0001, 0.01], 31),  # the other task of the group would take too long
        ([0.0000001], 900),  # what a request has room for
        ([0.0], 31),  # nobody knows
    ],
)
def test_a_request_is_made_as_long_as_all_of_its_tasks_allow(
    seconds: list[float], samples: int
) -> None:
    """And no longer than there is room."""
    assert RequestSize(1, 31, 900).longer(seconds) == RequestSize(1, samples, 900)

# SPDX-License-Identifier: MIT
"""What two traces differ in: records are addresses shifted left, with bit 0 set for accesses."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.mock.standing import stand_in

from assay.check.arena import Arena
from assay.check.memory.traces import (
    ADDRESS,
    BRANCH,
    CUT,
    Follower,
    TracedCall,
    TraceDifference,
    addresses_met,
    differences,
)
from assay.check.routine import Routine
from assay.check.secret_uses import SecretUse
from assay.check.session import StreamSession
from assay.execute.agent import Agent
from assay.execute.tracing import Trace, Tracing


def trace(*records: int | tuple[int, ...]) -> Trace:
    """Make a trace of instructions; a tuple is one with the addresses that it accesses."""
    made: list[int] = []
    for one in records:
        instruction, *accesses = one if isinstance(one, tuple) else (one,)
        made += [instruction << 1, *(address << 1 | 1 for address in accesses)]
    return np.array(made, np.uint64)


def test_instructions_that_were_met_are_named_once_and_accesses_are_none() -> None:
    """What they grow by says whether other public inputs meet new code."""
    assert sorted(addresses_met(trace(10, (12, 9000), 10, 14))) == [10, 12, 14]
    assert not list(addresses_met(trace()))
    assert sorted(addresses_met(trace(10, 1 << 40))) == [10, 1 << 40]


LIBRARY = 1000  # from this address on
SHOWN = 2000  # the function that shows what is made public


def found(one: Trace, other: Trace) -> list[tuple[str, int]]:
    """Return what differs, and where."""
    every = differences(one, other, of_package, declassifies)
    return [(each.what, each.address) for each in every if each]


def of_package(addresses: Trace) -> NDArray[np.bool_]:
    """Return which addresses are not of the library."""
    return addresses < LIBRARY


def declassifies(addresses: Trace) -> NDArray[np.bool_]:
    """Return which addresses are of the function that makes bytes public."""
    return np.equal(addresses, np.uint64(SHOWN))


def test_equal_traces_differ_in_nothing() -> None:
    """Nor do empty ones."""
    assert found(trace(8, (12, 100)), trace(8, (12, 100))) == []
    assert found(trace(), trace()) == []


def test_each_instruction_whose_accesses_differ_is_named_once() -> None:
    """The second of two accesses counts as well."""
    one = trace((8, 100), (12, 200, 300), (8, 101), 16)
    other = trace((8, 107), (12, 200, 301), (8, 108), 16)
    assert found(one, other) == [(ADDRESS, 8), (ADDRESS, 12)]


def test_where_traces_part_the_instruction_before_is_a_branch() -> None:
    """What follows is of different paths, and is not compared."""
    one, other = trace(8, (12, 100), 16, (20, 5)), trace(8, (12, 100), 24, (20, 7))
    assert found(one, other) == [(BRANCH, 12)]


def test_a_loop_that_ends_earlier_is_a_branch() -> None:
    """The shorter trace is the beginning of the longer one."""
    assert found(trace(8, 12, 8, 12), trace(8, 12)) == [(BRANCH, 12)]


def test_an_access_that_only_one_run_makes_is_of_its_instruction() -> None:
    """A conditional load of Arm is executed in both."""
    assert found(trace((8, 100), 12), trace(8, 12)) == [(BRANCH, 8)]


def test_what_differs_in_a_library_is_named_with_the_call_that_led_there() -> None:
    """The same function may be called from where nothing is secret."""
    one = trace(8, 1000, (1004, 300), 12, 1000, (1004, 310), 1008)
    other = trace(8, 1000, (1004, 300), 12, 1000, (1004, 311), 1012)
    assert list(differences(one, other, of_package, declassifies)) == [
        TraceDifference(ADDRESS, 1004, 12),
        TraceDifference(BRANCH, 1004, 12),
    ]


def test_nothing_is_compared_once_two_runs_have_made_different_bytes_public() -> None:
    """The matrix of a key is expanded from its public seed: what follows is right to differ."""
    one = trace(8, (SHOWN, 500, 3007), 12, (16, 100), 20)
    other = trace(8, (SHOWN, 500, 3009), 12, (16, 101), 24)
    assert found(one, other) == []
    assert list(differences(one, other, of_package, declassifies)) == [None]


def test_a_leak_before_that_and_one_behind_equal_public_bytes_are_seen() -> None:
    """Only the first public byte that differs ends the comparison."""
    early = trace((8, 100), (SHOWN, 500, 3007)), trace((8, 101), (SHOWN, 500, 3009))
    assert found(*early) == [(ADDRESS, 8)]
    late = trace((SHOWN, 500, 3007), (8, 100)), trace((SHOWN, 500, 3007), (8, 101))
    assert found(*late) == [(ADDRESS, 8)]


AFTER = tuple((at, 3 * at) for at in range(40, 80, 4))  # ten instructions, with accesses


def test_two_paths_that_meet_again_are_compared_behind_the_branch() -> None:
    """A leak behind another one is seen, too: multiplying has branches on an AVR."""
    one = trace(8, 12, *AFTER, (100, 300), 104)
    other = trace(8, 16, 20, *AFTER, (100, 301), 104)
    assert found(one, other) == [(BRANCH, 8), (ADDRESS, 100)]


def test_where_most_addresses_are_others_two_paths_have_not_met() -> None:
    """The same function called from elsewhere has its variables elsewhere: a consequence."""
    moved = tuple((at, access + 64) for at, access in AFTER)
    assert found(trace(8, 12, *AFTER, 100), trace(8, 16, *moved, 100)) == [(BRANCH, 8)]


def test_a_loop_that_takes_another_number_of_turns_is_one_branch() -> None:
    """Both meet behind it, and nothing else differs."""
    one, other = trace(*[8, 12] * 3, *AFTER, 100), trace(*[8, 12] * 50, *AFTER, 100)
    assert found(one, other) == [(BRANCH, 12)]


def test_a_trace_that_was_cut_off_ends_nowhere_in_particular() -> None:
    """The shorter one is no branch then; inside, a difference is."""
    pair = trace(8, (12, 100), 16, 20), trace(8, (12, 101), 16)
    cut = differences(*pair, of_package, declassifies, whole=False)
    assert [one and one.what for one in cut] == [ADDRESS]


class Replayed(Follower, frozen=True):
    """Gives the traces that it was given, in place of those of an agent."""

    def _traced(self, _: Arena, routine: Routine, seed: bytes) -> TracedCall:
        return TracedCall((routine, seed), TRACES[seed].pop(0), RESTS.get(seed, 0), ())

    def _returned(self, _: Arena, __: Routine, ___: bytes) -> tuple[int, ...]:
        return ()


TRACES: dict[bytes, list[Trace]] = {}
RESTS: dict[bytes, int] = {}


def compared(others: list[Trace]) -> tuple[list[str], list[str]]:
    """Compare a use of plain traces with another secret's; return the leaks, and what is said."""
    plain = trace(8, 12, 20)
    TRACES.update({b"1": [plain] * 9, b"2": others, b"3": [plain] * 9})
    routine = Routine("call", {}, ())
    use = SecretUse((routine,) * 3, (b"1", b"2", b"3"))
    agent = stand_in(Agent, forget_buffers=lambda: None)
    session = stand_in(StreamSession, agent=agent)
    tracing = stand_in(Tracing, of_package=of_package, of_declassify=declassifies)
    known: dict[TraceDifference, None] = {}
    said = list(Replayed(session, tracing, known).compare(use))
    return [one.what for one in known], said


@pytest.mark.parametrize(("rest", "said"), [(5, []), (6, [CUT])])
def test_what_there_was_no_room_for_is_the_same_if_its_digests_are(
    rest: int, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """HQC executes more than 32 million instructions: it was never examined."""
    monkeypatch.setattr("tests.unit.check.test_traces.RESTS", {b"1": 5, b"2": rest, b"3": 5})
    assert compared([trace(8, 12, 20)] * 9) == ([], said)


INTERRUPTED = "two runs of call with the same inputs execute different instructions"


@pytest.mark.parametrize(
    ("others", "leaks", "said"),
    [
        ([16] * 2, [BRANCH], []),
        ([16] + [12] * 2, [], []),
        ([16, 20, 16, 20, 24], [], [INTERRUPTED]),
        ([16, 20, 16, 24, 24], [BRANCH], []),
    ],
    ids=["it leaks", "one tick", "never twice the same", "the same at last"],
)
def test_what_an_interrupt_hides_in_one_run_is_no_leak(
    others: list[int], leaks: list[str], said: list[str]
) -> None:
    """An emulator may interrupt a call, long ones often in the same inner loop."""
    assert compared([trace(8, one, 20) for one in others]) == (leaks, said)

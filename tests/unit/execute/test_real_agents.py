# SPDX-License-Identifier: MIT
"""A conversation with a real agent in the jail: buffers, guard pages, and code that misbehaves."""

import os
import signal
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from assay.check.session import describe_stream as describe
from assay.execute.agent import Agent, AgentFault, AgentLost, AgentRefusal, AgentSilent, Buffer
from assay.execute.calls import Calls
from assay.execute.jail import AGENT_LIMITS, Jail, JailMode, Limits
from assay.execute.pipe import PipeClosed, ProcessPipe
from assay.execute.protocol import Request
from assay.model.wire import StreamFunction

Launch = Callable[..., Agent]


class Naughty(IntEnum):
    """What keysetup of the agent in conftest.py does."""

    COPY = 0
    READ = 1
    WRITE = 2
    HANG = 3
    EXIT = 4
    PRINT = 5
    RAISE = 6
    FORGE = 7
    KILL = 8
    SAY_AND_EXIT = 9
    CLOSE_PIPES = 10


def ask(
    agent: Agent, what: Naughty, n: int = 0, m: int = 0, *, ctx: Buffer | None = None,
    key: Buffer | None = None,
) -> None:  # fmt: skip
    """Make the agent's keysetup do something, now."""
    agent.call(StreamFunction.KEYSETUP, (ctx, key), (what, n & 0xFFFFFFFF, m))
    agent.flush()


def test_a_real_agent_greets_and_describes_itself(launch: Launch) -> None:
    """The greeting fits this machine, and the description is what the subject says."""
    agent = launch()
    assert agent.page_bytes == os.sysconf("SC_PAGESIZE")
    assert agent.pointer_bits in (32, 64)
    subject = describe(agent)
    assert (subject.name, subject.profile, subject.key_bits) == ("Naughty", None, (128,))
    assert "finalize" not in subject.functions


@pytest.mark.parametrize("modulus", [1, 2, 4, 8, 16, 32, 64, 4096])
def test_buffers_end_at_the_guard_page_at_every_alignment(launch: Launch, modulus: int) -> None:
    """A buffer ends as near to the page as its alignment allows: the first fault is there.

    Reading up to there succeeds, one byte more faults; so the buffer's address is right, too.
    """
    agent = launch()
    for residue in sorted({0, 1 % modulus, modulus // 2, modulus - 1}):
        for size in (1, 7, 64, 4096, 4100):
            agent.forget_buffers()
            key = agent.buffer("key", size, modulus=modulus, residue=residue)
            room = (-(size + residue)) % modulus
            ask(agent, Naughty.READ, size - 1, key=key)
            if room:
                ask(agent, Naughty.READ, size + room - 1, key=key)
            behind = f"at byte {room} behind the buffer key of {size} bytes"
            with pytest.raises(AgentFault, match=behind):
                ask(agent, Naughty.READ, size + room, key=key)


def test_a_fault_names_signal_call_and_buffer(launch: Launch) -> None:
    """Reading or writing a byte too far is told with the buffer's name, and the agent lives."""
    agent = launch()
    ctx = agent.buffer("ctx", 32, modulus=1)
    key = agent.buffer("key", 16, modulus=1)
    with pytest.raises(AgentFault) as caught:
        ask(agent, Naughty.WRITE, 32, 1, ctx=ctx, key=key)
    assert str(caught.value) == (
        "SIGSEGV in keysetup(ctx, key, 2, 32, 1) at byte 0 behind the buffer ctx of 32 bytes"
    )
    with pytest.raises(AgentFault, match=r"bytes before the buffer key"):
        ask(agent, Naughty.READ, -4096, ctx=ctx, key=key)
    assert agent.read(key) == bytes(16)


@pytest.mark.parametrize("number", [signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP])
def test_every_kind_of_fault_is_caught_and_named(launch: Launch, number: signal.Signals) -> None:
    """abort(), a division by zero or an illegal instruction does not end the agent."""
    agent = launch()
    with pytest.raises(AgentFault, match=rf"{number.name} in keysetup"):
        ask(agent, Naughty.RAISE, number)
    ask(agent, Naughty.PRINT, 1)


def test_abort_is_named_as_such_and_without_an_address(launch: Launch) -> None:
    """What the system has in an address's place are numbers of a process and its user."""
    agent = launch()
    with pytest.raises(AgentFault) as caught:
        ask(agent, Naughty.RAISE, signal.SIGABRT)
    assert str(caught.value).endswith(": it called abort, as a failed assert does")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    size=st.integers(1, 300),
    modulus=st.sampled_from([16, 64]),
    before=st.integers(0, 64),
    value=st.integers(0, 255),
)
def test_a_changed_canary_is_found_where_it_is(
    launch: Launch, size: int, modulus: int, before: int, value: int
) -> None:
    """One byte changed before the buffer is counted (unless it was that already) and located."""
    agent = launch()
    ctx = agent.buffer("ctx", size, modulus=modulus)
    assert agent.damage(ctx) == (0, 0)
    ask(agent, Naughty.WRITE, size - 1, value, ctx=ctx)
    assert agent.damage(ctx) == (0, 0)
    ask(agent, Naughty.WRITE, -1 - before, value, ctx=ctx)
    ask(agent, Naughty.WRITE, -1 - before - 1, value ^ 0x80, ctx=ctx)
    count, first = agent.damage(ctx)
    assert count in (1, 2)
    assert first in (-1 - before, -2 - before)
    agent.close()


def test_a_changed_canary_behind_the_buffer_is_found(launch: Launch) -> None:
    """The few bytes between the end of a buffer and the guard page are watched as well."""
    agent = launch()
    ctx = agent.buffer("ctx", 20, modulus=16)
    for value in (0x00, 0xFF):
        ask(agent, Naughty.WRITE, 23, value, ctx=ctx)
    assert agent.damage(ctx) == (1, 23)


def test_writes_larger_than_a_pipe_arrive_and_come_back(launch: Launch) -> None:
    """A megabyte in one piece, and many pieces that together would fill both pipes."""
    agent = launch()
    data = os.urandom(1 << 20)
    large, copy = agent.buffer("large", 1 << 20), agent.buffer("copy", 1 << 20)
    agent.write(large, data)
    agent.copy_bytes(copy, large)
    answers = [agent.fetch(copy, 1 << 16, i << 16) for i in range(16)]
    for i in range(64):
        agent.write(large, data[:40_000], i * 8)
        answers.append(agent.fetch(large, 40_000, i * 8))
    assert b"".join(answer.data for answer in answers[:16]) == data
    assert all(answer.data == data[:40_000] for answer in answers[16:])


def test_calls_use_the_places_they_are_given(launch: Launch) -> None:
    """Offsets into buffers, contexts and lengths reach the function."""
    agent = launch()
    source, to = agent.buffer("in", 40), agent.buffer("out", 40)
    agent.fill(to, 0xEE)
    agent.write(source, bytes(range(40)))
    agent.call(StreamFunction.ENCRYPT_BYTES, (to, source.at(3), to.at(5)), (20,))
    expected = b"\xee" * 5 + bytes((3 + i) ^ 0x5A for i in range(20)) + b"\xee" * 15
    assert agent.read(to) == expected
    agent.call(StreamFunction.KEYSETUP, (to, source), (Naughty.COPY, 16, 0))
    assert agent.read(to, 16) == bytes(range(16))


@pytest.mark.parametrize(
    ("request_code", "payload"),
    [
        (Request.READ, b"\x00" + (60).to_bytes(4, "little") + (5).to_bytes(4, "little")),
        (Request.READ, b"\x00" + (2**32 - 1).to_bytes(4, "little") + (2).to_bytes(4, "little")),
        (Request.READ, b"\x3f" + bytes(8)),
        (Request.READ, b"\x00"),
        (Request.WRITE, b"\x00" + (64).to_bytes(4, "little") + b"x"),
        (Request.FILL, b"\x00" + bytes(4) + (65).to_bytes(4, "little") + b"\x00"),
        (Request.COPY, b"\x00\x05" + bytes(4)),
        (Request.BUFFER, b"\x40" + bytes(4) + b"\x01" + bytes(7)),
        (Request.BUFFER, b"\x00" + bytes(12)),
        (Request.CALL, b"\xc8\x00\x00"),
        (Request.CALL, b"\x0d\x00\x00"),
        (Request.CALL, b"\x01\xff\x00"),
        (Request.CALL, b"\x01\x01\x00\x00" + (65).to_bytes(4, "little")),
        (Request.CALL, b""),
    ],
    ids=lambda value: value.hex() if isinstance(value, bytes) else None,
)
def test_requests_out_of_bounds_are_refused(
    launch: Launch, request_code: Request, payload: bytes
) -> None:
    """A mistake of the bench is an answer, never an access outside of a buffer."""
    agent = launch()
    buffer = agent.buffer("b", 64)
    with pytest.raises(AgentRefusal, match="BAD_REQUEST"):
        agent.ask(request_code, payload, "something impossible")
    assert agent.read(buffer) == bytes(64)


def test_a_buffer_that_memory_cannot_hold_is_refused(launch: Launch) -> None:
    """The limit on memory gives NO_MEMORY, and the agent lives on."""
    agent = launch()
    agent.buffer("giant", AGENT_LIMITS.memory_bytes + 1)
    with pytest.raises(AgentRefusal, match="NO_MEMORY"):
        agent.flush()
    assert agent.read(agent.buffer("small", 4, number=1)) == bytes(4)


def test_an_agent_that_hangs_is_silent_and_then_gone(launch: Launch) -> None:
    """An endless loop ends with the time for an answer, and the process with it."""
    agent = launch(seconds=0.3)
    with pytest.raises(AgentSilent, match=r"in time while keysetup\(NULL, NULL, 3, 0, 0\)"):
        ask(agent, Naughty.HANG)
    assert agent.account == "it did not end by itself and was killed"


@pytest.mark.parametrize("what", [Naughty.HANG, Naughty.EXIT])
def test_the_call_that_hangs_or_exits_is_named_and_not_one_before(
    launch: Launch, what: Naughty
) -> None:
    """Answers that were ready get out first, although they are sent in bulk."""
    agent = launch(seconds=3)
    for label in ("one", "two", "three"):
        agent.buffer(label, 16)
    with pytest.raises((AgentSilent, AgentLost), match=rf"while keysetup\(NULL, NULL, {what:d},"):
        ask(agent, what, 5)


@pytest.mark.parametrize(
    ("what", "n", "account"),
    [
        (Naughty.EXIT, 7, "it exited with code 7"),
        (Naughty.EXIT, 0, "it exited with code 0"),
        (Naughty.KILL, 0, "it died of SIGKILL"),
        (Naughty.SAY_AND_EXIT, 0, "it exited with code 3; it printed: I am wrong"),
    ],
)
def test_an_agent_that_ends_is_told_with_how(
    launch: Launch, what: Naughty, n: int, account: str
) -> None:
    """Exit codes, signals and last words are in the message."""
    agent = launch()
    with pytest.raises(AgentLost) as caught:
        ask(agent, what, n)
    assert str(caught.value).endswith(account)


@pytest.mark.parametrize("lingers", [False, True])
def test_how_an_agent_ended_is_known_of_one_that_would_be_killed_at_the_end(
    naughty: Path, jail: Jail, lingers: bool
) -> None:
    """It had ended before: emulators and valgrind are killed without waiting while they live."""
    pipe = ProcessPipe([str(naughty)], naughty.parent, jail, AGENT_LIMITS, lingers=lingers)
    with pytest.raises(AgentLost, match="it exited with code 7"), Agent(pipe) as agent:
        ask(agent, Naughty.EXIT, 7)


def test_code_that_closes_the_pipes_is_stopped_with_the_name_of_the_call(launch: Launch) -> None:
    """The seal refuses it, and the agent goes on answering."""
    agent = launch()
    with pytest.raises(AgentFault, match="it called close, which a package may not"):
        ask(agent, Naughty.CLOSE_PIPES)
    assert agent.read(agent.buffer("b", 4)) == bytes(4)


def test_what_an_agent_prints_is_never_an_answer(launch: Launch) -> None:
    """Standard output goes to a sink; the conversation is not disturbed by it."""
    agent = launch()
    ask(agent, Naughty.PRINT, 100)
    assert agent.read(agent.buffer("b", 4)) == bytes(4)
    assert agent.close().startswith("it printed: a line that a careless author")


def test_a_flood_of_output_stops_at_the_limit(launch: Launch) -> None:
    """Printing without end fills the sink to its bound and no further."""
    agent = launch(limits=Limits(file_bytes=64 * 1024))
    with pytest.raises(AgentLost) as caught:
        ask(agent, Naughty.PRINT, 1_000_000)
    assert str(caught.value).endswith("it printed more than 64 KiB and was stopped")


def test_an_agent_that_computes_too_long_ends_by_a_signal_of_its_own(launch: Launch) -> None:
    """Nobody takes it for one that was killed from outside, and tries again."""
    agent = launch(limits=replace(AGENT_LIMITS, cpu_seconds=1))
    with pytest.raises(AgentLost) as caught:
        ask(agent, Naughty.HANG)
    said = "it used up its 1 seconds of processor time and was stopped (SIGXCPU)"
    assert str(caught.value).endswith(said)


def test_a_forged_frame_is_no_answer(launch: Launch) -> None:
    """Code that writes into the protocol's pipe is found out by the checksum."""
    agent = launch()
    with pytest.raises(AgentLost, match="no longer speaks the protocol"):
        ask(agent, Naughty.FORGE)


def test_a_program_that_is_no_agent_is_told_as_such(home: Path, jail: Jail) -> None:
    """`true` ends at once, and the message says so."""
    with pytest.raises(AgentLost, match="the agent ended"):
        Agent(ProcessPipe(["/usr/bin/true"], home, jail, AGENT_LIMITS, calls=Calls.TOOL))


def test_a_closed_pipe_touches_no_descriptor(naughty: Path, jail: Jail) -> None:
    """After closing, its descriptors may belong to another agent: they are left alone."""
    pipe = ProcessPipe([str(naughty)], naughty.parent, jail, AGENT_LIMITS)
    pipe.close()
    reading, writing = os.pipe()
    try:
        with pytest.raises(PipeClosed):
            pipe.write(b"meant for the dead")
        with pytest.raises(PipeClosed):
            pipe.read(1, 0.0)
    finally:
        os.close(reading)
        os.close(writing)


def test_agents_leave_no_descriptors_behind(launch: Launch) -> None:
    """Hundreds of launches in a campaign do not run out of descriptors."""
    launch().close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        launch().close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_stack_offset_and_padding_are_accepted(naughty: Path, jail: Jail) -> None:
    """Launches are placed randomly; every placement serves."""
    for offset, padding in ((0, 0), (1, 1), (4095, 2047), (70000, 0)):
        pipe = ProcessPipe(
            [str(naughty)], naughty.parent, jail, AGENT_LIMITS, stack_offset=offset,
            padding=padding, cpu=max(os.sched_getaffinity(0)),
        )  # fmt: skip
        with Agent(pipe) as agent:
            assert agent.read(agent.buffer("b", 4)) == bytes(4)


def test_the_weaker_jail_serves_agents_as_well(naughty: Path) -> None:
    """With limits only, the conversation is the same."""
    pipe = ProcessPipe([str(naughty)], naughty.parent, Jail(JailMode.LIMITS_ONLY), AGENT_LIMITS)
    with Agent(pipe) as agent:
        assert describe(agent).name == "Naughty"

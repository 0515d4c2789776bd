# SPDX-License-Identifier: MIT
"""Every board port, as far as it can stand on this machine, with a toy hash inside.

The port for a terminal is a program of this machine and shows that three functions are
enough; the others run in QEMU and simavr, and what they execute is counted.
"""

import os
from collections import deque
from enum import IntEnum
from itertools import pairwise

import pytest
from tests.unit.harness.boards import TERMINAL, Board, boards, only

from assay.execute.agent import Agent, AgentFault, AgentRefusal, Buffer
from assay.execute.counting import Counting, Counts, difference
from assay.execute.protocol import Request
from assay.execute.ranges import ranges_of
from assay.model import Runner


class Function(IntEnum):
    """The functions of the kind."""

    INIT = 0
    UPDATE = 1
    CLOSE = 2
    LONG_UPDATE = 3
    HANDLER = 4


class Odd(IntEnum):
    """Output sizes for which the toy's init misbehaves."""

    TRAP = 5
    DEEP = 7
    BEHIND = 9
    NOWHERE = 11
    LOWEST = 13  # and the bytes of stack, a multiple of 16


def step(total: int, byte: int) -> int:
    """Compute one step of the toy."""
    return (total * 31 + byte + 7) & 0xFFFFFFFF


def digest(data: bytes, ub: int, n: int, bits: int) -> bytes:
    """Compute what the toy shall: an independent description of it."""
    total = 1
    for byte in (*data, (ub & 0xFF) >> (8 - n)):
        total = step(total, byte)
    out = []
    for i in range(bits // 8):
        total = step(total, i)
        out.append(total >> 13 & 0xFF)
    return bytes(out)


COUNTED = [one for one in boards() if one is not TERMINAL]
TELLING_FAULTS = [one for one in boards() if one.runner is Runner.QEMU_SYSTEM]


def context(agent: Agent, label: str = "ctx") -> Buffer:
    """Make a buffer for a context, as large and aligned as the agent says."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    assert [reader.text() for _ in range(3)] == ["hash", "compact-hash", "mix"]
    return agent.buffer(label, reader.number(4), modulus=reader.number(4))


def test_a_board_says_what_it_is(board: Board) -> None:
    """Word size and byte order as in the catalogue; no pages, and one request at a time."""
    with board.launch() as agent:
        assert agent.little_endian
        assert (
            agent.pointer_bits
            == {"simavr": 16, "qemu-system": 32, "serial": 64}[board.target.runner]
        )
        assert (agent.page_bytes, agent.in_flight_bytes) == (0, 0)
        assert agent.largest_payload >= 256


def test_digests_are_those_of_any_machine(board: Board) -> None:
    """Whole, in pieces, cloned, with partial bytes: as computed here; data in many frames."""
    with board.launch() as agent:
        data = os.urandom(1000)
        source, out = agent.buffer("data", 1000), agent.buffer("out", 64, modulus=1)
        first, second = context(agent, "first"), context(agent, "second")
        agent.write(source, data)
        assert data == agent.read(source)
        for cut, n, bits in ((0, 0, 8), (1, 1, 256), (500, 5, 384), (999, 7, 512)):
            agent.call(Function.INIT, (first,), (bits,))
            agent.call(Function.UPDATE, (first, source), (cut,))
            agent.copy_bytes(second, first)
            agent.call(Function.UPDATE, (second, source.at(cut)), (1000 - cut,))
            agent.fill(out, 0xEE)
            agent.call(Function.CLOSE, (second, out), (0x1A5, n))
            expected = digest(data, 0x1A5, n, bits)
            assert expected + b"\xee" * (64 - len(expected)) == agent.read(out)
            assert agent.damage(out) == (0, 0)


def test_writing_behind_a_buffer_is_seen(board: Board) -> None:
    """There are no guard pages; the pattern behind the buffer tells."""
    with board.launch() as agent:
        ctx = context(agent)
        agent.call(Function.INIT, (ctx,), (Odd.BEHIND,))
        assert agent.damage(ctx) == (1, ctx.size_bytes)


def test_memory_is_given_back(board: Board) -> None:
    """Buffers come and go in any order; too much is refused, and then there is still room."""
    with board.launch() as agent:
        for turn in range(6):
            agent.forget_buffers()
            for number in (2, 0, 1):
                size = 64 + (turn * 5 + number * 3) % 7 * 100
                made = agent.buffer("some", size, number=number, modulus=4, residue=turn % 4)
                agent.fill(made, turn + 1)
                assert bytes([turn + 1]) * size == agent.read(made)
                assert agent.damage(made) == (0, 0)
        agent.buffer("too much", 1 << 24, number=3)
        with pytest.raises(AgentRefusal, match="NO_MEMORY"):
            agent.flush()
        assert bytes(100) == agent.read(agent.buffer("small", 100, number=3))


def test_what_a_board_cannot_do_is_refused(board: Board) -> None:
    """Updates longer than memory, and handlers; the agent lives on."""
    with board.launch() as agent:
        ctx = context(agent)
        agent.call(Function.INIT, (ctx,), (256,))
        agent.call(Function.LONG_UPDATE, (ctx,), (10_000, 0))
        with pytest.raises(AgentRefusal):
            agent.flush()
        agent.call(Function.INIT, (ctx,), (256,))
        agent.flush()


def test_the_stack_of_a_call_is_measured(board: Board) -> None:
    """A function that writes 300 bytes of stack is seen to."""
    with board.launch() as agent:
        ctx = context(agent)
        assert agent.paint(600) == 600
        depths = {}
        for bits in (Odd.DEEP, 256):
            agent.call(Function.INIT, (ctx,), (bits,))
            depths[bits] = agent.depth()
        assert 300 <= depths[Odd.DEEP] - depths[256] <= 400


@only(COUNTED)
def test_a_call_that_needs_more_stack_than_there_is_is_refused(board: Board) -> None:
    """It would spoil buffers and look wrong; a little less is fine, and the agent lives on."""
    with board.launch() as agent:
        ctx = context(agent)
        room = agent.paint(1 << 24) & ~15
        agent.paint(0)

        def need(size: int) -> None:
            agent.call(Function.INIT, (ctx,), (Odd.LOWEST + size,))
            agent.flush()

        need(room - 768)
        with pytest.raises(AgentRefusal, match="NO_MEMORY"):
            deque(map(need, range(room - 752, room + 512, 16)), maxlen=0)
        agent.call(Function.INIT, (ctx,), (256,))
        agent.flush()


@only(TELLING_FAULTS)
def test_faults_are_told_and_the_agent_lives_on(board: Board) -> None:
    """Of ports that catch them: illegal instructions, and memory that is not there.

    Where the processor says so, with kind and address.
    """
    says = board.target.architecture != "cortex-m0"
    with board.launch() as agent:
        ctx = context(agent)
        for _ in range(3):
            agent.call(Function.INIT, (ctx,), (Odd.TRAP,))
            trap = r"SIGILL in init\(ctx, 5\)" if says else r"SIGSEGV in init\(ctx, 5\)"
            with pytest.raises(AgentFault, match=trap):
                agent.flush()
            agent.call(Function.INIT, (ctx,), (Odd.NOWHERE,))
            where = "at address 0x70000000" if says else "at address 0x0"
            with pytest.raises(AgentFault, match=rf"SIGSEGV in init\(ctx, 11\) {where}$"):
                agent.flush()
            agent.call(Function.INIT, (ctx,), (256,))
            agent.flush()


def test_a_flood_of_bytes_is_neither_lost_nor_fatal(board: Board) -> None:
    """Noise before a frame is skipped, whatever it looks like."""
    with board.launch() as agent:
        made = agent.buffer("some", 8)
        agent.flush()
        agent._pipe.write(b"A ASAS"[:3] + bytes(range(65)) * 3)
        assert bytes(8) == agent.read(made)


def counts_of(board: Board, lengths: tuple[int, ...]) -> list[Counts]:
    """Count updates of these lengths in one launch, each in a request of its own."""
    with (
        Counting(ranges_of(board.agent, [board.package])) as counting,
        board.launch(counting) as agent,
    ):
        ctx, data = context(agent), agent.buffer("data", max(lengths))
        agent.call(Function.INIT, (ctx,), (256,))
        agent.flush()
        found = []
        for length in lengths:
            before = counting.read()
            agent.call(Function.UPDATE, (ctx, data), (length,))
            agent.flush()
            found.append(difference(counting.read(), before))
        return found


@only(COUNTED)
def test_counts_are_exact_and_repeatable(board: Board) -> None:
    """Every byte costs the same number of instructions (and cycles), in every launch."""
    first = counts_of(board, (0, 100, 200, 300))
    again = counts_of(board, (0, 100, 200, 300))
    for one, other in zip(first, again, strict=True):
        assert (one.functions, one.runtime) == (other.functions, other.runtime)
    steps = [later.total - sooner.total for sooner, later in pairwise(first[1:])]
    assert steps[0] == steps[1]
    assert steps[0].instructions >= 500
    assert steps[0].instructions % 100 == 0
    assert {"mix", "mix_init", "mix_close"} <= set(first[0].functions)
    assert first[3].functions["mix_close"].instructions == 0
    if board.target.runner is Runner.SIMAVR:
        assert steps[0].cycles >= steps[0].instructions
        assert first[3].lowest_stack is not None

# SPDX-License-Identifier: MIT
"""One agent with a toy hash on every target: the same protocol, faults, stack and results.

The targets that have no C library run the harness's own start, system calls and
arithmetic (hal/linux.c, runtime/); the others the static library of their cross compiler.
"""

import os
import time
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

import pytest
from tests.unit.harness.conftest import open_toy

from assay.compile.parts import HOSTED
from assay.execute.agent import Agent, AgentFault, AgentRefusal, Buffer
from assay.execute.opening import Start
from assay.execute.places import written
from assay.execute.protocol import CHECKSUM, HEADER, Request, Status, decode_header, encode, verify
from assay.model import Runtime, Target
from assay.timing.agent import class_ticks
from assay.timing.clock import find_counters

Launch = Callable[..., Agent]
MASK = 2**64 - 1
DEEP_BYTES = 1000  # of stack that toy_init(1) writes
FRAMES_BYTES = 700  # more than two functions' frames take anywhere


class Function(IntEnum):
    """The functions of the kind."""

    INIT = 0
    UPDATE = 1
    CLOSE = 2
    LONG_UPDATE = 3
    HANDLER = 4
    THREADS = 5


NOT_THERE = ((Function.THREADS, Runtime.FREESTANDING), (Function.HANDLER, Runtime.WINDOWS))


class Odd(IntEnum):
    """Output sizes for which the toy's init misbehaves."""

    DEEP = 1
    WRITE_AT_64 = 3
    TRAP = 5


def digest(data: bytes, ub: int, n: int, bits: int) -> bytes:
    """Compute what the toy shall: an independent description of it."""
    state = 0xCBF29CE484222325
    for byte in (*data, (ub & 0xFF) >> (8 - n)):
        state = (state ^ byte) * 0x100000001B3 & MASK
    return bytes(
        ((state >> i % 64) % (251 + i) + state // (i + 3) % 5) & 0xFF for i in range(bits // 8)
    )


def context(agent: Agent, label: str = "ctx") -> Buffer:
    """Make a buffer for a context, as large and aligned as the agent says."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    assert [reader.text() for _ in range(3)] == ["hash", "compact-hash", "toy"]
    return agent.buffer(label, reader.number(4), modulus=reader.number(4))


def test_the_agent_says_what_the_catalogue_does(target: Target, launch: Launch) -> None:
    """Word size and byte order are those of the target; there are guard pages."""
    agent = launch()
    assert (target.bits, target.endian == "little") == (agent.pointer_bits, agent.little_endian)
    assert agent.page_bytes >= 4096
    assert agent.in_flight_bytes > 0
    assert context(agent).size_bytes in (12, 16)


def test_digests_are_the_same_everywhere(launch: Launch) -> None:
    """Whole, in pieces, cloned, with partial bytes and all sizes: as computed here."""
    agent = launch()
    data = os.urandom(300)
    source, out = agent.buffer("data", 300, modulus=1), agent.buffer("out", 64, modulus=1)
    first, second = context(agent, "first"), context(agent, "second")
    agent.write(source, data)
    for cut, n, bits in ((0, 0, 8), (1, 1, 256), (150, 5, 384), (299, 7, 512), (300, 3, 224)):
        agent.call(Function.INIT, (first,), (bits,))
        agent.call(Function.UPDATE, (first, source), (cut,))
        agent.copy_bytes(second, first)
        agent.call(Function.UPDATE, (second, source.at(cut)), (300 - cut,))
        agent.fill(out, 0xEE)
        agent.call(Function.CLOSE, (second, out), (0x1A5, n))
        expected = digest(data, 0x1A5, n, bits)
        assert expected + b"\xee" * (64 - len(expected)) == agent.read(out)


def test_faults_are_told_and_the_agent_lives_on(launch: Launch) -> None:
    """Guard pages, null pointers and illegal instructions: told, and more than once."""
    agent = launch()
    ctx, out = context(agent), agent.buffer("out", 4, modulus=1)
    for _ in range(2):
        agent.call(Function.INIT, (ctx,), (64,))
        agent.call(Function.CLOSE, (ctx, out), (0, 0))
        with pytest.raises(AgentFault, match=r"SIGSEGV in close\(ctx, out, 0, 0\) at byte 0 beh"):
            agent.flush()
        agent.call(Function.INIT, (ctx,), (Odd.WRITE_AT_64,))
        with pytest.raises(AgentFault, match=r"SIGSEGV in init\(ctx, 3\) at address 0x"):
            agent.flush()
        agent.call(Function.INIT, (ctx,), (Odd.TRAP,))
        with pytest.raises(AgentFault, match=r"SIG(ILL|TRAP|ABRT|FPE) in init\(ctx, 5\)"):
            agent.flush()
    assert agent.damage(ctx) == (0, 0)


def test_the_stack_of_a_call_is_measured(launch: Launch) -> None:
    """A function that writes 1000 bytes of stack is seen to; one that does nothing is not."""
    agent = launch()
    ctx = context(agent)
    assert agent.paint(20_000) == 20_000

    def depth(bits: int) -> int:
        agent.call(Function.INIT, (ctx,), (bits,))
        return agent.depth()

    depth(Odd.DEEP)  # the first call may go through a dynamic linker
    agent.nothing()
    nothing = agent.depth()
    assert 0 < nothing < FRAMES_BYTES
    assert DEEP_BYTES <= depth(Odd.DEEP) - nothing <= DEEP_BYTES + FRAMES_BYTES
    assert depth(256) - nothing <= FRAMES_BYTES
    assert depth(Odd.DEEP) == depth(Odd.DEEP)
    assert agent.paint(100) == 100
    assert 50 <= depth(Odd.DEEP) <= 100  # frames have gaps


def test_an_unpainted_stack_is_not_measured(launch: Launch) -> None:
    """Before any painting, and after it was ended."""
    agent = launch()
    with pytest.raises(AgentRefusal):
        agent.depth()
    agent.paint(1000)
    agent.nothing()
    assert agent.depth() > 0
    agent.paint(0)
    with pytest.raises(AgentRefusal):
        agent.depth()


def test_hashes_that_interrupt_each_other_agree(target: Target, launch: Launch) -> None:
    """In a handler but on Windows, in a thread where there is a C library; and none is wrong."""
    agent = launch(sealed=False)
    ctx, data, other = context(agent), agent.buffer("data", 900), agent.buffer("other", 300)
    agent.fill(data, 0x17)
    for function in (Function.HANDLER, Function.THREADS):
        agent.call(Function.INIT, (ctx,), (256,))
        asked = ((ctx, data, None, other), (900, 300, 512))
        if (function, target.runtime) in NOT_THERE:
            with pytest.raises(AgentRefusal, match="BAD_REQUEST"):
                agent.answer(function, *asked)
            continue
        reader = agent.answer(function, *asked)
        rounds, wrong, other_rounds, other_wrong = (reader.number(4) for _ in range(4))
        assert rounds > 0
        assert other_rounds > 0
        assert (wrong, other_wrong) == (0, 0)
        out = agent.buffer("out", 32)
        agent.call(Function.CLOSE, (ctx, out), (0, 0))
        assert digest(b"\x17" * 900, 0, 0, 256) == agent.read(out)


def test_a_fault_beside_another_hash_ends_neither_agent_nor_clock(
    target: Target, launch: Launch
) -> None:
    """A handler that faults is told; afterwards nothing ticks any more."""
    if target.runtime is Runtime.WINDOWS:
        pytest.skip("nothing interrupts a thread there")
    agent = launch(sealed=False)
    ctx, data = context(agent), agent.buffer("data", 300)
    for _ in range(2):
        with pytest.raises(AgentFault):
            agent.answer(Function.HANDLER, (ctx, data, None, data), (300, 301 + 8192))
    agent.call(Function.INIT, (ctx,), (256,))
    agent.flush()


def test_an_update_may_be_longer_than_memory(launch: Launch) -> None:
    """Zeros come from the system; what a 32-bit machine cannot address is refused."""
    agent = launch()
    ctx, out = context(agent), agent.buffer("out", 32)
    agent.call(Function.INIT, (ctx,), (256,))
    agent.call(Function.LONG_UPDATE, (ctx,), (100_000, 0))
    agent.call(Function.CLOSE, (ctx, out), (0, 0))
    assert digest(bytes(100_000), 0, 0, 256) == agent.read(out)
    if agent.pointer_bits == 32:
        agent.call(Function.LONG_UPDATE, (ctx,), (0, 1))
        with pytest.raises(AgentRefusal, match="BAD_REQUEST"):
            agent.flush()


def test_time_is_counted_where_it_means_something(target: Target, launch: Launch) -> None:
    """A freestanding agent has no counters; the others have at least the system's clock."""
    counters = find_counters(launch())
    assert any(one.usable for one in counters) == (target.runtime in HOSTED)


def test_classes_of_inputs_are_timed_in_the_order_that_is_given(
    target: Target, launch: Launch
) -> None:
    """Each round has its own message, as the digest of the last one shows; none is skipped."""
    agent = launch()
    ctx, source, out = context(agent), agent.buffer("data", 8), agent.buffer("out", 32)
    calls = [
        (Request.CALL, written(*one))
        for one in (
            (Function.INIT, (ctx,), (256,)),
            (Function.UPDATE, (ctx, source), (8,)),
            (Function.CLOSE, (ctx, out), (0, 0)),
        )
    ]
    inputs = [bytes([number] * 8) for number in range(3)]
    place = bytes([source.number]) + bytes(4)
    classes = [([(Request.WRITE, place + each)], calls) for each in inputs]
    if target.runtime not in HOSTED:
        with pytest.raises(AgentRefusal, match="BAD_REQUEST"):
            class_ticks(agent, classes, b"\0", 60)
        return
    for order in (bytes((0, 2, 1, 1)), bytes((1, 0, 2))):
        ticks = class_ticks(agent, classes, order, 60)
        assert len(ticks) == len(order)
        assert all(0 <= each < 2**62 for each in ticks)
        assert digest(inputs[order[-1]], 0, 0, 256) == agent.read(out)
    with pytest.raises(AgentRefusal, match="BAD_REQUEST"):
        class_ticks(agent, classes, bytes((0, 3)), 60)


def test_damaged_requests_are_not_executed(toy_agent: Start, workplace: Path) -> None:
    """Garbage is skipped, each damaged frame is answered, and the next good one is done."""
    pipe = open_toy(toy_agent, workplace)
    buffer = encode(Request.BUFFER, 1, bytes([0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]))
    write = encode(Request.WRITE, 2, bytes(5) + b"\x11" * 8)
    read = encode(Request.READ, 9, bytes(5) + bytes([8, 0, 0, 0]))

    def answers(count: int) -> list[tuple[int, int, bytes]]:
        found = []
        for _ in range(count):
            header = pipe.read(HEADER.size, time.monotonic() + 60)
            status, sequence, length = decode_header(header)
            rest = pipe.read(length + CHECKSUM.size, time.monotonic() + 60)
            found.append((status, sequence, verify(header, rest)))
        return found

    try:
        pipe.write(b"noise A AAS"[:-2] + buffer)
        assert answers(1) == [(Status.OK, 1, b"")]
        for place in (HEADER.size + 6, len(write) - 1, 2, 4):
            damaged = bytearray(write)
            damaged[place] ^= 0x40
            pipe.write(bytes(damaged))
            (answer,) = answers(1)
            assert answer[0] == Status.BAD_FRAME
            pipe.write(read)
            assert answers(1) == [(Status.OK, 9, bytes(8))]
        pipe.write(HEADER.pack(b"AS", Request.WRITE, 0, 3, 2**31))
        assert answers(1) == [(Status.BAD_FRAME, 3, b"")]
        pipe.write(write + read)
        assert answers(2) == [(Status.OK, 2, b""), (Status.OK, 9, b"\x11" * 8)]
    finally:
        pipe.close()

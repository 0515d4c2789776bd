# SPDX-License-Identifier: MIT
"""Every board port, as far as it can stand on this machine, with a toy hash inside.

The port for a terminal is a program of this machine and shows that three functions are
enough; the others run in QEMU and simavr, and what they execute is counted.
"""

import os
import pty
import shutil
import subprocess
import tempfile
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from pathlib import Path

import pytest

from assay.compile.parts import (
    HARNESS,
    compile_options,
    linker_scripts,
    script_options,
    sources,
)
from assay.execute.agent import Agent, AgentFault, AgentRefusal, Buffer
from assay.execute.counting import Counting, Counts, difference
from assay.execute.emulator import start_of
from assay.execute.jail import Jail, JailMode, Limits
from assay.execute.pipe import PipeClosed, PipeTimeout, ProcessPipe
from assay.execute.protocol import Request
from assay.execute.ranges import ranges_of
from assay.model import Runner, Runtime, Target
from assay.targets.catalogue import catalogue
from assay.targets.installed import look_for

STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
LIMITS = Limits(memory_bytes=64 << 30)  # qemu reserves address space for its guest
PATIENCE = 60.0
HEADER = r"""
#ifndef mix_h__
#define mix_h__
#include <stddef.h>
typedef struct { unsigned long sum; unsigned bits; unsigned char room[20]; } mix_context;
void mix_init(mix_context *cc, unsigned out_size);
void mix(mix_context *cc, const void *data, size_t len);
void mix_close(mix_context *cc, unsigned ub, unsigned n, void *dst);
#endif
"""
SOURCE = r"""
#include "mix.h"
#include <string.h>
#define LOW 0xffffffffUL
static unsigned long step(unsigned long sum, unsigned byte)
{
    return (sum * 31UL + byte + 7UL) & LOW;
}
static void deep(unsigned n)
{
    volatile unsigned char below[300];
    unsigned i;
    for (i = 0; i < sizeof below; i++)
        below[i] = (unsigned char)(i + n);
}
void mix_init(mix_context *cc, unsigned out_size)
{
    if (out_size == 5)
        __builtin_trap();
    if (out_size == 7)
        deep(out_size);
    if (out_size == 9)
        *(volatile unsigned char *)(cc + 1) ^= 0xff;
    if (out_size == 11)
        *(volatile unsigned char *)(size_t)0x70000000UL = 1;
    cc->sum = 1;
    cc->bits = out_size;
}
void mix(mix_context *cc, const void *data, size_t len)
{
    const unsigned char *p = data;
    while (len--)
        cc->sum = step(cc->sum, *p++);
}
void mix_close(mix_context *cc, unsigned ub, unsigned n, void *dst)
{
    unsigned char *out = dst;
    unsigned i;
    cc->sum = step(cc->sum, (ub & 0xffu) >> (8 - n));
    for (i = 0; i < cc->bits / 8; i++) {
        cc->sum = step(cc->sum, i);
        out[i] = (unsigned char)(cc->sum >> 13);
    }
}
"""
TERMINAL = Target(
    name="terminal",
    title="the port for a terminal",
    architecture="any",
    bits=64,
    endian="little",
    abi="",
    runner=Runner.SERIAL,
    runtime=Runtime.BOARD,
    board="pty",
)


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


def boards() -> list[Target]:
    """List the targets that have a board port and stand on this machine."""
    runners = (Runner.QEMU_SYSTEM, Runner.SIMAVR)
    return [TERMINAL, *(one for one in catalogue() if one.runner in runners)]


def only(chosen: list[Target]) -> pytest.MarkDecorator:
    """Run a test on these boards only."""
    names = [one.name for one in chosen]
    return pytest.mark.parametrize("board", chosen, indirect=True, ids=names)


COUNTED = [one for one in boards() if one is not TERMINAL]
TELLING_FAULTS = [one for one in boards() if one.runner is Runner.QEMU_SYSTEM]


@dataclass(frozen=True)
class Board:
    """A target and the agent that was built for it."""

    target: Target
    agent: Path
    package: Path

    @contextmanager
    def launch(self, counting: Counting | None = None) -> Iterator[Agent]:
        """Launch the agent, outside of the jail: the code is ours."""
        if self.target is TERMINAL:
            pipe = ProcessPipe([str(self.agent)], self.agent.parent, WEAK, LIMITS)
        else:
            with Counting(()) as unused:
                needed = unused if self.target.runner is Runner.SIMAVR else None
                start = start_of(self.target, self.agent, counting or needed)
                pipe = ProcessPipe(
                    start.words, self.agent.parent, WEAK, LIMITS, inherited=start.inherited,
                    standard_streams=start.standard_streams, lingers=True,
                )  # fmt: skip
        with Agent(pipe, PATIENCE) as agent:
            yield agent


WEAK = Jail(JailMode.LIMITS_ONLY)


@pytest.fixture(scope="module", params=boards(), ids=lambda one: one.name)
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    """Build the agent for a board; its port and hal have no warning."""
    target: Target = request.param
    found = look_for(target)
    if not found.ok:
        pytest.skip(found.reason)
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    folder.chmod(0o755)
    (folder / "mix.h").write_text(HEADER)
    (folder / "mix.c").write_text(SOURCE)
    package = [target.compiler, "-Os", *target.options, "-I."]
    adapter = ["-DASSAY_HASH=mix", '-DASSAY_HEADER="mix.h"', str(HARNESS / "adapters")]
    run([*package, "-c", "mix.c"], folder)
    run([*package, *adapter[:2], "-c", f"{adapter[2]}/compact-hash.c"], folder)
    compiler = [target.compiler, *compile_options((), target), "-c"]
    parts = [str(HARNESS / source) for source in sources(target, "hash")]
    port = [part for part in parts if "/boards/" in part or part.endswith("/hal/board.c")]
    run([*compiler, *STRICT, *port], folder)
    run([*compiler, *(part for part in parts if part not in port)], folder)
    objects = sorted(path.name for path in folder.glob("*.o"))
    scripts = script_options(linker_scripts(target))
    link = [target.compiler, *target.options, *scripts, *objects, "-o", "agent", *target.link]
    run(link, folder)
    yield Board(target, folder / "agent", folder / "mix.o")
    shutil.rmtree(folder)


def run(command: list[str], folder: Path) -> None:
    """Run a compiler."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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


class TerminalPipe:
    """The bench's end of a terminal, as a serial line will be."""

    def __init__(self, path: str) -> None:
        """Open the terminal, raw."""
        self._line = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line, termios.TCSANOW)

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        while data:
            data = data[os.write(self._line, data) :]

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes by `deadline`."""
        got = b""
        while len(got) < length:
            if time.monotonic() > deadline:
                raise PipeTimeout
            part = os.read(self._line, length - len(got))
            if not part:
                raise PipeClosed
            got += part
        return got

    def close(self) -> str:
        """Leave."""
        os.close(self._line)
        return ""


@only([TERMINAL])
def test_an_agent_can_be_reached_over_a_terminal(board: Board) -> None:
    """The agent makes a terminal and names it; the bench comes, goes and comes again."""
    command = [str(board.agent), "pty"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        path = process.stdout.readline().strip()
        for _ in range(2):
            with Agent(TerminalPipe(path), PATIENCE) as agent:
                made = agent.buffer("all", 256)
                agent.write(made, bytes(range(256)))
                assert bytes(range(256)) == agent.read(made)
        process.kill()


@only([TERMINAL])
def test_an_agent_can_be_given_a_terminal(board: Board) -> None:
    """The other way round: the bench has the terminal, the agent opens it."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # a terminal echoes what arrives before the agent has opened it
    with subprocess.Popen([str(board.agent), os.ttyname(theirs)]) as process:
        pipe = TerminalPipe.__new__(TerminalPipe)
        pipe._line = ours
        with Agent(pipe, PATIENCE) as agent:
            assert agent.largest_payload == 1 << 16
        os.close(theirs)
        process.kill()

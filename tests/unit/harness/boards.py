# SPDX-License-Identifier: MIT
"""Boards with a toy hash inside, as far as their ports can stand on this machine."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.compile.parts import (
    HARNESS,
    compile_options,
    linker_scripts,
    script_options,
    sources,
)
from assay.execute.agent import Agent
from assay.execute.counting import Counting
from assay.execute.jail import Jail, JailMode, Limits
from assay.execute.opening import start_of
from assay.execute.pipe import ProcessPipe
from assay.model import Runner, Runtime, Target
from assay.targets.catalogue import catalogue, look_for

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
static void lowest(unsigned n)
{
    volatile unsigned char below[n];
    unsigned i;
    for (i = 0; i < 16; i++)
        below[i] = 1;
}
void mix_init(mix_context *cc, unsigned out_size)
{
    if ((out_size & 15) == 13)
        lowest(out_size & ~15u);
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


def boards() -> list[Target]:
    """List the targets that have a board port and stand on this machine."""
    runners = (Runner.QEMU_SYSTEM, Runner.SIMAVR)
    return [TERMINAL, *(one for one in catalogue() if one.runner in runners)]


def only(chosen: list[Target]) -> pytest.MarkDecorator:
    """Run a test on these boards only."""
    names = [one.name for one in chosen]
    return pytest.mark.parametrize("board", chosen, indirect=True, ids=names)


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

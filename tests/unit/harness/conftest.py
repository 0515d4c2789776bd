# SPDX-License-Identifier: MIT
"""A toy hash, and agents that contain it, for every target whose tools are here."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.harness.boards import board

from assay.compile.parts import HARNESS, compile_options, link_command, runtime_headers, sources
from assay.execute.agent import Agent
from assay.execute.jail import Jail, JailMode, Limits
from assay.execute.opening import Start, start_of
from assay.execute.pipe import Guise, ProcessPipe
from assay.model import Compiler, Runner, Target
from assay.targets.catalogue import catalogue, look_for
from assay.toolchain.survey import examine

__all__ = ["board"]

LIMITS = Limits(memory_bytes=16 << 30)  # qemu reserves address space for its guest
PROCESSES = (Runner.NATIVE, Runner.QEMU_USER, Runner.WINE)
TOY_HEADER = r"""
#ifndef toy_h__
#define toy_h__
#include <stddef.h>
typedef struct {
    unsigned long long state;
    unsigned bits;
} toy_context;
void toy_init(toy_context *cc, unsigned out_size);
void toy(toy_context *cc, const void *data, size_t len);
void toy_close(toy_context *cc, unsigned ub, unsigned n, void *dst);
#endif
"""
# FNV-1a with 64 bits; the digest needs division and shifts of 64 bits, which strict
# processors do in functions. What toy_init does for odd sizes stands in test_foreign_agents.py.
TOY = r"""
#include "toy.h"
#include <string.h>
static unsigned char deep(unsigned n)
{
    volatile unsigned char room[1000];
    unsigned i;
    for (i = 0; i < sizeof room; i++)
        room[i] = (unsigned char)(i + n);
    return room[n];
}
void toy_init(toy_context *cc, unsigned out_size)
{
    memset(cc, 0, sizeof *cc);
    cc->state = 0xcbf29ce484222325ull;
    cc->bits = out_size;
    if (out_size == 1)
        cc->state += deep(7);
    if (out_size == 3)
        *(volatile char *)(out_size + 61) = 1;
    if (out_size == 5)
#ifdef __sparc__ /* qemu ends at the trap that is usual there */
        __asm__ volatile(".word 0");
#else
        __builtin_trap();
#endif
}
void toy(toy_context *cc, const void *data, size_t len)
{
    const unsigned char *p = data;
    unsigned long long state = cc->state;
    while (len--)
        state = (state ^ *p++) * 0x100000001b3ull;
    cc->state = state;
}
void toy_close(toy_context *cc, unsigned ub, unsigned n, void *dst)
{
    unsigned char last = (unsigned char)((ub & 0xff) >> (8 - n)), *out = dst;
    unsigned i;
    toy(cc, &last, 1);
    for (i = 0; i < cc->bits / 8; i++)
        out[i] = (unsigned char)((cc->state >> i % 64) % (251 + i) + cc->state / (i + 3) % 5);
}
"""


def targets() -> list[Target]:
    """List the targets that are processes here: this machine, under qemu-user, under wine."""
    return [one for one in catalogue() if one.runner in PROCESSES]


@pytest.fixture(scope="module", params=targets(), ids=lambda one: one.name)
def target(request: pytest.FixtureRequest) -> Target:
    """Give a target whose tools are installed."""
    one: Target = request.param
    found = look_for(one)
    if not found.ok:
        pytest.skip(found.reason)
    return one


@pytest.fixture(scope="module")
def gcc() -> Compiler:
    """Give this machine's gcc, or skip."""
    found = examine("gcc")
    if not isinstance(found, Compiler):
        pytest.skip(f"no gcc: {found}")
    return found


@pytest.fixture(scope="module")
def workplace(target: Target) -> Iterator[Path]:
    """Give a folder for the agents of a target."""
    del target  # another one for each
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def toy_agent(target: Target, gcc: Compiler, workplace: Path) -> Start:
    """Build the agent with the toy hash; say how it is started."""
    return build_toy(target, gcc, workplace, TOY)


def build_toy(target: Target, gcc: Compiler, workplace: Path, text: str) -> Start:
    """Build the agent with a toy hash; say how it is started."""
    (workplace / "toy.h").write_text(TOY_HEADER)
    (workplace / "toy.c").write_text(text)
    compiler = "gcc" if target.is_native else target.compiler
    package = [compiler, "-O2", *target.options, *runtime_headers(target), "-I."]
    adapter = ["-DASSAY_HASH=toy", '-DASSAY_HEADER="toy.h"', f"-I{HARNESS}"]
    run([*package, "-c", "toy.c"], workplace)
    run([*package, *adapter, "-c", str(HARNESS / "adapters/compact-hash.c")], workplace)
    run([compiler, *compile_options((), target), "-c", *harness(target, "hash")], workplace)
    objects = [path.name for path in workplace.glob("*.o")]
    run([*link_command(gcc, (), target), *objects, "-o", "agent"], workplace)
    return start_of(target, workplace / "agent")


def harness(target: Target, kind: str) -> list[str]:
    """Name the harness's sources for a target."""
    return [str(HARNESS / source) for source in sources(target, kind)]


def run(command: list[str], folder: Path) -> None:
    """Run a compiler; its warnings about the harness are mistakes."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def open_toy(toy: Start, workplace: Path, *, sealed: bool = True) -> ProcessPipe:
    """Launch the toy's agent outside of the jail: the code is ours."""
    streams, jail = toy.standard_streams, Jail(JailMode.LIMITS_ONLY)
    guise = Guise.SEALED if sealed else Guise.OPEN
    return ProcessPipe(toy.words, workplace, jail, LIMITS, standard_streams=streams, guise=guise)


@pytest.fixture
def launch(toy_agent: Start, workplace: Path) -> Iterator[Callable[[], Agent]]:
    """Give a function that launches the toy's agent."""
    living: list[Agent] = []

    def start(*, sealed: bool = True) -> Agent:
        living.append(Agent(open_toy(toy_agent, workplace, sealed=sealed), 60.0))
        return living[-1]

    yield start
    for agent in living:
        agent.close()

# SPDX-License-Identifier: MIT
"""A folder that jailed processes can see, and an agent whose functions misbehave on demand."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.caches import new_cache
from tests.unit.execute.lines import agents, board

from assay.compile.harness import harness_objects
from assay.compile.parts import HARNESS
from assay.execute.agent import Agent
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import AGENT_LIMITS, Jail, Limits, strongest_jail
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import hand_over, staged_folder
from assay.model import Compiler
from assay.targets.catalogue import native
from assay.toolchain.survey import examine

__all__ = ["agents", "board"]

RunShell = Callable[..., Ended]

# What keysetup(ctx, key, what, n, m) does. The numbers stand in test_real_agents.py, too.
SUBJECT = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "subject/stream.h"

static uint32_t sizes(uint32_t i) { return 128 + 128 * i; }
static void init(void) { }
static volatile uint8_t sink;

static void forge(void)
{
    static const uint8_t frame[] = "AS\0\0....\4\0\0\0good....";
    int fd;
    for (fd = 3; fd < 64; fd++)
        if (write(fd, frame, 20) != 20) continue;
    _exit(0);
}

/* What code can learn of how it was started: arguments, the processors that it may use, and
 * the strings around the environment, where its own name and arguments were. */
static void see(volatile uint8_t *to, uint32_t n)
{
    cpu_set_t set;
    const char *before = environ[0] - 80, *p;
    char **variable;
    uint32_t i = 0;

    memset(&set, 0, sizeof set);
    to[i++] = (uint8_t)(1 + sched_getaffinity(0, sizeof set, &set));
    to[i++] = (uint8_t)CPU_COUNT(&set);
    for (variable = environ - 6; variable < environ; variable++)
        to[i++] = (uint8_t)((uintptr_t)*variable > 15); /* argc, and then the arguments */
    for (p = before; p < environ[0]; p++)
        to[i++] = (uint8_t)*p;
    for (variable = environ; *variable; variable++)
        for (p = *variable; *p && i < n; p++)
            to[i++] = (uint8_t)*p;
}

static void keysetup(void *ctx, const uint8_t *key, uint32_t what, uint32_t n, uint32_t m)
{
    volatile uint8_t *c = ctx;
    uint32_t i;
    switch (what) {
    case 0: for (i = 0; i < n; i++) c[i] = key[i]; break;
    case 1: sink = key[(int32_t)n]; break;
    case 2: c[(int32_t)n] = (uint8_t)m; break;
    case 3: for (;;) { }
    case 4: exit((int)n);
    case 5: for (i = 0; i < n; i++) puts("a line that a careless author left in the code"); break;
    case 6: raise((int)n); break;
    case 7: forge(); break;
    case 8: raise(SIGKILL); break;
    case 9: puts("I am wrong"); fflush(stdout); exit(3);
    case 11: see(c, n); break;
    case 10: for (i = 3; i < 64; i++) close((int)i); for (;;) pause();
    }
}

static void ivsetup(void *ctx, const uint8_t *iv) { (void)ctx; (void)iv; }
static void mix(void *ctx, const uint8_t *in, uint8_t *out, uint32_t n)
{
    (void)ctx;
    while (n--) *out++ = (uint8_t)(*in++ ^ 0x5a);
}
static void packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                   const uint8_t *in, uint8_t *out, uint32_t n, uint8_t *mac)
{
    (void)iv; (void)aad; (void)aadlen; (void)mac;
    mix(ctx, in, out, n);
}

static const struct assay_stream_subject subject = {
    .api = "ecrypt-sync", .name = "Naughty", .profile = NULL, .context_bytes = 32,
    .block_bytes = 4, .buffer_bytes = 4096, .max_key_bits = 128, .max_iv_bits = 128,
    .key_bits = sizes, .iv_bits = sizes, .init = init, .keysetup = keysetup, .ivsetup = ivsetup,
    .crypt_bytes = {mix, mix}, .crypt_blocks = {mix, mix},
    .crypt_packet = {packet, packet},
};
const struct assay_stream_subject *assay_stream_subject(void) { return &subject; }
"""


@pytest.fixture(scope="session")
def gcc() -> Compiler:
    """Give gcc, or skip."""
    found = examine("gcc")
    if not isinstance(found, Compiler):
        pytest.skip(f"no gcc: {found}")
    return found


@pytest.fixture(scope="session")
def jail() -> Jail:
    """Give the strongest jail; where there is none, these tests have nothing to test."""
    return strongest_jail()


@pytest.fixture(scope="session")
def shared_home() -> Iterator[Path]:
    """Give a folder that the jailed user can see, for programs compiled once."""
    with staged_folder("assay-test-") as folder:
        yield folder


@pytest.fixture
def home() -> Iterator[Path]:
    """Give a folder that the jailed user can see, for one test."""
    with staged_folder("assay-test-") as folder:
        yield folder


@pytest.fixture(scope="session")
def compile_c(shared_home: Path) -> Callable[..., Path]:
    """Give a function that compiles a C text (and objects with it) into a program."""

    def make(name: str, text: str, *more: str) -> Path:
        program = shared_home / name
        source = shared_home / f"{name}.c"
        source.write_text(text)
        subprocess.run(["gcc", "-O1", "-w", str(source), *more, "-o", str(program)], check=True)
        hand_over(program)
        return program

    return make


@pytest.fixture(scope="session")
def naughty(
    gcc: Compiler, compile_c: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Give an agent that contains SUBJECT, the harness compiled into a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        objects = harness_objects(gcc, (), native(), "stream")
        return compile_c("naughty", SUBJECT, f"-I{HARNESS}", *map(str, objects))


@pytest.fixture
def launch(naughty: Path, jail: Jail) -> Iterator[Callable[..., Agent]]:
    """Give a function that launches the agent; what lives at the end of the test is ended."""
    living: list[Agent] = []

    def start(*, seconds: float = 20.0, limits: Limits = AGENT_LIMITS) -> Agent:
        agent = Agent(ProcessPipe([str(naughty)], naughty.parent, jail, limits), seconds)
        living.append(agent)
        return agent

    yield start
    for agent in living:
        agent.close()


@pytest.fixture
def shell(home: Path, jail: Jail) -> RunShell:
    """Give a function that runs a shell text in the jail."""

    def run(text: str, limits: Limits | None = None, *, inside: Jail = jail) -> Ended:
        return run_jailed(["/bin/sh", "-c", text], home, inside, limits or Limits())

    return run

# SPDX-License-Identifier: MIT
"""What only an agent on Windows does: its own pipes, faults of its system, its heap."""

import subprocess
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

import pytest
from tests.unit.harness.conftest import build_toy, open_toy, run, targets

from assay.compile.parts import HARNESS
from assay.execute.agent import Agent, AgentFault, AgentLost, AgentSilent
from assay.execute.opening import Start
from assay.execute.protocol import Request
from assay.model import Compiler, Runtime, Target
from assay.targets import wine
from assay.targets.catalogue import look_for

TOY = r"""
#include "toy.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
static int deeper(volatile int *p) { volatile int room[4096]; room[0] = *p; return deeper(room); }
static DWORD WINAPI faulting(void *p) { return *(volatile DWORD *)((char *)p + 64); }
void toy_init(toy_context *cc, unsigned what)
{
    static volatile int zero;
    static void *volatile kept;
    volatile int one = 1;
    cc->state = what;
    switch (what) {
    case 1: cc->state = (unsigned long long)deeper(&one); break;
    case 2: abort();
    case 3: cc->state = (unsigned long long)(one / zero); break;
    case 4: printf("printed\n"); fflush(stdout); fprintf(stderr, "complained\n"); break;
    case 5: cc->state = (unsigned long long)getchar(); break;
    case 6: exit(7);
    case 7: kept = malloc(5000); break;
    case 8: __asm__ volatile("int3"); break;
    case 9: __asm__ volatile("std"); *(volatile char *)64 = 1; break;
    case 10: cc->state = sizeof(long); break;
    case 11: for (;;) ;
    case 12: WaitForSingleObject(CreateThread(NULL, 0, faulting, NULL, 0, NULL), INFINITE);
    }
}
void toy(toy_context *cc, const void *data, size_t len) { (void)cc, (void)data, (void)len; }
void toy_close(toy_context *cc, unsigned ub, unsigned n, void *dst)
{
    (void)ub, (void)n;
    memcpy(dst, &cc->state, sizeof cc->state);
}
"""


class Function(IntEnum):
    """The functions that are called."""

    INIT = 0
    CLOSE = 2


WINDOWS = [one for one in targets() if one.runtime is Runtime.WINDOWS]


@pytest.fixture(scope="module", params=WINDOWS, ids=lambda one: one.name)
def target(request: pytest.FixtureRequest) -> Target:
    """Give a target whose tools are installed."""
    one: Target = request.param
    found = look_for(one)
    if not found.ok:
        pytest.skip(found.reason)
    return one


@pytest.fixture(scope="module")
def toy_agent(target: Target, gcc: Compiler, workplace: Path) -> Start:
    """Build an agent with a hash that misbehaves."""
    return build_toy(target, gcc, workplace, TOY)


@pytest.fixture
def agent(launch: Callable[[], Agent]) -> Agent:
    """Give an agent that knows the kind."""
    one = launch()
    one.ask(Request.DESCRIBE, b"", "asking for a description")
    return one


def init(agent: Agent, what: int) -> int:
    """Call init and return the state that it leaves."""
    context, out = agent.buffer("ctx", 16, modulus=16), agent.buffer("out", 8)
    agent.call(Function.INIT, (context,), (what,))
    agent.call(Function.CLOSE, (context, out), (0, 0))
    return int.from_bytes(agent.read(out), "little", signed=True)


def heap(agent: Agent) -> int:
    """Ask how many bytes the heap has given out."""
    return agent.ask(Request.HEAP, b"", "asking for the heap").number(8)


@pytest.mark.parametrize(
    ("what", "name"), [(1, "SIGSEGV"), (2, "SIGABRT"), (3, "SIGFPE"), (8, "SIGTRAP"),
                       (9, "SIGSEGV")]
)  # fmt: skip
def test_faults_of_windows_have_the_names_of_signals(
    target: Target, agent: Agent, what: int, name: str
) -> None:
    """A stack overflow is an access violation; and the same again, since the agent lives on."""
    if (target.bits, name) == (32, "SIGTRAP"):
        pytest.skip("wine 8 ends a program of 32 bits at a breakpoint, without telling it")
    for _ in range(3):
        with pytest.raises(AgentFault, match=name):
            init(agent, what)
        assert init(agent, 20) == 20


def test_what_code_prints_and_reads_is_not_of_the_protocol(agent: Agent) -> None:
    """Standard output goes to the account, and standard input is at its end."""
    assert init(agent, 4) == 4
    assert init(agent, 5) == -1
    assert init(agent, 20) == 20
    said = agent.close()
    assert "printed" in said
    assert "complained" in said


def test_an_exit_does_not_take_earlier_answers_with_it(agent: Agent) -> None:
    """The exit code is named."""
    assert init(agent, 20) == 20
    with pytest.raises(AgentLost, match="code 7"):
        init(agent, 6)


def test_a_fault_in_another_thread_ends_the_agent_by_a_signal(agent: Agent) -> None:
    """There is nobody to tell it to, and no window opens."""
    with pytest.raises(AgentLost, match="died of SIGSEGV"):
        init(agent, 12)


def test_what_a_call_keeps_of_the_heap_is_counted(agent: Agent) -> None:
    """By at least as much as was asked for, each time."""
    init(agent, 20)
    before = heap(agent)
    init(agent, 20)
    assert heap(agent) == before
    init(agent, 7)
    assert 5000 <= heap(agent) - before < 10_000


def test_long_has_32_bits(agent: Agent) -> None:
    """With pointers of 64 as well."""
    assert init(agent, 10) == 4


def test_a_call_that_hangs_is_the_one_that_is_named(toy_agent: Start, workplace: Path) -> None:
    """Answers that were ready before it are sent while it runs."""
    agent = Agent(open_toy(toy_agent, workplace), 4.0)
    agent.ask(Request.DESCRIBE, b"", "asking for a description")
    context, out = agent.buffer("ctx", 16, modulus=16), agent.buffer("out", 8)
    agent.call(Function.INIT, (context,), (20,))
    agent.call(Function.CLOSE, (context, out), (0, 0))
    agent.call(Function.INIT, (context,), (11,))
    with pytest.raises(AgentSilent, match=r"init\(ctx, 11\)"):
        agent.flush()
    agent.close()


REMOTE = r"""
#include "hal/win32_remote.h"
#include <stdio.h>
#include <windows.h>
int main(int argc, char **argv)
{
    HANDLE in, out;
    DWORD put;
    BOOL held = FALSE;
    remote_limit(argc, argv);
    IsProcessInJob(GetCurrentProcess(), NULL, &held);
    CreatePipe(&in, &out, NULL, 0);
    WriteFile(out, "unread", 6, &put, NULL);
    printf("%d %d", held, remote_deserted(in));
    CloseHandle(out);
    printf(" %d\n", remote_deserted(in));
    return 0;
}
"""


@pytest.mark.parametrize("told", [(), ("0", "1", "5", "1", "120", "1024", "1")])
def test_over_ssh_an_agent_enters_a_job_and_notices_that_nobody_is_left(
    target: Target, workplace: Path, told: tuple[str, ...]
) -> None:
    """Only if it is told limits; and even if requests are still in the pipe."""
    (workplace / "remote.c").write_text(REMOTE)
    sources = [str(HARNESS / "hal/win32_remote.c"), "remote.c", "-o", "remote.exe"]
    run([target.compiler, *target.options, "-static", f"-I{HARNESS}", *sources], workplace)
    words = [*wine.words(workplace / "remote.exe", target.bits), *told]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    held = bool(told) or target.bits == 32  # wine puts programs of 32 bits into one itself
    assert done.stdout.split() == [str(int(held)), "0", "1"]

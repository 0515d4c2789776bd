# SPDX-License-Identifier: MIT
"""System calls that the jail refuses, each tried by a program in it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.execute.calls import Calls
from assay.execute.jail import Jail, Limits

# Each line: a name, and a call that an ordinary process of Linux may make or that fails with
# another error than EPERM where nothing filters it (EFAULT, EINVAL, EBADF, ESRCH, ECHILD).
TOOLS = {
    "ptrace": "syscall(SYS_ptrace, 0, 0, 0, 0)",  # PTRACE_TRACEME
    "process_vm_readv": "syscall(SYS_process_vm_readv, getpid(), 0, 0, 0, 0, 0)",
    "process_vm_writev": "syscall(SYS_process_vm_writev, getpid(), 0, 0, 0, 0, 0)",
    "keyctl": "syscall(SYS_keyctl, 0, -3, 1)",
    "add_key": 'syscall(SYS_add_key, "user", "x", "y", 1, -3)',
    "request_key": 'syscall(SYS_request_key, "user", "none", 0, 0)',
    "bpf": "syscall(SYS_bpf, -1, 0, 0)",
    "perf_event_open": "syscall(SYS_perf_event_open, 0, 0, -1, -1, 0)",
    "userfaultfd": "syscall(SYS_userfaultfd, -1)",
    "io_uring_setup": "syscall(SYS_io_uring_setup, 1, 0)",
    "io_uring_enter": "syscall(SYS_io_uring_enter, -1, 0, 0, 0, 0, 0)",
    "fsopen": 'syscall(SYS_fsopen, "nothing", -1)',
    "fspick": 'syscall(SYS_fspick, -1, "x", -1)',
    "open_tree": 'syscall(SYS_open_tree, -1, "x", -1)',
    "unshare": "syscall(SYS_unshare, 0)",
    "setns": "syscall(SYS_setns, -1, 0)",
    "kcmp": "syscall(SYS_kcmp, getpid(), getpid(), 99, 0, 0)",
    "pidfd_getfd": "syscall(SYS_pidfd_getfd, -1, 0, 0)",
    "name_to_handle_at": "syscall(SYS_name_to_handle_at, -1, 0, 0, 0, -1)",
    "memfd_secret": "syscall(447, -1)",
    "move_pages": "syscall(SYS_move_pages, 0, 0, 0, 0, 0, -1)",
    "read_implies_exec": "syscall(SYS_personality, 0x0400000)",
    "bsd": "syscall(SYS_personality, 0x0006)",
    "inet": "syscall(SYS_socket, 2, 1, 0)",
    "inet6": "syscall(SYS_socket, 10, 2, 0)",
    "netlink": "syscall(SYS_socket, 16, 3, 0)",
    "packet": "syscall(SYS_socket, 17, -1, 0)",
    "alg": "syscall(SYS_socket, 38, 5, 0)",
    "vsock": "syscall(SYS_socket, 40, 1, 0)",
    "new_user": "syscall(SYS_clone, 0x10000011, 0, 0, 0, 0)",
    "TIOCSTI": "ioctl(-1, 0x5412, 0)",
    "TIOCSTI with high bits": "syscall(SYS_ioctl, -1, 0x100005412ul, 0)",
    "TIOCLINUX": "ioctl(-1, 0x541c, 0)",
}
AGENTS = {
    **TOOLS,
    "fork": "syscall(SYS_clone, 17, 0, 0, 0, 0)",
    "unix": "syscall(SYS_socket, 1, 1, 0)",
    "socketpair": "syscall(SYS_socketpair, 1, 1, 0, 0)",
    "kill": "syscall(SYS_kill, -1, 0)",
    "setsid": "syscall(SYS_setsid)",
    "create": 'syscall(SYS_openat, -100, "/tmp/x", 0101, 0600)',
    "unnamed file": 'syscall(SYS_openat, -100, "/tmp", 020200001, 0600)',
    "mkdir": 'syscall(SYS_mkdirat, -100, "/tmp/x", 0700)',
    "symlink": 'syscall(SYS_symlinkat, "x", -100, "/tmp/x")',
    "memfd_create": 'syscall(SYS_memfd_create, "x", 0)',
    "shmget": "syscall(SYS_shmget, 0, 4096, 01600)",
    "chmod": 'syscall(SYS_fchmodat, -100, "/tmp", 0777)',
    "utimes": "syscall(SYS_utimensat, -1, 0, 0, 0)",
    "prctl": "syscall(SYS_prctl, 3, 0, 0, 0, 0)",
    "seccomp": "syscall(SYS_seccomp, 99, 0, 0)",
    "eventfd": "syscall(SYS_eventfd2, 0, 0)",
    "sched_setaffinity": "syscall(SYS_sched_setaffinity, 0, 0, 0)",
    "setpriority": "syscall(SYS_setpriority, 0, 0, 19)",
    "a call of the future": "syscall(4000)",
}
SOURCE = """
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    FILE *out = stdout;
%s
    return 0;
}
"""
LINE = '    errno = 0; %s; fprintf(out, "%s %%d\\n", errno); fflush(out);'
EPERM = 1
# Where Debian keeps <asm/...>, for both word sizes.
HEADERS = ("-idirafter", "/usr/include/x86_64-linux-gnu")

Prober = Callable[..., dict[str, int]]


@pytest.fixture
def probe(home: Path, jail: Jail, compile_c: Callable[..., Path]) -> Prober:
    """Give a function that makes calls in the jail and tells the error of each."""

    def run(calls: dict[str, str], who: Calls | None, *options: str) -> dict[str, int]:
        body = "\n".join(LINE % (call, name) for name, call in calls.items())
        made = compile_c(f"prober-{who}", SOURCE % body, *options)
        program = home / "prober"
        program.write_bytes(made.read_bytes())
        program.chmod(0o755)
        with jail.confined(
            [str(program)], home, Limits(), writable=False, calls=who or Calls.TOOL
        ) as confined:
            words, at = list(confined.words), confined.words.index("--seccomp")
            if who is None:
                words[at : at + 2] = []
            done = subprocess.run(
                words, pass_fds=confined.descriptors, capture_output=True, text=True, check=False
            )
        assert done.returncode == 0, done.stderr
        lines = (line.rpartition(" ") for line in done.stdout.splitlines())
        return {name: int(number) for name, _, number in lines}

    return run


@pytest.mark.parametrize(("who", "refused"), [(Calls.TOOL, TOOLS), (Calls.AGENT, AGENTS)])
def test_dangerous_calls_are_refused(probe: Prober, who: Calls, refused: dict[str, str]) -> None:
    """Every one fails as if the user had no right to it."""
    assert probe(refused, who) == dict.fromkeys(refused, EPERM)


def test_without_the_filter_most_of_them_are_answered_otherwise(probe: Prober) -> None:
    """So it is the filter that refuses: the kernel would have looked at the arguments."""
    calls = {name: call for name, call in AGENTS.items() if name not in {"new_user", "fork"}}
    let_through = [name for name, error in probe(calls, None).items() if error != EPERM]
    assert len(let_through) > len(calls) * 3 // 4


def test_what_agents_and_tools_need_is_not_refused(probe: Prober) -> None:
    """Memory, clocks, its own signals and random numbers; for tools processes and files."""
    agents = {
        "mmap": "syscall(SYS_mmap, 0, 4096, 3, 0x22, -1, 0)",
        "open": 'syscall(SYS_openat, -100, "/usr/lib", 0)',
        "getrandom": "syscall(SYS_getrandom, &errno, 0, 0)",
        "clock": "syscall(SYS_clock_gettime, 1, (char[64]){0})",
        "ask personality": "syscall(SYS_personality, 0xffffffff)",
    }
    tools = {
        "create": 'syscall(SYS_openat, -100, "/tmp/x", 0101, 0600)',
        "pipe": "syscall(SYS_pipe2, (int[2]){0}, 0)",
        "unix": "syscall(SYS_socket, 1, 1, 0)",
        "fork": "if (fork() == 0) _exit(0)",
    }
    assert set(probe(agents, Calls.AGENT).values()) == {0}
    assert set(probe({**agents, **tools}, Calls.TOOL).values()) == {0}


def test_threads_start_under_the_agents_filter(
    home: Path, jail: Jail, compile_c: Callable[..., Path]
) -> None:
    """Code that uses threads is honest; processes are what an agent cannot start."""
    text = """
    #include <pthread.h>
    static void *work(void *given) { return given; }
    int main(void)
    {
        pthread_t one;
        void *got = 0;
        if (pthread_create(&one, 0, work, &one) || pthread_join(one, &got)) return 1;
        return got == &one ? 42 : 2;
    }
    """
    program = home / "threads"
    program.write_bytes(compile_c("threads", text, "-pthread").read_bytes())
    program.chmod(0o755)
    with jail.confined(
        [str(program)], home, Limits(), writable=False, calls=Calls.AGENT
    ) as confined:
        done = subprocess.run(confined.words, pass_fds=confined.descriptors, check=False)
    assert done.returncode == 42


def test_the_other_word_size_is_filtered_as_well(probe: Prober, gcc_for_32_bits: str) -> None:
    """A 32-bit program cannot go round the filter by its own numbers of calls."""
    names = ("ptrace", "bpf", "unshare", "keyctl", "fork", "kill", "create", "unix")
    old = {"the multiplexer": "syscall(SYS_socketcall, 1, (long[3]){2, 1, 0})"}
    refused = {**{name: AGENTS[name] for name in names}, **old}
    found = probe(refused, Calls.AGENT, gcc_for_32_bits, *HEADERS)
    assert found == dict.fromkeys(refused, EPERM)


def test_a_32_bit_call_from_a_64_bit_program_is_filtered(
    probe: Prober, gcc_for_32_bits: str
) -> None:
    """`int $0x80` is no way round."""
    assert gcc_for_32_bits
    old = """{ long r; __asm__ volatile("int $0x80" : "=a"(r) : "0"(26), "b"(0) : "memory");
        errno = (int)-r; }"""  # 26: ptrace
    assert probe({"old ptrace": old.replace("\n", " ")}, Calls.TOOL) == {"old ptrace": EPERM}


@pytest.fixture
def gcc_for_32_bits(compile_c: Callable[..., Path]) -> str:
    """Give gcc's option for 32-bit x86, or skip."""
    try:
        compile_c("small", "int main(void) { return 0; }", "-m32")
    except subprocess.CalledProcessError:
        pytest.skip("no compiler for 32-bit x86")
    return "-m32"

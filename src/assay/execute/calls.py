# SPDX-License-Identifier: MIT
"""Which system calls a jailed process may make.

An agent needs few, so all others are refused: it cannot start processes, make files,
open sockets or signal others, whatever the code in it tries. Compilers, make, emulators and
valgrind need many; for them the dangerous ones are refused. A refused call fails
with EPERM, as if the user had no right to it; `clone3` with ENOSYS, since its flags
cannot be seen by a filter and the C library then takes `clone`.

libseccomp makes the program that the kernel runs at each call, for the word sizes
that the processor executes (amd64 and 32-bit x86, arm64 and 32-bit ARM). A call in any
other convention kills the process.
"""

import errno
import functools
import os
import platform
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Any

from assay.errors import MachineError

AF_UNIX = 1
TIOCSTI, TIOCLINUX, TCGETS = 0x5412, 0x541C, 0x5401
PERF_CONTROLS = (0x2400, 0x2401, 0x2403)  # enable, disable, reset
WHOLE = 0xFFFF_FFFF  # as an int of C: -1
CLONE_THREAD = 0x0001_0000
CLONE_NAMESPACES = (
    0x0000_0080, 0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000,
    0x4000_0000,
)  # fmt: skip
# Execution domains that are harmless: Linux, asking for the present one, and addresses that
# do not move, which the thread sanitizer wants.
PERSONALITIES = (0, WHOLE, 0x0004_0000)
QUERY = 0x8000_0000  # a bit that only the question has
CREATE = os.O_CREAT | (os.O_TMPFILE & ~os.O_DIRECTORY)
# SECCOMP_SET_MODE_FILTER without flags: what seals an agent (harness/hal/seal_filter.c).
SEALING = (1, 0)
OTHER_WORDS = {"x86_64": "X86", "aarch64": "ARM"}  # of 32 bits, on processors of 64
FILES_OF_PROCESSORS = "/sys/bus/event_source/devices"


class Calls(StrEnum):
    """Who is filtered: an agent on this machine, or a tool such as a compiler or emulator."""

    AGENT = "agent"
    TOOL = "tool"


AGENT_CALLS = (
    # memory
    "brk", "madvise", "mlock", "mmap", "mmap2", "mprotect", "mremap", "munlock", "munmap",
    # files that it can see, and its pipes
    "_llseek", "access", "close", "close_range", "dup", "dup2", "dup3", "faccessat",
    "faccessat2", "fcntl", "fcntl64", "fstat", "fstat64", "fstatat64", "fstatfs", "getcwd",
    "getdents", "getdents64", "lseek", "lstat", "lstat64", "newfstatat",
    "pipe", "pipe2", "pread64", "pwrite64", "read", "readlink", "readlinkat", "readv", "stat",
    "stat64", "statfs", "statx", "write", "writev",
    # itself
    "arch_prctl", "exit", "exit_group", "get_thread_area", "getegid", "getegid32", "geteuid",
    "geteuid32", "getgid", "getgid32", "getpgrp", "getpid", "getppid", "getrlimit",
    "getrusage", "gettid", "getuid", "getuid32", "prlimit64", "rseq", "set_robust_list",
    "set_thread_area", "set_tid_address", "set_tls", "setrlimit", "sysinfo", "ugetrlimit",
    "uname",
    # its threads
    "futex", "futex_time64", "getcpu", "membarrier", "sched_getaffinity", "sched_yield",
    "tgkill", "tkill",
    # signals that it gets
    "pause", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
    "rt_sigreturn", "rt_sigsuspend", "sigaction", "sigaltstack", "sigprocmask", "sigreturn",
    # time, and waiting
    "_newselect", "alarm", "clock_getres", "clock_getres_time64", "clock_gettime",
    "clock_gettime64", "clock_nanosleep", "clock_nanosleep_time64", "getitimer",
    "gettimeofday", "nanosleep", "poll", "ppoll", "ppoll_time64", "pselect6",
    "pselect6_time64", "select", "setitimer", "time", "times",
    # random numbers; the start of the agent itself
    "getrandom", "execve",
    # what bubblewrap waits with for the agent; an agent has no children
    "wait4", "waitid", "waitpid",
)  # fmt: skip

REFUSED_TO_TOOLS = (
    # other processes
    "kcmp", "pidfd_getfd", "process_madvise", "process_mrelease", "process_vm_readv",
    "process_vm_writev", "ptrace",
    # parts of the kernel in which holes were found again and again
    "add_key", "bpf", "fanotify_init", "io_uring_enter", "io_uring_register", "io_uring_setup",
    "keyctl", "lookup_dcookie", "memfd_secret", "modify_ldt", "nfsservctl", "perf_event_open",
    "request_key", "uselib", "userfaultfd", "vm86", "vm86old",
    # file systems and namespaces
    "chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr",
    "move_mount", "name_to_handle_at", "open_by_handle_at", "open_tree", "pivot_root",
    "setns", "umount", "umount2", "unshare",
    # the machine
    "_sysctl", "acct", "adjtimex", "clock_adjtime", "clock_adjtime64", "clock_settime",
    "clock_settime64", "create_module", "delete_module", "finit_module", "init_module",
    "ioperm", "iopl", "kexec_file_load", "kexec_load", "mbind", "migrate_pages", "move_pages",
    "quotactl", "quotactl_fd", "reboot", "set_mempolicy", "setdomainname", "sethostname",
    "settimeofday", "stime", "swapoff", "swapon", "syslog", "vhangup",
    # sockets by the old way, whose family a filter cannot see
    "socketcall",
)  # fmt: skip


@functools.cache
def program(calls: Calls) -> bytes:
    """Return the filter as the kernel takes it; MachineError where libseccomp is missing."""
    try:
        import pyseccomp  # noqa: PLC0415 - loads a library that not every command needs
    except (ImportError, OSError, RuntimeError) as error:
        raise MachineError(
            f"no filter of system calls can be made: {error}", "apt-get install libseccomp2"
        ) from None
    made = _agents(pyseccomp) if calls is Calls.AGENT else _tools(pyseccomp)
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def name_of(number: int, word_bits: int) -> str:
    """Name the system call that an agent of this machine made, by its number."""
    try:
        import pyseccomp as lib  # noqa: PLC0415 - loads a library that not every command needs

        other = OTHER_WORDS.get(platform.machine()) if word_bits == 32 else None
        arch = getattr(lib.Arch, other) if other else lib.Arch.NATIVE
        return str(os.fsdecode(lib.resolve_syscall(arch, number)))
    except (ImportError, OSError, RuntimeError, ValueError):
        return f"the system call of number {number}"


def _agents(lib: Any) -> Any:
    """Make the list of what an agent may call."""
    made = _for_this_processor(lib, lib.SyscallFilter(lib.ERRNO(errno.EPERM)))
    for name in filter(functools.partial(_known, lib), AGENT_CALLS):
        made.add_rule(lib.ALLOW, name)
    made.add_rule(lib.ERRNO(errno.ENOSYS), "clone3")
    made.add_rule(lib.ALLOW, "clone", lib.Arg(0, lib.MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
    for name, position in (("open", 1), ("openat", 2)):
        made.add_rule(lib.ALLOW, name, lib.Arg(position, lib.MASKED_EQ, CREATE, 0))
    made.add_rule(lib.ALLOW, "ioctl", lib.Arg(1, lib.EQ, TCGETS))
    made.add_rule(lib.ALLOW, "seccomp", *(lib.Arg(n, lib.EQ, v) for n, v in enumerate(SEALING)))
    for value in PERSONALITIES:
        made.add_rule(lib.ALLOW, "personality", lib.Arg(0, lib.EQ, value))
    if counts_cycles():
        itself = lib.Arg(1, lib.EQ, 0), lib.Arg(2, lib.MASKED_EQ, WHOLE, WHOLE)
        made.add_rule(lib.ALLOW, "perf_event_open", *itself)
        for control in PERF_CONTROLS:
            made.add_rule(lib.ALLOW, "ioctl", lib.Arg(1, lib.EQ, control))
    return made


def _tools(lib: Any) -> Any:
    """Make the list of what compilers and emulators may not call."""
    made, refuse = _for_this_processor(lib, lib.SyscallFilter(lib.ALLOW)), lib.ERRNO(errno.EPERM)
    for name in filter(functools.partial(_known, lib), REFUSED_TO_TOOLS):
        made.add_rule(refuse, name)
    made.add_rule(lib.ERRNO(errno.ENOSYS), "clone3")
    for flag in CLONE_NAMESPACES:
        made.add_rule(refuse, "clone", lib.Arg(0, lib.MASKED_EQ, flag, flag))
    made.add_rule(refuse, "socket", lib.Arg(0, lib.NE, AF_UNIX))
    for command in (TIOCSTI, TIOCLINUX):
        made.add_rule(refuse, "ioctl", lib.Arg(1, lib.MASKED_EQ, WHOLE, command))
    for bit in (1 << n for n in range(31) if 1 << n not in PERSONALITIES):
        chosen = lib.Arg(0, lib.MASKED_EQ, bit | QUERY, bit)
        made.add_rule(refuse, "personality", chosen)
    return made


def _known(lib: Any, name: str) -> bool:
    """Return whether libseccomp is new enough to know the call."""
    try:
        lib.resolve_syscall(lib.Arch.NATIVE, name)
    except (OSError, ValueError):
        return False
    return True


def _for_this_processor(lib: Any, made: Any) -> Any:
    """Let the filter know the other word size that this processor executes."""
    other = OTHER_WORDS.get(platform.machine())
    if other:
        made.add_arch(getattr(lib.Arch, other))
    return made


def counts_cycles() -> bool:
    """Return whether this machine has a cycle counter that the kernel gives to its users."""
    try:
        names = [path.name for path in Path(FILES_OF_PROCESSORS).iterdir()]
        paranoid = int(Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    except (OSError, ValueError):
        return False
    return paranoid <= 2 and any(name.startswith(("cpu", "arm")) for name in names)

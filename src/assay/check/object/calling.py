# SPDX-License-Identifier: MIT
"""What a package's object code calls: nothing beyond what computing needs, for every kind.

A result that depends on the time, the environment or the process, and a call that changes a
part of the program which is not its own, cannot be seen by comparing outputs of two calls in
one agent: whoever wants to hide it chooses when it happens. The names that the code needs are
all in its object files.

What it does not call it may reach by instructions: the system, time, the processor. The bytes of
an instruction are looked for first; only where they stand, a disassembler says whether they are
one. Tables between functions are no code: where a part of an object does not disassemble, nothing
in it counts.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.constants import SH_FLAGS

from assay.check.check import Check, CheckFailed, CheckFinding
from assay.check.object.linked import names_of, objects_of, words
from assay.check.trial import AnyTrial
from assay.elf.reading import ObjectError, open_object
from assay.execute.disassembly import Disassembly
from assay.model import Build, CheckResult
from assay.package.text import code_of, read_text

NAMED = 6

BYTES = {
    "EM_X86_64": rb"\x0f\x05|\x0f\x34|\xcd\x80|\x0f\x31|\x0f\x01\xf9|\x0f\xc7[\xf0-\xff]|\x0f\x33",
    "EM_386": rb"\x0f\x34|\xcd\x80|\x0f\x31|\x0f\x01\xf9|\x0f\xc7[\xf0-\xff]|\x0f\x33",
    "EM_AARCH64": rb"\x01\x00\x00\xd4|[\x00-\x1f\x40-\x5f]\xe0\x3b\xd5|\x24\x3b\xd5",
}
SPELLED = re.compile(
    r"\t(syscall|sysenter|int +\$0x80|rdtscp?|rdpmc|rdpid|rdrand|rdseed|svc|"
    r"mrs\t\w+, (?:cntp?v?ct_el0|rndrr?s?))\b"
)
UNKNOWN = ("(bad)", ".inst", "undefined", ".byte")
SHORT_NUMBER, LEAST_NUMBER, MOST_NUMBER = 64, 1000, (1 << 22) + 1
MANY = 96  # of which code with tables in its instructions is full
COMPARING = re.compile(r"\t(cmp\w*|cmn\w*|sub\w*|add\w*|lea\w*|movw?|s?lti?u?|li)\s+([^\n]*)")
NUMBER = re.compile(
    r"[$#]-?(?:0x([0-9a-f]+)|(\d+))|(?:^|,)-0x([0-9a-f]+)\((?!%[re][sb]p)|,-?(\d+)$"
)
STACK = re.compile(r"%[re]?sp\b|\bsp\b|\(%rip\)")  # bp holds any number without frames


PROCESSES = words(
    "fork vfork clone execve execv execvp execl execlp execle posix_spawn posix_spawnp system "
    "popen kill killpg raise tgkill tkill pthread_kill sigqueue ptrace prctl "
    "setuid setgid dlopen daemon wait waitpid syscall"
)
NETWORK = words("socket connect bind listen accept send sendto recv recvfrom")
FILES = words(
    "fopen freopen open open_2 openat openat_2 creat unlink remove rename mkdir rmdir chmod "
    "chown link symlink truncate tmpfile mkstemp opendir"
)
# Exits are common in code that is never reached (PQClean's SHAKE, if malloc fails): a finding.
ENDS = words("exit Exit quick_exit abort")
ENDS_WORDS = "end the program around it"
THREADS = words(
    "pthread_create thrd_create CreateThread beginthread beginthreadex GOMP_parallel "
    "kmpc_fork_call"
)
SURROUNDINGS = words(
    "time clock gettimeofday clock_gettime timespec_get ftime times getrusage localtime "
    "localtime_r gmtime gmtime_r GetTickCount GetSystemTime GetSystemTimeAsFileTime "
    "QueryPerformanceCounter getenv secure_getenv environ getpid getppid gettid getpgrp getsid "
    "getuid geteuid getgid getegid getlogin getcwd gethostname uname sysinfo getrlimit getitimer "
    "sched_getcpu getcpu sched_getaffinity pthread_self GetCurrentProcessId GetCurrentThreadId "
    "GetCurrentProcessorNumber GetEnvironmentVariableA program_invocation_name "
    "program_invocation_short_name progname libc_argv isatty fcntl stat fstat lstat access "
    "localeconv nl_langinfo fegetround fegetenv sbrk"
)
CHANGES = words(
    "signal sysv_signal bsd_signal sigaction sigprocmask pthread_sigmask sigaltstack sigset "
    "siginterrupt setlocale uselocale newlocale srand srandom srand48 initstate setstate "
    "seed48 lcong48 rand random drand48 lrand48 mrand48 setitimer alarm ualarm timer_create "
    "timer_settime timerfd_create close closefrom close_range fclose dup dup2 dup3 madvise "
    "posix_madvise mprotect pkey_mprotect VirtualProtect "
    "setrlimit prlimit atexit on_exit at_quick_exit umask chdir fchdir putenv setenv "
    "unsetenv clearenv tzset fesetround fesetenv feholdexcept feupdateenv feenableexcept "
    "fedisableexcept control87 controlfp sched_setaffinity sched_setscheduler setpriority nice "
    "mallopt malloc_trim setvbuf setbuf ioctl sleep usleep nanosleep clock_nanosleep pause"
)
ERRNO = words("errno_location errno dosmaperr")
DATES = re.compile(r"\b__(?:DATE|TIME|TIMESTAMP)__\b")
DATED = (".c", ".h", ".S", ".cc", ".cpp", ".hpp", ".inc")
FORBIDDEN = (
    (PROCESSES, "start or control processes"),
    (NETWORK, "use the network"),
    (FILES, "use files"),
    (THREADS, "start threads"),
    (CHANGES, "change the program around it"),
    (SURROUNDINGS, "depend on its surroundings"),
)


def run(trial: AnyTrial) -> None:
    """Fail where the package could do or learn more than computing needs."""
    _judge(objects_of(trial))
    sources = (one for one in trial.package.places.items() if one[1].suffix in DATED)
    dated = sorted(name for name, path in sources if DATES.search(code_of(read_text(path))))
    if dated:
        raise CheckFinding(
            f"it can depend on the day of its compilation: __DATE__ or __TIME__ is in {dated[0]}",
            cure="Leave the date out: nobody can build the same program again.",
        )


def complaint(build: Build) -> CheckResult | None:
    """Return what is wrong with the calls of code that cannot be asked; None if nothing is."""
    try:
        _judge(tuple(one for one in build.objects if one.is_file()))
    except CheckFailed as failed:
        return CheckResult(CHECK.name, failed.verdict, str(failed), failed.cure or CHECK.cure)
    except ObjectError:
        return None
    return None


def _judge(objects: tuple[Path, ...]) -> None:
    names_called = called(objects)
    for names, what in FORBIDDEN:
        if found := sorted(names_called & names):
            raise CheckFailed(f"it can {what}: it calls {', '.join(found[:NAMED])}")
    if reached := reaching(objects):
        raise CheckFailed(f"it reaches beyond memory: it executes {', '.join(reached[:NAMED])}")
    if found := sorted(names_called & ENDS):
        raise CheckFinding(
            f"it can {ENDS_WORDS}: it calls {', '.join(found)}",
            cure="Return an error instead, or leave out what cannot happen.",
        )
    if names_called & ERRNO:
        raise CheckFinding(
            "it uses errno, which is the caller's",
            cure="Leave errno alone: no function of the API reports errors in it.",
        )


def called(objects: tuple[Path, ...]) -> frozenset[str]:
    """Return the names that objects need and do not define, as C programs spell them."""
    defined, needed = names_of(objects)
    return frozenset(one for name in needed - defined for one in spellings(name))


def spellings(symbol: str) -> Iterator[str]:
    """Yield how a program may spell a symbol: `__open64_2@GLIBC` as `open64_2` and `open_2`."""
    name = symbol.partition("@")[0].lstrip("_").removeprefix("imp_").lstrip("_")
    name = name.removesuffix("_chk")
    yield from (name, name.removesuffix("64"), name.replace("64_", "_", 1))


CHECK: Check[AnyTrial] = Check(
    "object/calls",
    (
        "Does the package work without files, processes, threads, the network, the time and "
        "the state of the program?"
    ),
    (
        "A primitive only computes. Code that asks for the time or the environment can give "
        "wrong results where no test looks; code that sets signal handlers, timers, the locale "
        "or a random generator changes a program that does not expect it."
    ),
    (
        "Leave out what does not compute, and code that only tests need. Operations get "
        "randomness from randombytes."
    ),
    run,
)


def reaching(objects: tuple[Path, ...]) -> list[str]:
    """Name the instructions of objects that reach beyond memory; empty without a disassembler."""
    blocks = (block for path in objects if _has_bytes(path) for block in _blocks(path))
    known = (block for block in blocks if not any(one in block for one in UNKNOWN))
    return sorted({" ".join(found.split()) for block in known for found in SPELLED.findall(block)})


def _has_bytes(path: Path) -> bool:
    with open_object(path) as elf:
        pattern = BYTES.get(str(elf["e_machine"]))
        return pattern is not None and any(
            re.search(pattern, one.data())
            for one in elf.iter_sections()
            if one["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and one["sh_type"] == "SHT_PROGBITS"
        )


def _blocks(path: Path) -> list[str]:
    """Return the disassembly of what stands at each symbol."""
    return Disassembly(path).listing.split("\n\n")


def compared(objects: tuple[Path, ...]) -> tuple[int, ...]:
    """Return the numbers that code compares with: at such lengths it may take another path.

    Whether a number is one of bytes nobody can tell. None without a disassembler, or of many; of
    many short ones those from LEAST_NUMBER on.
    """
    blocks = (block for path in objects for block in _blocks(path))
    found = sorted({number for block in blocks for number in _numbers(block)})
    long = [one for one in found if one >= LEAST_NUMBER]
    return tuple(next((each for each in (found, long) if len(each) <= MANY), ()))


def _numbers(block: str) -> Iterator[int]:
    for name, operands in COMPARING.findall(block):
        if STACK.search(operands) or (name.startswith("mov") and "$" in operands):
            continue  # masks and the like are moved to registers of x86, numbers are compared
        for hexa, decimal, negative, last in NUMBER.findall(operands):
            number = int(hexa or negative, 16) if hexa or negative else int(decimal or last)
            if SHORT_NUMBER <= number <= MOST_NUMBER:
                yield number

# SPDX-License-Identifier: MIT
"""Which files of the harness make an agent: by kind, and by what stands below it."""

from collections.abc import Collection
from pathlib import Path

from assay.model import Compiler, Configuration, Runtime, Target

HARNESS = Path(__file__).resolve().parent.parent / "harness"
BOARDS = HARNESS / "boards"
OPTIONS = ("-std=gnu11", "-O2")
WRAP = "-Wl,--wrap="
DROP = "-Wl,--gc-sections"
LINKERS = (WRAP, DROP)
# Of clang: what is undefined is followed by instrumented code, of which the harness is, too, as
# arguments have their shadows in memory of their own. Nothing but what is marked is undefined;
# arguments are not looked at, and every place calls the function that the harness stands in for.
SHADOW = "-fsanitize=memory"
SHADOWED = (
    *(SHADOW, "-fsanitize-recover=memory", "-fno-omit-frame-pointer"),
    *("-mllvm", "-msan-poison-stack=0", "-mllvm", "-msan-eager-checks=0"),
    *("-mllvm", "-msan-instrumentation-with-call-threshold=-1"),
)
TRACED = "-DASSAY_TRACED"  # of the harness alone: it shows in a trace what is made public
BARE = "bare"  # the kind of an agent without a package

AGENT = (
    "agent/agent.c",
    "agent/frame.c",
    "agent/buffers.c",
    "agent/guard.c",
    "agent/again.c",
    "agent/allocation.c",
    "agent/call.c",
    "agent/modes.c",
    "agent/stack.c",
    "agent/left.c",
    "agent/warned.c",
    "agent/abi.c",
    "agent/declassify.c",
)
TIMED = ("agent/timing.c", "meter/counters.c", "meter/loops.c")
UNTIMED = ("agent/untimed.c",)  # in place of TIMED and of a kind's *_timing.c
KINDS = {
    "stream": ("agent/stream.c", "agent/stream_long.c"),
    "hash": ("agent/hash.c",),
    "operation": (
        "agent/operation.c",
        "agent/abi_saved.c",
        "agent/operation_memory.c",
        "agent/operation_beside.c",
        "agent/random.c",
    ),
    BARE: ("agent/bare.c",),
}
REPEATED = {"stream": tuple(f"agent/stream_{one}.c" for one in ("pool", "end", "calls"))}
KINDS_TIMED = {kind: (f"agent/{kind}_timing.c", *REPEATED.get(kind, ())) for kind in KINDS}
PROCESS = "hal/process.c"  # what every operating system has in common
UNWATCHED = "hal/unwatched.c"
SEAL = ("hal/seal.c", "hal/seal_filter.c")
BELOW = {
    Runtime.LIBC: ("hal/posix.c", "hal/posix_beside.c", "hal/posix_watch.c", *SEAL, PROCESS),
    Runtime.FREESTANDING: ("hal/linux.c", "hal/linux_beside.c", UNWATCHED, PROCESS),
    Runtime.BOARD: ("hal/board.c", "hal/alone.c", "hal/arena.c", UNWATCHED),
    Runtime.WINDOWS: (
        *("hal/win32.c", "hal/win32_beside.c", "hal/win32_remote.c"),
        *("agent/abi_microsoft.c", UNWATCHED, PROCESS),
    ),
}
HEAP = "hal/heap.c"
SYSTEM = "hal/system.c"  # below newlib
SILENT = "runtime/stdio.c"
# What packages may call of a C library, and by which file it is served where there is none.
SERVED = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "free"), HEAP),
    **dict.fromkeys(("abort", "printf", "fprintf", "puts", "putchar", "fputs"), SILENT),
    "__assert_func": SILENT,
}
HOSTED = (Runtime.LIBC, Runtime.WINDOWS)  # there is a C library
WINDOWS_LINK = ("-static", "-Wl,--stack,8388608")  # no library of our own beside the agent
WINDOWS_NAME = ("-Wl,-o,agent",)  # the driver would call it agent.exe
FREESTANDING = ("-ffreestanding", "-fno-tree-loop-distribute-patterns", "-fno-stack-protector")


def sources(target: Target, kind: str) -> tuple[str, ...]:
    """Name the sources below harness/ that an agent of this kind has on this target."""
    chosen = [*AGENT, *KINDS[kind], *BELOW[target.runtime]]
    chosen += [*TIMED, *KINDS_TIMED[kind]] if target.runtime in HOSTED else UNTIMED
    if target.runtime is Runtime.FREESTANDING:
        chosen += [str(path.relative_to(HARNESS)) for path in sorted(HARNESS.glob("runtime/*.c"))]
    if target.runtime is Runtime.BOARD:
        chosen.append(str(board_file(target, ".c")))
        if kind == "operation":
            chosen[chosen.index("hal/arena.c")] = "hal/arena_operation.c"
        if linker_scripts(target):
            chosen.append(SYSTEM)
    return tuple(chosen)


def served_sources(target: Target, needed: Collection[str]) -> tuple[str, ...]:
    """Name the sources that serve what an object needs of a C library that is not there.

    A board whose memory we lay out has newlib, whose output and heap want a system below.
    """
    if target.runtime in HOSTED:
        return ()
    files = {SERVED[one] for one in needed if one in SERVED}
    ours = target.runtime is Runtime.BOARD and linker_scripts(target)
    return tuple(sorted(files if ours else files & {HEAP}))


def compile_options(options: tuple[str, ...], target: Target) -> tuple[str, ...]:
    """Return the options for the harness; `options` are those of a native configuration."""
    if target.is_native:
        return (*OPTIONS, *abi_options(options))
    freestanding = FREESTANDING if target.runtime not in HOSTED else ()
    headers = runtime_headers(target)
    traced = (TRACED,) if TRACED in options else ()
    return (*OPTIONS, *target.options, *freestanding, *headers, *_board_header(target), *traced)


def runtime_headers(target: Target) -> tuple[str, ...]:
    """Return the options that show headers where the C library has none for a target's ABI."""
    if target.runtime is not Runtime.FREESTANDING:
        return ()
    return ("-isystem", str(HARNESS / "runtime" / "include"))


def link_command(compiler: Compiler, options: tuple[str, ...], target: Target) -> list[str]:
    """Return the line that links an agent, less its objects.

    Foreign agents are linked by the target's own gcc, whatever compiled the package; the
    target's link options follow the objects, since libraries must.
    """
    if target.is_native:
        return [str(compiler.path), *abi_options(options)]
    command = [target.compiler, *target.options]
    if target.runtime is Runtime.LIBC:
        return [*command, "-static"]
    if target.runtime is Runtime.WINDOWS:
        return [*command, *WINDOWS_LINK, *WINDOWS_NAME]
    if target.runtime is Runtime.FREESTANDING:
        return [*command, "-nostdlib", "-static", "-no-pie"]
    return command


def linker_scripts(target: Target) -> tuple[Path, ...]:
    """Name what lays out a board's memory, the board's own first; none if its compiler knows."""
    if target.runtime is not Runtime.BOARD or not board_file(target, ".ld").exists():
        return ()
    own = board_file(target, ".ld")
    ours = (path for path in sorted(BOARDS.glob("*.ld")) if path.name != own.name)
    return (own, *ours)


def script_options(scripts: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the link options for linker scripts that stand in one folder."""
    if not scripts:
        return ()
    return ("-nostartfiles", f"-L{scripts[0].parent}", "-T", scripts[0].name)


def _board_header(target: Target) -> tuple[str, ...]:
    """Let a board's constants be known to every file of the harness."""
    if target.runtime is not Runtime.BOARD:
        return ()
    return ("-include", str(board_file(target, ".h")), f"-I{BOARDS}")


def board_file(target: Target, suffix: str) -> Path:
    """Name a file of a board's port: one of the harness, or the user's where it has a folder."""
    return BOARDS / (target.board + suffix)  # an absolute path stays what it is


def users_files(target: Target) -> tuple[Path, ...]:
    """Name what a user's own port is made of, for the harness is compiled anew when it changes."""
    own = board_file(target, ".c")
    if target.runtime is not Runtime.BOARD or own.parent == BOARDS:
        return ()
    return tuple(sorted((*own.parent.glob("*.h"), *own.parent.glob(own.name))))


def sanitizers(configuration: Configuration) -> tuple[str, ...]:
    """Pick the options that the linker must see, too, so that a sanitizer's library is there."""
    return tuple(one for one in configuration.opt.split() if one.startswith("-fsanitize="))


def replaced_functions(configuration: Configuration) -> tuple[str, ...]:
    """Pick the linker's options: what stands for other functions, and what nothing refers to."""
    return tuple(one for one in configuration.opt.split() if one.startswith(LINKERS))


def package_words(configuration: Configuration) -> list[str]:
    """Return the options of compiling: objects are the same whatever they are linked with."""
    words = (*configuration.arch.split(), *configuration.opt.split())
    return [one for one in words if not one.startswith((*LINKERS, TRACED))]


def abi_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Pick from a configuration's arch options those that change the ABI."""
    kept = ("-m32", "-m64", "-mx32", "-mabi=", "-mfloat-abi=", "-EL", "-EB", "-mbig", "-mlittle")
    shadowed = SHADOWED if SHADOW in options else ()
    return (*(option for option in options if option.startswith(kept)), *shadowed)

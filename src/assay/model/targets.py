# SPDX-License-Identifier: MIT
"""Where code runs."""

from enum import StrEnum

from msgspec import Struct


class Runner(StrEnum):
    """What executes a target's agents."""

    NATIVE = "native"
    QEMU_USER = "qemu-user"
    QEMU_SYSTEM = "qemu-system"
    SIMAVR = "simavr"
    WINE = "wine"
    SERIAL = "serial"
    SSH = "ssh"


class Runtime(StrEnum):
    """What stands below the agent there.

    A static C library; Linux system calls alone, for processors older than any
    library that Debian builds; nothing but a board port's three functions; or Windows.
    """

    LIBC = "libc"
    FREESTANDING = "freestanding"
    BOARD = "board"
    WINDOWS = "windows"


class Target(Struct, frozen=True):
    """Where code runs: one entry of the catalogue, or one that a user described.

    `architecture` is the name by which assembly says what it is written for;
    `runs` are further architectures whose code runs there, too. `compiler` is the
    cross gcc, `clang_triple` what clang needs to be told instead (empty: it has no
    such back end). `options` fix instruction set and ABI and go to every compilation,
    `link` and `start` (a file of the harness) to linking only. `machine` is the
    emulator's processor or board. `counts` says what is counted exactly there:
    instructions, cycles, or None. `aligned` says that words must be aligned: a real
    machine traps or gives other bytes. `traps` tells which departures from the
    instruction set the emulator stops at; `unseen` those that it does not.
    `assembler` is the command that accepts the paper's instruction set alone.
    `packages` are Debian's. `line` is the device of a serial line, with its `speed` in
    baud, or the machine that ssh reaches; `flash` brings an agent to a board. `acquire` is
    done before a board is used and `release` behind it, where others use it, too, and `reset`
    when it has hung; each has so many `_seconds`.
    """

    name: str
    title: str
    architecture: str
    bits: int
    endian: str
    abi: str
    runner: Runner
    runtime: Runtime
    runs: tuple[str, ...] = ()
    compiler: str = "gcc"
    clang_triple: str = ""
    options: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    emulator: str = ""
    machine: str = ""
    board: str = ""
    counts: str | None = None
    aligned: bool = False
    traps: str = ""
    unseen: str = ""
    assembler: tuple[str, ...] = ()
    pic: bool = True
    packages: tuple[str, ...] = ()
    line: str = ""
    speed: int = 0
    flash: str = ""
    acquire: str = ""
    release: str = ""
    reset: str = ""
    acquire_seconds: int = 3600
    release_seconds: int = 60
    reset_seconds: int = 60

    @property
    def is_native(self) -> bool:
        """Return whether agents are processes of this machine's own kind."""
        return self.runner is Runner.NATIVE

    @property
    def tells_time(self) -> bool:
        """Return whether an agent there can time calls: on a real processor, below a system."""
        real = self.runner in {Runner.NATIVE, Runner.SSH}
        return real and self.runtime in {Runtime.LIBC, Runtime.WINDOWS}

    @property
    def architectures(self) -> tuple[str, ...]:
        """All architectures whose assembly runs there, its own first."""
        return (self.architecture, *self.runs)


NATIVE_NAME = "native"

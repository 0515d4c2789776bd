# SPDX-License-Identifier: MIT
"""Exact counts of executed instructions, function by function, while an agent runs.

The emulator keeps a file of counters up to date (harness/counting/counts.h), and
the bench reads it between requests: the agent takes no part in it. The file has no
name; the emulator inherits its descriptor and closes it before any code under test
runs, so that code cannot open it.

Counts of a call are a difference of two readings, less the same for a call of the
agent's empty function, whose request has the same length: what the agent itself
copies is in the runtime's item, too.
"""

import hashlib
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import fields

from assay.errors import MachineError
from assay.execute.ranges import RUNTIME, AddressRange
from assay.execute.staging import unnamed_file
from assay.machine.cache import alone, cache_folder

SOURCES = Path(__file__).resolve().parent.parent / "harness" / "counting"
OPTIONS = ("-std=gnu11", "-O2")
COMPILERS = ("gcc", "cc", "clang")
TIME_LIMIT_SECONDS = 120


class _Helper(Struct, frozen=True):
    """A program: its source, what makes it of it, and what Debian calls what it needs."""

    source: str
    name: str
    options: tuple[str, ...]
    libraries: tuple[str, ...]
    cure: str


PLUGIN = _Helper(
    "qemu-plugin.c",
    "counting.so",
    ("-shared", "-fPIC", "-fvisibility=hidden"),
    (),
    "apt-get install gcc libc6-dev",
)
RUNNER = _Helper(
    "simavr.c",
    "assay-simavr",
    (),
    ("-lsimavr", "-lelf"),
    "apt-get install gcc libc6-dev libsimavr-dev libelf-dev",
)
STEPPER = _Helper("step-avr.c", "assay-step-avr", (), RUNNER.libraries, RUNNER.cure)


def plugin() -> Path:
    """Return the plugin that counts inside qemu; MachineError if it cannot be built."""
    return _built(PLUGIN)


def simavr_runner() -> Path:
    """Return the program that runs and counts AVR code; MachineError if it cannot be built."""
    return _built(RUNNER)


def avr_stepper() -> Path:
    """Return the program that steps through AVR code; MachineError if it cannot be built."""
    return _built(STEPPER)


def placed(helper: Path, folder: Path) -> Path:
    """Copy a helper to where jailed processes can read it, unless it is there."""
    to = folder / helper.name
    content = helper.read_bytes()
    if not to.exists() or to.read_bytes() != content:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as partial:
            partial.write(content)
        Path(partial.name).chmod(0o755)
        Path(partial.name).replace(to)  # an emulator may be running the old one
    return to


def _built(helper: _Helper) -> Path:
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise MachineError(f"no compiler for {helper.name} on this machine", helper.cure)
    digest = hashlib.sha256(f"{compiler} {OPTIONS} {helper}".encode())
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.read_bytes())
    folder = cache_folder() / "tools" / digest.hexdigest()[:24]
    if not (folder / helper.name).exists():
        with alone(folder):
            if not (folder / helper.name).exists():
                _compile_into(folder, compiler, helper)
    return folder / helper.name


def _compile_into(folder: Path, compiler: str, helper: _Helper) -> None:
    """Compile beside the cache and rename, so that a half-done cache is never seen."""
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        command = [compiler, *OPTIONS, *helper.options, str(SOURCES / helper.source)]
        command += ["-o", str(scratch / helper.name), *helper.libraries]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS, check=False
        )
        if done.returncode != 0:
            raise MachineError(
                f"{compiler} cannot build {helper.name}: {done.stderr.strip()}", helper.cure
            )
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


HEADER = struct.Struct("<4sIII")
SLOT = struct.Struct("<6Q")
MAGIC, VERSION = b"ASCT", 1


class Executed(Struct, frozen=True):
    """What was executed. Cycles are of the AVR simulator, accesses of qemu with `memory`."""

    instructions: int = 0
    cycles: int = 0
    loads: int = 0
    stores: int = 0
    misaligned: int = 0

    def __add__(self, other: "Executed") -> "Executed":
        """Add two tallies, field by field."""
        return Executed(
            *(getattr(self, f.name) + getattr(other, f.name) for f in fields(Executed))
        )

    def __sub__(self, other: "Executed") -> "Executed":
        """Subtract an earlier tally, field by field."""
        return Executed(
            *(getattr(self, f.name) - getattr(other, f.name) for f in fields(Executed))
        )


class Counts(Struct, frozen=True):
    """One reading: the package's functions, the runtime, and everything else."""

    functions: dict[str, Executed]
    runtime: Executed
    elsewhere: Executed
    lowest_stack: int | None = None  # in the package's functions and the runtime; AVR only

    @property
    def package(self) -> Executed:
        """All of the package's own code."""
        return sum(self.functions.values(), Executed())

    @property
    def total(self) -> Executed:
        """The package's code and the runtime that it calls."""
        return self.package + self.runtime


def difference(later: Counts, earlier: Counts) -> Counts:
    """Return what was executed between two readings."""
    functions = {name: one - earlier.functions[name] for name, one in later.functions.items()}
    return Counts(
        functions,
        later.runtime - earlier.runtime,
        later.elsewhere - earlier.elsewhere,
        later.lowest_stack,
    )


class Counting:
    """The counters of one launch. Use it as a context manager around the launch."""

    def __init__(self, ranges: Sequence[AddressRange], *, memory: bool = False) -> None:
        """Make counters for these ranges, all 0; `memory` asks qemu for accesses, too."""
        self._names = [one.name for one in ranges]
        self._memory = memory
        lines = "".join(f"{one.start:x} {one.end:x}\n" for one in ranges)
        size = HEADER.size + SLOT.size * (1 + len(ranges))
        head = HEADER.pack(MAGIC, VERSION, 1 + len(ranges), SLOT.size // 8)
        self._counts = unnamed_file("assay-counts", head.ljust(size, b"\0"), fixed=True)
        self._ranges = unnamed_file("assay-ranges", lines.encode(), fixed=True)
        self._map = mmap.mmap(self._counts, size)

    def __enter__(self) -> "Counting":
        """Enter; the counters are there already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release the memory."""
        self.close()

    def close(self) -> None:
        """Release the memory; what was read stays valid."""
        self._map.close()
        os.close(self._counts)
        os.close(self._ranges)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that the emulator has to inherit, under the same numbers."""
        return self._counts, self._ranges

    def plugin_words(self, folder: Path) -> list[str]:
        """Return what to insert behind qemu's name; the plugin is copied into `folder`."""
        place = str(placed(plugin(), folder)).replace(",", ",,")
        words = f"{place},counts=fd:{self._counts},ranges=fd:{self._ranges}"
        return ["-plugin", words + (",memory=on" if self._memory else "")]

    def simavr_words(self, program: Path, folder: Path, *options: str) -> list[str]:
        """Return the command that runs an AVR program; the runner is copied into `folder`."""
        runner = str(placed(simavr_runner(), folder))
        return [runner, *options, str(program), f"fd:{self._counts}", f"fd:{self._ranges}"]

    def read(self) -> Counts:
        """Read the counters. Between an answer and the next request they stand still."""
        slots = list(SLOT.iter_unpack(self._map[HEADER.size :]))
        tallies = [Executed(*slot[:5]) for slot in slots]
        functions: dict[str, Executed] = {}
        for name, tally in zip(self._names, tallies[1:], strict=True):
            functions[name] = functions.get(name, Executed()) + tally
        runtime = functions.pop(RUNTIME, Executed())
        lowest = min((slot[5] for slot in slots[1:] if slot[5]), default=None)
        return Counts(functions, runtime, tallies[0], lowest)

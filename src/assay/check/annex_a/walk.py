# SPDX-License-Identifier: MIT
"""Making a program of the object, and having it stepped through in the jail."""

import json
import random
import shutil
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from assay.check.annex_a.machines import (
    FACTS,
    MACHINES,
    MOST_FACTS_BYTES,
    SteppedProcessor,
    avr_facts,
    facts_of,
)
from assay.check.annex_a.making import Paper, linked, opened
from assay.check.check import CheckFailed, CheckSkipped
from assay.elf.files import ObjectFile
from assay.execute.command import run_jailed
from assay.execute.jail import Jail, Limits
from assay.execute.staging import hand_over, staged_folder

RUNNER = Path(__file__).with_name("runner.py")
LIMITS = Limits(wall_seconds=120.0, cpu_seconds=120, memory_bytes=8 << 30)
OFF = 0x35  # where data and digest stand in their rooms: odd, as the API allows
FILLING = 0xA5
NOTES = {"below": 5, "outside": 3, "touched": 3, "calls": 5}  # and how long each note is
GARBAGE = 0x5AF00F5A << 32
MESSAGE_BYTES = 261
PIECES = (7, 0, 190, 64)
LAST, LAST_BITS = 0xFFFF_FFB7, 5  # only the five upper bits of the low byte count


class MemoryLayout(Struct, frozen=True):
    """Where everything stands that is not the program; rooms of `room` bytes."""

    data: int
    context: int
    digest: int
    stack: int
    stack_bytes: int
    back: int
    room: int

    @property
    def top(self) -> int:
        """Return the stack pointer of the caller."""
        return self.stack + self.stack_bytes - self.stack_bytes // 16


LARGE = MemoryLayout(0x30000000, 0x30100000, 0x30200000, 0x30300000, 0x10000, 0x30400000, 0x1000)
SMALL = MemoryLayout(0x300, 0x700, 0xC00, 0x1000, 0x1000, 0x1E000, 0x400)  # of an ATmega1281

# Empty: the runner does what they should when the program arrives at them.
STUB = """
void *memcpy(void *d, const void *s, __SIZE_TYPE__ n) { (void)s; (void)n; return d; }
void *memset(void *d, int c, __SIZE_TYPE__ n) { (void)c; (void)n; return d; }
"""


class Seen(Struct, frozen=True):
    """What one call did, by the runner's own words; `function` is its name."""

    function: str
    facts: dict[str, Any]

    @property
    def end(self) -> str:
        """Describe how it ended; empty if it returned."""
        return str(self.facts["end"])

    def notes(self, what: str) -> list[list[Any]]:
        """Return notes of one sort."""
        return list(self.facts[what])


class Walked(Struct, frozen=True):
    """A whole message, stepped through. `image` is the linked program."""

    machine: SteppedProcessor
    architecture: str
    calls: tuple[Seen, ...]
    digest: bytes
    message: bytes
    image: ObjectFile

    def where(self, address: int) -> str:
        """Name an address by function and offset."""
        functions = [
            (one.value & ~1 if self.machine.arch == "ARM" else one.value, one.name)
            for one in self.image.symbols
            if one.kind in {"FUNC", "NOTYPE"} and not one.name.startswith("$")
            and not one.section.startswith("SHN_")
        ]  # fmt: skip
        start, name = max((f for f in functions if f[0] <= address), default=(0, ""))
        return f"{name}+{address - start:#x}" if name else f"{address:#x}"


@lru_cache(maxsize=4)
def walk(paper: Paper, context_bytes: int, alignment: int, out_bits: int) -> Walked:
    """Hash a message of fresh bytes, once for all checks; CheckSkipped where it cannot be done."""
    machine = MACHINES.get(paper.architecture)
    if machine is None:
        raise CheckSkipped(f"the emulator that steps does not know {paper.architecture}")
    content = _program(paper, machine)
    image = opened(content)
    job, names, message = _job(paper, machine, image, (context_bytes, alignment), out_bits)
    if machine.arch == "AVR":
        facts = avr_facts(content, job, paper.bench.jail)
    else:
        job["memory"] += _image(image)
        facts = _facts(json.dumps(job), paper.bench.jail)
    try:
        calls = tuple(_seen(*one) for one in zip(names, facts["calls"], strict=True))
        digest = bytes.fromhex(facts["digests"][0])
    except (LookupError, TypeError, ValueError) as error:
        raise CheckSkipped(f"the report of stepping makes no sense: {error!r}") from None
    return Walked(machine, paper.architecture, calls, digest, message, image)


def _seen(function: str, facts: dict[str, Any]) -> Seen:
    """Take what was told of one call, if it has the form that was agreed on."""
    for what, width in NOTES.items():
        if any(len(note) != width for note in facts[what]):
            raise ValueError(what)
    if set(facts["before"]) != set(facts["after"]) or len(facts["last"]) != 2:
        raise ValueError(function)
    return Seen(function, facts)


def _program(paper: Paper, machine: SteppedProcessor) -> bytes:
    """Link the object with empty functions; CheckSkipped if it needs more."""
    options = () if machine.arch == "AVR" else ("-static", "-no-pie")
    try:
        return linked(paper, options, STUB)
    except CheckFailed:
        raise CheckSkipped("it does not link by itself: see object/externals") from None


def _job(
    paper: Paper,
    machine: SteppedProcessor,
    image: ObjectFile,
    context: tuple[int, int],
    out_bits: int,
) -> tuple[dict[str, Any], list[str], bytes]:
    """Describe the program, its memory and all calls."""
    layout = SMALL if machine.arch == "AVR" else LARGE
    source = random.SystemRandom()
    message = source.randbytes(MESSAGE_BYTES)
    at = {one.name: one.value for one in image.symbols if one.section != "SHN_UNDEF"}
    to = [layout.digest + OFF, layout.digest + OFF + out_bits // 8]
    plan = _calls(machine, layout, paper.identifier, context, (out_bits, to))
    thumb = 1 if machine.arch == "ARM" else 0  # the bit of an address that says Thumb
    job = {
        "machine": asdict(machine),
        "memory": _rooms(layout, source, message, context[0]),
        "free": [[at[name] & ~thumb, name] for name in ("memcpy", "memset")],
        "stack": [layout.stack, layout.stack + layout.stack_bytes],
        "top": layout.top,
        "back": layout.back,
        "seed": source.random(),
        "also": [name for name in machine.saved if name not in machine.general],
        "digests": [[to[0], out_bits // 8]],
        "calls": [
            {
                "entry": at[name] & ~thumb,
                "arguments": words,
                "writable": writable,
                "thumb": at[name] & thumb,
                "thumb_back": at[name] & thumb,
            }
            for name, words, writable in plan
        ],
    }
    return job, [name for name, _, _ in plan], message


def _calls(
    machine: SteppedProcessor,
    layout: MemoryLayout,
    x: str,
    context: tuple[int, int],
    digest: tuple[int, list[int]],
) -> list[tuple[str, list[int], list[list[int]]]]:
    """Return every call: the function's name, its arguments, and what it may write to."""
    size, alignment = context
    (out_bits, to) = digest
    at = layout.context + (alignment if alignment > OFF else -(-OFF // alignment) * alignment)
    owned = [[at, at + size]]
    plan = [(f"{x}_init", [at, _wide(machine, out_bits)], owned)]
    done = 0
    for length in PIECES:
        plan.append((x, [at, layout.data + OFF + done if length else 0, length], owned))
        done += length
    last = [at, _wide(machine, LAST), _wide(machine, LAST_BITS), to[0]]
    plan.append((f"{x}_close", last, [*owned, to]))
    return plan


def _wide(machine: SteppedProcessor, value: int) -> int:
    """Put garbage above a 32-bit argument where the convention leaves that undefined."""
    return value | GARBAGE if machine.high_garbage else value


def _image(image: ObjectFile) -> list[tuple[int, str, int]]:
    """Return the program's segments; CheckSkipped if they collide with the rooms."""
    pieces = []
    for address, content, size in image.segments():
        if (
            size > MOST_FACTS_BYTES
            or LARGE.data < address + MOST_FACTS_BYTES < LARGE.back + 2 * MOST_FACTS_BYTES
        ):
            raise CheckSkipped(f"the program has an unusual segment at {address:#x}")
        pieces.append((address, content.ljust(size, b"\0").hex(), size))
    return pieces


def _rooms(
    layout: MemoryLayout, source: random.Random, message: bytes, context_bytes: int
) -> list[tuple[int, str, int]]:
    """Return the memory around the program: message, context, digest, stack, return address."""
    room = layout.room
    context = -(-(context_bytes + 2 * OFF) // room) * room
    if context > layout.digest - layout.context:
        raise CheckSkipped(f"there is no room for a context of {context_bytes} bytes")
    return [
        (layout.data, (bytes(OFF) + message).ljust(room, b"\0").hex(), room),
        (layout.context, source.randbytes(context).hex(), context),
        (layout.digest, (bytes([FILLING]) * room).hex(), room),
        (layout.stack, (bytes([FILLING]) * layout.stack_bytes).hex(), layout.stack_bytes),
        (layout.back, bytes(room).hex(), room),
    ]


def _facts(job: str, jail: Jail) -> dict[str, Any]:
    """Run the runner in the jail; CheckSkipped if it cannot run."""
    with staged_folder("assay-step-") as home:
        package = _emulator()
        skipped = shutil.ignore_patterns("*.a", "include")
        shutil.copytree(package, home / "unicorn", ignore=skipped)
        shutil.copy(RUNNER, home / "runner.py")
        (home / "job.json").write_text(job)
        hand_over(home)
        python, readable = _python()
        command = [python, "-B", "-S", "runner.py", "job.json", FACTS]
        jail = replace(jail, readable=(*jail.readable, *readable))
        return facts_of(run_jailed(command, home, jail, LIMITS), home)


def _emulator() -> Path:
    """Find the emulator's package; CheckSkipped if it is not installed."""
    spec = find_spec("unicorn")
    if spec is None or spec.origin is None:
        raise CheckSkipped("the emulator unicorn is not installed (pip install unicorn)")
    return Path(spec.origin).parent


def _python() -> tuple[str, tuple[Path, ...]]:
    """Choose a Python that can be seen in the jail: our own, unless others may not reach it."""
    own = Path(sys.executable).resolve()
    reachable = all(folder.stat().st_mode & 0o001 for folder in own.parents)
    if reachable or not Path("/usr/bin/python3").exists():
        outside = () if own.is_relative_to("/usr") else (own.parent.parent,)
        return str(own), outside
    return "/usr/bin/python3", ()

# SPDX-License-Identifier: MIT
"""Making a program of the object, and having it stepped through in the jail."""

import json
import random
import shutil
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.execute.command import run_jailed
from assay.execute.jail import Jail, Limits
from assay.execute.staging import hand_over, staged_folder
from assay.suite.bench import Bench
from assay.suite.check import CheckSkipped
from assay.suite.hash.object.elf import ObjectFile
from assay.suite.hash.object.paper import Paper, linked
from assay.suite.hash.stepping.machines import MACHINES, Machine

RUNNER = Path(__file__).with_name("runner.py")
LIMITS = Limits(wall_seconds=120.0, cpu_seconds=120, memory_bytes=8 << 30)
MOST_FACTS_BYTES = 1 << 22
DATA, CONTEXT, DIGEST, STACK, BACK = (0x30000000 + (n << 20) for n in range(5))
STACK_BYTES, ROOM_BYTES = 0x10000, 0x1000
TOP = STACK + STACK_BYTES - 0x1000
OFF = 0x35  # where data and digest stand in their pages: odd, as the API allows
FILLING = 0xA5
GARBAGE = 0x5AF00F5A << 32
MESSAGE_BYTES = 261
PIECES = (7, 0, 190, 64)
LAST, LAST_BITS = 0xFFFF_FFB7, 5  # only the five upper bits of the low byte count
# Empty: the runner does what they should when the program arrives at them.
STUB = """
void *memcpy(void *d, const void *s, __SIZE_TYPE__ n) { (void)s; (void)n; return d; }
void *memset(void *d, int c, __SIZE_TYPE__ n) { (void)c; (void)n; return d; }
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one call did, by the runner's own words; `function` is its name."""

    function: str
    facts: dict[str, Any]

    @property
    def end(self) -> str:
        """Say how it ended; empty if it returned."""
        return str(self.facts["end"])

    def notes(self, what: str) -> list[list[Any]]:
        """Give notes of one sort."""
        return list(self.facts[what])


@dataclass(frozen=True, slots=True)
class Walked:
    """A whole message, stepped through. `image` is the linked program."""

    machine: Machine
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
def walk(paper: Paper, bench: Bench, context_bytes: int, alignment: int, out_bits: int) -> Walked:
    """Hash a message of fresh bytes, once for all checks; CheckSkipped where it cannot be done."""
    machine = MACHINES.get(paper.architecture)
    if machine is None:
        raise CheckSkipped(f"the emulator that steps does not know {paper.architecture}")
    image = ObjectFile(linked(paper, bench, ("-static", "-no-pie"), STUB))
    job, names, message = _job(paper, machine, image, context_bytes, alignment, out_bits)
    facts = _facts(json.dumps(job), bench.jail)
    calls = tuple(Seen(*one) for one in zip(names, facts["calls"], strict=True))
    digest = bytes.fromhex(facts["digests"][0])
    return Walked(machine, paper.architecture, calls, digest, message, image)


def _job(
    paper: Paper,
    machine: Machine,
    image: ObjectFile,
    context_bytes: int,
    alignment: int,
    out_bits: int,
) -> tuple[dict[str, Any], list[str], bytes]:
    source = random.SystemRandom()
    message = source.randbytes(MESSAGE_BYTES)
    x = paper.identifier
    at = {one.name: one.value for one in image.symbols if one.section != "SHN_UNDEF"}
    context = CONTEXT + (alignment if alignment > OFF else -(-OFF // alignment) * alignment)
    owned = [[context, context + context_bytes]]
    calls: list[tuple[str, list[int], list[list[int]]]] = [
        (f"{x}_init", [context, _wide(machine, out_bits)], owned)
    ]
    done = 0
    for length in PIECES:
        data = DATA + OFF + done if length else 0
        calls.append((x, [context, data, length], owned))
        done += length
    to = [DIGEST + OFF, DIGEST + OFF + out_bits // 8]
    last = [context, _wide(machine, LAST), _wide(machine, LAST_BITS), to[0]]
    calls.append((f"{x}_close", last, [*owned, to]))
    job = {
        "machine": machine.described(),
        "memory": [*_image(image), *_rooms(source, message, context_bytes)],
        "free": [[at[name] & ~_thumb(machine), name] for name in ("memcpy", "memset")],
        "stack": [STACK, STACK + STACK_BYTES], "top": TOP, "back": BACK, "seed": source.random(),
        "also": [name for name in machine.saved if name not in machine.general],
        "digests": [[to[0], out_bits // 8]],
        "calls": [
            {
                "entry": at[name] & ~_thumb(machine), "arguments": words, "writable": writable,
                "thumb": at[name] & _thumb(machine), "thumb_back": at[name] & _thumb(machine),
            }
            for name, words, writable in calls
        ],
    }  # fmt: skip
    return job, [name for name, _, _ in calls], message[:done]


def _thumb(machine: Machine) -> int:
    """Give the bit of an address that says Thumb."""
    return 1 if machine.arch == "ARM" else 0


def _wide(machine: Machine, value: int) -> int:
    """Put garbage above a 32-bit argument where the convention leaves that undefined."""
    return value | GARBAGE if machine.high_garbage else value


def _image(image: ObjectFile) -> list[tuple[int, str, int]]:
    """Give the program's segments; CheckSkipped if they collide with the rooms."""
    pieces = []
    for address, content, size in image.segments():
        if size > MOST_FACTS_BYTES or DATA - MOST_FACTS_BYTES < address < BACK + MOST_FACTS_BYTES:
            raise CheckSkipped(f"the program has an unusual segment at {address:#x}")
        pieces.append((address, content.ljust(size, b"\0").hex(), size))
    return pieces


def _rooms(
    source: random.Random, message: bytes, context_bytes: int
) -> list[tuple[int, str, int]]:
    """Give the memory around the program: message, context, digest, stack, and where to return."""
    context = -(-(context_bytes + 2 * ROOM_BYTES) // ROOM_BYTES) * ROOM_BYTES
    return [
        (DATA, (bytes(OFF) + message).ljust(ROOM_BYTES, b"\0").hex(), ROOM_BYTES),
        (CONTEXT, source.randbytes(context).hex(), context),
        (DIGEST, (bytes([FILLING]) * ROOM_BYTES).hex(), ROOM_BYTES),
        (STACK, (bytes([FILLING]) * STACK_BYTES).hex(), STACK_BYTES),
        (BACK, bytes(ROOM_BYTES).hex(), ROOM_BYTES),
    ]


def _facts(job: str, jail: Jail) -> dict[str, Any]:
    """Run the runner in the jail; CheckSkipped if it cannot run."""
    with staged_folder("assay-step-") as home:
        package = _emulator()
        skipped = shutil.ignore_patterns("*.a", "include", "__pycache__")
        shutil.copytree(package, home / "unicorn", ignore=skipped)
        shutil.copy(RUNNER, home / "runner.py")
        (home / "job.json").write_text(job)
        hand_over(home)
        python, readable = _python()
        command = [python, "-B", "runner.py", "job.json", "facts.json"]
        ended = run_jailed(command, home, replace(jail, readable=(*jail.readable, *readable)), LIMITS)
        facts = home / "facts.json"
        if not ended.ok or facts.is_symlink() or not facts.is_file():
            raise CheckSkipped(f"stepping failed: {ended.output.strip()[-300:]}")
        if facts.stat().st_size > MOST_FACTS_BYTES:
            raise CheckSkipped("stepping told too much")
        told: dict[str, Any] = json.loads(facts.read_text())
        return told


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

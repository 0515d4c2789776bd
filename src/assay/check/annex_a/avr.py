# SPDX-License-Identifier: MIT
"""Stepping through AVR code, which the emulator of the other architectures does not know."""

import json
import random
from pathlib import Path
from typing import Any

from assay.check.check import CheckSkipped
from assay.errors import MachineError
from assay.execute.command import run_jailed
from assay.execute.counting import avr_stepper, placed
from assay.execute.jail import Jail, Limits
from assay.execute.staging import hand_over, staged_folder

RAM_BYTES = 0x2200
REGISTERS = 32
MOST_FACTS_BYTES = 1 << 22
FACTS = "facts.json"


def avr_facts(program: bytes, job: dict[str, Any], jail: Jail) -> dict[str, Any]:
    """Run a job on simavr, in the jail; CheckSkipped if that is not possible."""
    with staged_folder("assay-step-") as home:
        try:
            runner = placed(avr_stepper(), home)
        except MachineError as error:
            raise CheckSkipped(f"{error} ({error.cure})") from None
        (home / "program.elf").write_bytes(program)
        (home / "job").write_text("".join(f"{line}\n" for line in _lines(job)))
        hand_over(home)
        ended = run_jailed([str(runner), "program.elf", "job", FACTS], home, jail, Limits())
        return _read(home / FACTS, ended.ok, ended.output)


def _read(path: Path, ok: bool, output: str) -> dict[str, Any]:
    if not ok or path.is_symlink() or not path.is_file():
        raise CheckSkipped(f"stepping failed: {output.strip()[-300:]}")
    if path.stat().st_size > MOST_FACTS_BYTES:
        raise CheckSkipped("stepping reported too much")
    told: dict[str, Any] = json.loads(path.read_text())
    return told


def _lines(job: dict[str, Any]) -> list[str]:
    """Write a job as harness/counting/step-avr.c reads it."""
    source = random.Random(job["seed"])
    memory = [(at, content) for at, content, _ in job["memory"] if at < RAM_BYTES]
    lines = [f"mem {at:x} {content}" for at, content in memory]
    lines += [f"free {name} {at:x}" for at, name in job["free"]]
    lines.append(f"stack {job['stack'][0]:x} {job['top']:x} {job['back']:x}")
    for call in job["calls"]:
        owned = " ".join(f"{start:x} {end:x}" for start, end in call["writable"])
        registers = _registers(source, call["arguments"])
        lines.append(f"call {call['entry']:x} {registers.hex()} {owned}")
    return [*lines, *(f"digest {at:x} {size:x}" for at, size in job["digests"])]


def _registers(source: random.Random, arguments: list[int]) -> bytes:
    """Return r0 to r31: garbage, r1 zero, arguments in pairs from r25 downwards."""
    registers = bytearray(source.randbytes(REGISTERS))
    registers[1] = 0
    for index, value in enumerate(arguments):
        low = 24 - 2 * index
        registers[low : low + 2] = (value & 0xFFFF).to_bytes(2, "little")
    return bytes(registers)

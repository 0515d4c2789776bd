# SPDX-License-Identifier: MIT
"""Calling conventions, as far as a function that is called has to keep to them, and AVR's steps.

The emulator of the other architectures does not know AVR.
"""

import json
import random
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.check.annex_a.making import ARM, MIPS, MIXED, THUMB
from assay.check.check import CheckSkipped
from assay.errors import MachineError
from assay.execute.command import Ended, run_jailed
from assay.execute.counting import avr_stepper, placed
from assay.execute.jail import Jail, Limits
from assay.execute.staging import hand_over, staged_folder

RAM_BYTES = 0x2200
REGISTERS = 32
MOST_FACTS_BYTES = 1 << 22
FACTS = "facts.json"


class SteppedProcessor(Struct, frozen=True):
    """A processor of the unicorn emulator and its convention, registers by unicorn's names.

    `general` are filled with garbage before a call. No `arguments`: they are on the
    stack. No `link`: the return address is on the stack. `entry` must hold the address
    of the function. `saved` come back as they were, `reserved` never change. Below the
    stack pointer `red_zone` bytes are safe; from the caller's stack pointer on `home`
    bytes are the function's, too. At calls the stack pointer, plus `call_offset`, is a
    multiple of `call_alignment`. `high_garbage`: 32-bit arguments leave the upper half
    of a register undefined. `lasting` are bits of `flags` that must be clear at calls.
    """

    arch: str
    mode: tuple[str, ...]
    prefix: str
    bits: int
    general: tuple[str, ...]
    arguments: tuple[str, ...]
    sp: str
    link: str
    saved: tuple[str, ...]
    result: str
    endian: str = "little"
    entry: str = ""
    reserved: tuple[str, ...] = ()
    red_zone: int = 0
    home: int = 0
    call_alignment: int = 1
    call_offset: int = 0
    high_garbage: bool = False
    flags: str = ""
    lasting: int = 0
    scratch: tuple[str, ...] = ()


def _numbered(letter: str, *numbers: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in numbers)


def _arm(endian: str, *, thumb: bool, r9: bool) -> SteppedProcessor:
    big = ("BIG_ENDIAN",) if endian == "big" else ()
    kept = (4, 5, 6, 7, 8, 10, 11) if r9 else (4, 5, 6, 7, 8, 9, 10, 11)
    return SteppedProcessor(
        "ARM", ("THUMB" if thumb else "ARM", *big), "UC_ARM_REG_", 32,
        _numbered("R", *range(13)), _numbered("R", 0, 1, 2, 3), "SP", "LR",
        _numbered("R", *kept), "R0",
        endian=endian, reserved=("R9",) if r9 else (), call_alignment=8, scratch=("R3", "R12"),
    )  # fmt: skip


def _mips(endian: str) -> SteppedProcessor:
    names = ("AT", "V0", "V1", *_numbered("A", 0, 1, 2, 3), *_numbered("T", *range(10)))
    saved = (*_numbered("S", *range(8)), "FP", "GP")
    return SteppedProcessor(
        "MIPS", ("MIPS32", "BIG_ENDIAN" if endian == "big" else "LITTLE_ENDIAN"), "UC_MIPS_REG_",
        32, (*names, *saved, "K0", "K1", "HI", "LO"), _numbered("A", 0, 1, 2, 3), "SP", "RA",
        saved[:-1], "V0",
        endian=endian, entry="T9", reserved=("K0", "K1"), home=16, call_alignment=8,
        scratch=("V1", "A3", *_numbered("T", *range(9)), "HI", "LO"),
    )  # fmt: skip


def _riscv(bits: int) -> SteppedProcessor:
    return SteppedProcessor(
        "RISCV", (f"RISCV{bits}",), "UC_RISCV_REG_", bits,
        _numbered("X", *range(3, 32)), _numbered("X", 10, 11, 12, 13), "X2", "X1",
        _numbered("X", 8, 9, *range(18, 28)), "X10",
        reserved=("X3", "X4"), call_alignment=16, scratch=_numbered("X", 5, 6, 7, *range(13, 18)),
    )  # fmt: skip


_LOW = ("RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", *_numbered("R", *range(8, 16)))
_AMD64 = SteppedProcessor(
    "X86", ("64",), "UC_X86_REG_", 64, _LOW, ("RDI", "RSI", "RDX", "RCX"), "RSP", "",
    ("RBX", "RBP", "R12", "R13", "R14", "R15"), "RAX",
    red_zone=128, call_alignment=16, call_offset=8, high_garbage=True, flags="EFLAGS",
    lasting=1 << 10, scratch=("RCX", *_numbered("R", 8, 9, 10, 11)),
)  # fmt: skip
_I386 = SteppedProcessor(
    "X86", ("32",), "UC_X86_REG_", 32, ("EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP"), (),
    "ESP", "", ("EBX", "ESI", "EDI", "EBP"), "EAX",
    home=16, call_alignment=4, flags="EFLAGS", lasting=1 << 10, scratch=("ECX", "EDX"),
)  # fmt: skip
_PPC = SteppedProcessor(
    "PPC", ("PPC32", "BIG_ENDIAN"), "UC_PPC_REG_", 32,
    tuple(str(n) for n in range(32) if n != 1), ("3", "4", "5", "6"), "1", "LR",
    (*map(str, range(14, 32)), "CR2", "CR3", "CR4"), "3",
    endian="big", reserved=("2", "13"), home=8, call_alignment=16,
    scratch=("0", *map(str, range(6, 13)), "CTR"),
)  # fmt: skip
_AARCH64 = SteppedProcessor(
    "ARM64", ("ARM",), "UC_ARM64_REG_", 64, _numbered("X", *range(30)),
    ("X0", "X1", "X2", "X3"), "SP", "X30", _numbered("X", *range(19, 30)), "X0",
    reserved=("X18",), call_alignment=16, high_garbage=True,
    scratch=_numbered("X", *range(3, 18)),
)  # fmt: skip

_AVR = SteppedProcessor(
    "AVR", (), "", 16, _numbered("R", 0, *range(2, 32)), _numbered("R", 24, 22, 20, 18), "SP",
    "", _numbered("R", *range(1, 18), 28, 29), "R24", flags="R1", lasting=0xFF,
)  # fmt: skip


def _order(architecture: str) -> str:
    return "big" if architecture.endswith("-be") else "little"


MACHINES: dict[str, SteppedProcessor] = {
    **{name: _arm(_order(name), thumb=False, r9=True) for name in (*ARM, *MIXED)},
    **{name: _arm(_order(name), thumb=True, r9=True) for name in THUMB},
    **{name: _arm("little", thumb=True, r9=False) for name in ("thumb2", "cortex-m0", "armv7")},
    "cortex-m4": _arm("little", thumb=True, r9=False),
    **{name: _mips(_order(name)) for name in MIPS},
    "ppc": _PPC,
    "i386": _I386,
    "amd64": _AMD64,
    "avr8": _AVR,
    "aarch64": _AARCH64,
    "riscv32": _riscv(32),
    "riscv64": _riscv(64),
}


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
        return facts_of(ended, home)


def facts_of(ended: Ended, home: Path) -> dict[str, Any]:
    """Return what a stepping program has written; CheckSkipped if that is nothing, or too much."""
    path = home / FACTS
    if not ended.ok or path.is_symlink() or not path.is_file():
        raise CheckSkipped(f"stepping failed: {ended.output.strip()[-300:]}")
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

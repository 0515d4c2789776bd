# SPDX-License-Identifier: MIT
"""Instructions by which code reaches what it does not call: the system, time, the processor.

The bytes of an instruction are looked for first; only where they stand, a disassembler says
whether they are one. Tables between functions are no code: where a part of an object does not
disassemble, nothing in it counts.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from assay.elf.reading import open_object

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
SECONDS = 60
SHORT_NUMBER, LEAST_NUMBER, MOST_NUMBER = 64, 1000, (1 << 22) + 1
MANY = 96  # of which code with tables in its instructions is full
COMPARING = re.compile(r"\t(cmp\w*|cmn\w*|sub\w*|add\w*|lea\w*|movw?|s?lti?u?|li)\s+([^\n]*)")
NUMBER = re.compile(
    r"[$#]-?(?:0x([0-9a-f]+)|(\d+))|(?:^|,)-0x([0-9a-f]+)\((?!%[re][sb]p)|,-?(\d+)$"
)
STACK = re.compile(r"%[re]?sp\b|\bsp\b|\(%rip\)")  # bp holds any number without frames


def reaching(objects: tuple[Path, ...]) -> list[str]:
    """Name the instructions of objects that reach beyond memory; empty without a disassembler."""
    suspect = [path for path in objects if _has_bytes(path)]
    return sorted({one for path in suspect for block in _blocks(path) for one in _spelled(block)})


def _has_bytes(path: Path) -> bool:
    with open_object(path) as elf:
        pattern = BYTES.get(str(elf["e_machine"]))
        return pattern is not None and any(re.search(pattern, code) for code in _code(elf))


def _code(elf: ELFFile) -> Iterator[bytes]:
    for one in elf.iter_sections():
        if one["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and one["sh_type"] == "SHT_PROGBITS":
            yield one.data()


def _blocks(path: Path) -> Iterator[str]:
    """Yield the disassembly of what stands at each symbol."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    yield from done.stdout.split("\n\n")


def _spelled(block: str) -> list[str]:
    if any(one in block for one in UNKNOWN):
        return []
    return [" ".join(found.split()) for found in SPELLED.findall(block)]


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

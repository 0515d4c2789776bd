# SPDX-License-Identifier: MIT
"""How many bytes object code takes, by the rule of the Shabal paper (A.2.5).

The paper adds up what GNU `size` prints: everything that is loaded. Tools have
since begun to add sections that describe code to others; these are left out and
listed: unwind tables, notes, and the flags of the MIPS and ARM ABIs.

A name is free to choose, so it decides nothing alone. What describes code has the type for that,
or the exact name of a table that has no type of its own; it can be neither written nor executed,
and no code refers to it. Everything else counts.
What an object says of the stack is read as well, before a linker makes one note of many: where one
object has none, GNU ld writes that the stack has to be executable, and nobody can tell any more
whether it was asked to.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section as ElfSection

from assay.compile.files import is_regular
from assay.elf.reading import UNDEFINED, open_object, symbols
from assay.grouped import grouped
from assay.model import Stacks
from assay.model.footprint import CodeSize, Section

NOTE = ".note.GNU-stack"


def stacks_of(objects: Iterable[tuple[str, Path]]) -> Stacks:
    """Return which sources ask for an executable stack or say nothing of it, by their objects."""
    kinds = grouped((_kind(path), source) for source, path in objects if is_regular(path))
    return Stacks(**{kind: tuple(names) for kind, names in kinds.items() if kind})


def _kind(path: Path) -> str:
    """Return what sort an object is of; empty for one whose note asks for nothing."""
    holds, has_note = False, False
    try:
        with open_object(path) as elf:
            for one in elf.iter_sections():
                flags = one["sh_flags"]
                if one.name == NOTE:
                    has_note = True
                    if flags & SH_FLAGS.SHF_EXECINSTR:
                        return "asking"
                elif flags & SH_FLAGS.SHF_ALLOC and one["sh_type"] != "SHT_NOTE":
                    holds = holds or one["sh_size"] > 0
    except Exception:  # noqa: BLE001 - the compiler's output is not ours to trust
        return ""
    if has_note:
        return ""
    return "silent" if holds else "empty"


# What the paper lets an implementation call (A.2.2), and what position-independent code names.
FREE = frozenset({"memcpy", "memset"})
OF_PIC = frozenset({"_GLOBAL_OFFSET_TABLE_", "_gp_disp", "__gnu_local_gp", ".TOC."})
UNWIND = "unwind table: does not run, and the paper's compilers made none"
ABI = "flags of the ABI, the same in every object"
TYPES = {
    "SHT_NOTE": "note for the linker",
    "SHT_ARM_EXIDX": UNWIND,
    "SHT_AMD64_UNWIND": UNWIND,
    "SHT_ARM_ATTRIBUTES": ABI,
    "SHT_RISCV_ATTRIBUTES": ABI,
    "SHT_MIPS_REGINFO": ABI,
    "SHT_MIPS_ABIFLAGS": ABI,
    "SHT_MIPS_OPTIONS": ABI,
}
# Tables of the type of ordinary data; those of functions in sections of their own are named so.
NAMES = {
    r"\.eh_frame": UNWIND,
    r"\.ARM\.extab(\..+)?": UNWIND,
    r"\.[px]data(\$.+)?": "unwind table of Windows",
    r"\.rdata\$zzz": "the compiler's signature",
}
# How the sections are called that the page lists; whatever begins so is looked at.
LEFT_OUT = (
    ".eh_frame", ".ARM.exidx", ".ARM.extab", ".note", ".reginfo", ".MIPS.abiflags",
    ".MIPS.options", ".riscv.attributes", ".ARM.attributes", ".pdata", ".xdata", ".rdata$zzz",
)  # fmt: skip
PROGRAM = ("STT_FUNC", "STT_OBJECT")
THUMB_BIT_MACHINE = "EM_ARM"


def code_size(path: Path) -> CodeSize:
    """Measure an object file."""
    with open_object(path) as elf:
        loaded = {
            index: one
            for index, one in enumerate(elf.iter_sections())
            if one["sh_flags"] & SH_FLAGS.SHF_ALLOC and one["sh_size"]
        }
        reasons = _left_out(elf, loaded)
        sums = dict.fromkeys(("text", "rodata", "data", "bss"), 0)
        for index, one in loaded.items():
            if index not in reasons:
                sums[_what(one)] += int(one["sh_size"])
        sections = tuple(_section(one, reasons.get(index, "")) for index, one in loaded.items())
        return CodeSize(
            sums["text"],
            sums["rodata"],
            sums["data"],
            sums["bss"],
            sum(section.size_bytes for section in sections),
            sections,
            _functions(elf),
            _externals(elf),
        )


def _left_out(elf: ELFFile, loaded: Mapping[int, ElfSection]) -> dict[int, str]:
    """Return the sections that do not count, by number, and why."""
    found = {index: why for index, one in loaded.items() if (why := _description(one))}
    while used := {one for one in _used(elf, loaded.keys() - found.keys()) if one in found}:
        for index in used:  # what it refers to counts then, too
            del found[index]
    return found


def _description(section: ElfSection) -> str:
    """Return what a section describes to other tools, by its type and flags; else nothing."""
    if section["sh_flags"] & (SH_FLAGS.SHF_WRITE | SH_FLAGS.SHF_EXECINSTR):
        return ""
    if section["sh_type"] != "SHT_PROGBITS":
        return TYPES.get(section["sh_type"], "")
    return next((why for name, why in NAMES.items() if re.fullmatch(name, section.name)), "")


def _used(elf: ELFFile, counted: Collection[int]) -> Iterator[int]:
    """Yield the sections that have functions or objects, or that counted ones refer to."""
    for symbol in symbols(elf):
        if symbol["st_info"]["type"] in PROGRAM and isinstance(symbol["st_shndx"], int):
            yield symbol["st_shndx"]
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection) and section["sh_info"] in counted:
            table: Any = elf.get_section(section["sh_link"])
            for fix in section.iter_relocations():
                index = table.get_symbol(fix["r_info_sym"])["st_shndx"]
                if isinstance(index, int):
                    yield index


def _section(section: ElfSection, reason: str) -> Section:
    return Section(section.name, int(section["sh_size"]), not reason, reason or _what(section))


def _what(section: ElfSection) -> str:
    """Describe what a loaded section is: text, rodata, data or bss."""
    flags = section["sh_flags"]
    if section["sh_type"] == "SHT_NOBITS":
        return "bss"
    if flags & SH_FLAGS.SHF_WRITE:
        return "data"
    return "text" if flags & SH_FLAGS.SHF_EXECINSTR else "rodata"


def _functions(elf: ELFFile) -> tuple[tuple[str, int], ...]:
    """Return the bytes of every function, by what its symbol says or up to the next symbol."""
    found: dict[str, int] = {}
    for index, section in enumerate(elf.iter_sections()):
        if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and section["sh_size"]:
            found |= _functions_of(elf, index, int(section["sh_size"]))
    return tuple(sorted(found.items(), key=lambda one: -one[1]))


def _functions_of(elf: ELFFile, index: int, end: int) -> dict[str, int]:
    thumb = elf["e_machine"] == THUMB_BIT_MACHINE
    starts: dict[int, tuple[str, int]] = {}
    for symbol in symbols(elf):
        if symbol["st_shndx"] == index and symbol["st_info"]["type"] == "STT_FUNC":
            at = int(symbol["st_value"]) & ~(1 if thumb else 0)
            starts.setdefault(at, (symbol.name, int(symbol["st_size"])))
    places = sorted(starts)
    following = [*places[1:], end] if places else []
    return {
        starts[at][0]: starts[at][1] or after - at
        for at, after in zip(places, following, strict=True)
    }


def _externals(elf: ELFFile) -> tuple[str, ...]:
    """Name the symbols that the object needs from elsewhere."""
    return tuple(sorted(one.name for one in symbols(elf) if one["st_shndx"] == UNDEFINED))

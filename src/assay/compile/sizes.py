# SPDX-License-Identifier: MIT
"""How many bytes object code takes, by the rule of the Shabal paper (A.2.5).

The paper adds up what GNU `size` prints: everything that is loaded. Tools have
since begun to add sections that describe code to others; these are left out and
listed: unwind tables, notes, and the flags of the MIPS and ARM ABIs.
"""

from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section as ElfSection

from assay.elf.reading import UNDEFINED, open_object, symbols
from assay.model.footprint import CodeSize, Section

# What the paper lets an implementation call (A.2.2), and what position-independent code names.
FREE = frozenset({"memcpy", "memset"})
OF_PIC = frozenset({"_GLOBAL_OFFSET_TABLE_", "_gp_disp", "__gnu_local_gp", ".TOC."})
LEFT_OUT = {
    ".eh_frame": "unwind table: does not run, and the paper's compilers made none",
    ".ARM.exidx": "unwind table",
    ".ARM.extab": "unwind table",
    ".note": "note for the linker",
    ".reginfo": "flags of the MIPS ABI, the same 24 bytes in every object",
    ".MIPS.abiflags": "flags of the MIPS ABI, the same 24 bytes in every object",
    ".MIPS.options": "flags of the MIPS ABI",
    ".riscv.attributes": "flags of the ABI",
    ".ARM.attributes": "flags of the ABI",
    ".pdata": "unwind table of Windows",
    ".xdata": "unwind table of Windows",
    ".rdata$zzz": "the compiler's signature",
}
THUMB_BIT_MACHINE = "EM_ARM"


def code_size(path: Path) -> CodeSize:
    """Measure an object file."""
    with open_object(path) as elf:
        loaded = [one for one in elf.iter_sections() if one["sh_flags"] & SH_FLAGS.SHF_ALLOC]
        sections = tuple(_section(one) for one in loaded if one["sh_size"])
        sums = dict.fromkeys(("text", "rodata", "data", "bss"), 0)
        for one, section in zip((s for s in loaded if s["sh_size"]), sections, strict=True):
            if section.counted:
                sums[_what(one)] += section.size_bytes
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


def _section(section: ElfSection) -> Section:
    reason = next((why for name, why in LEFT_OUT.items() if section.name.startswith(name)), "")
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

# SPDX-License-Identifier: MIT
"""The functions and variables in an ELF file, relocatable or linked, of every architecture."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from msgspec import Struct

from assay.elf.reading import open_object, symbols

FUNCTIONS = ("STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS")
LABEL = "STT_NOTYPE"


class CodeSymbol(Struct, frozen=True):
    """A function. In a relocatable file the address is the offset in its section."""

    name: str
    section: int
    address: int
    size_bytes: int  # 0: the file does not say
    section_bytes: int


def code_symbols(path: Path) -> list[CodeSymbol]:
    """List the functions in an ELF file by section and address, global names first.

    A label without a type counts if it is global: others can call it. Local ones are
    jumps inside of functions.
    """
    found: list[tuple[int, int, bool, CodeSymbol]] = []
    for elf in _opened(path):
        arm = elf["e_machine"] == "EM_ARM"
        for symbol in _table(elf):
            index, kind = symbol["st_shndx"], symbol["st_info"]["type"]
            local = symbol["st_info"]["bind"] == "STB_LOCAL"
            if not symbol.name or not isinstance(index, int) or (kind == LABEL and local):
                continue
            section = elf.get_section(index)
            if kind not in (*FUNCTIONS, LABEL) or not _executable(section):
                continue
            thumb = arm and kind != LABEL and symbol["st_value"] & 1
            address = symbol["st_value"] - (1 if thumb else 0)
            one = CodeSymbol(symbol.name, index, address, symbol["st_size"], section["sh_size"])
            found.append((index, address, local, one))
    return [one for *_, one in sorted(found, key=lambda each: each[:3])]


def static_variables(path: Path) -> list[tuple[str, int, int]]:
    """List name, address and bytes of the variables in an ELF file that are not constant."""
    found = []
    for elf in _opened(path):
        for symbol in _table(elf):
            index, size = symbol["st_shndx"], symbol["st_size"]
            if symbol["st_info"]["type"] != "STT_OBJECT" or not size:
                continue
            common = index == "SHN_COMMON"
            if common or (isinstance(index, int) and _writable(elf.get_section(index))):
                found.append((symbol.name, symbol["st_value"], size))
    return found


def code_sections(path: Path) -> list[tuple[str, int, int]]:
    """List name, first address and end of each executable section of a linked file."""
    return [
        (section.name, section["sh_addr"], section["sh_addr"] + section["sh_size"])
        for elf in _opened(path)
        for section in elf.iter_sections()
        if _executable(section)
    ]


def outside_code(path: Path) -> list[tuple[str, str]]:
    """List global functions and labels outside executable sections, with the section's name."""
    found = []
    for elf in _opened(path):
        for symbol in symbols(elf):
            index, info = symbol["st_shndx"], symbol["st_info"]
            if isinstance(index, int) and info["bind"] != "STB_LOCAL":
                section = elf.get_section(index)
                if info["type"] in (*FUNCTIONS, LABEL) and not _executable(section):
                    found.append((symbol.name, section.name))
    return found


def _executable(section: Any) -> bool:
    return bool(section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


def _writable(section: Any) -> bool:
    flags = SH_FLAGS.SHF_ALLOC | SH_FLAGS.SHF_WRITE
    return bool(section["sh_flags"] & flags == flags)


def _opened(path: Path) -> Iterator[ELFFile]:
    """Yield the one file."""
    with open_object(path) as elf:
        yield elf


def _table(elf: ELFFile) -> Iterator[Any]:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection) and section["sh_type"] == "SHT_SYMTAB":
            yield from section.iter_symbols()

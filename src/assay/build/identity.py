# SPDX-License-Identifier: MIT
"""When are two pieces of object code the same? When what gets loaded is the same.

Compared are the sections that occupy memory, their relocations by symbol name,
and the symbols they define; not debug data, compiler comments or file names.
Unwind tables are left out: they do not run.
"""

import hashlib
from pathlib import Path
from typing import Any

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

UNEXECUTED = (".eh_frame", ".note", ".comment", ".gnu.build.attributes")


def object_hash(objects: tuple[Path, ...]) -> str:
    """Digest the code and data of relocatable objects (sha256, 24 hexadecimal digits)."""
    digest = hashlib.sha256()
    for path in objects:
        with path.open("rb") as stream:
            _add_object(digest, ELFFile(stream))
    return digest.hexdigest()[:24]


def word_bits(path: Path) -> int:
    """Tell for which word size an object is made: 32 or 64."""
    with path.open("rb") as stream:
        return int(ELFFile(stream).elfclass)


def _add_object(digest: Any, elf: ELFFile) -> None:
    digest.update(f"{elf['e_machine']} {elf.elfclass} {elf.little_endian}".encode())
    loaded = {
        index: section
        for index, section in enumerate(elf.iter_sections())
        if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and not section.name.startswith(UNEXECUTED)
    }
    for section in loaded.values():
        contents = b"" if section["sh_type"] == "SHT_NOBITS" else section.data()
        heading = (section.name, section["sh_flags"], section["sh_size"], section["sh_addralign"])
        digest.update(repr(heading).encode() + contents)
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection) and section["sh_info"] in loaded:
            _add_relocations(digest, elf, section)
        elif isinstance(section, SymbolTableSection):
            _add_definitions(digest, section, loaded)


def _add_relocations(digest: Any, elf: ELFFile, section: RelocationSection) -> None:
    symbols: Any = elf.get_section(section["sh_link"])
    for relocation in section.iter_relocations():
        entry = relocation.entry
        symbol = symbols.get_symbol(entry["r_info_sym"])
        name = symbol.name
        if not name or symbol["st_info"]["bind"] == "STB_LOCAL":
            name = f"section {_section_name(elf, symbol)}+{symbol['st_value']}"
        addend = entry["r_addend"] if relocation.is_RELA() else 0
        digest.update(repr((entry["r_offset"], entry["r_info_type"], name, addend)).encode())


def _section_name(elf: ELFFile, symbol: Any) -> str:
    index = symbol["st_shndx"]
    return str(elf.get_section(index).name) if isinstance(index, int) else str(index)


def _add_definitions(digest: Any, table: SymbolTableSection, loaded: dict[int, Any]) -> None:
    """Add global symbols with their places; local names carry no behaviour."""
    defined = sorted(
        (symbol.name, symbol["st_shndx"], symbol["st_value"])
        for symbol in table.iter_symbols()
        if symbol["st_shndx"] in loaded and symbol["st_info"]["bind"] != "STB_LOCAL"
    )
    digest.update(repr(defined).encode())

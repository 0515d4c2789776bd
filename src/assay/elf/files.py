# SPDX-License-Identifier: MIT
"""Facts read from an ELF file: symbols, sections, relocations.

Sizes are those that size(1) counts in the format of Berkeley; names that others can use come with
the letters of nm.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from elftools.elf.constants import SH_FLAGS
from elftools.elf.relocation import RelocationSection
from msgspec import Struct

from assay.elf import reading
from assay.elf.reading import UNDEFINED, ObjectError, open_object, symbols

NOWHERE = "SHN_UNDEF"
PLACED = {"SHN_ABS": "A", "SHN_COMMON": "C"}
OBJECTS = ("STT_OBJECT", "STT_TLS")


class Symbol(Struct, frozen=True):
    """A symbol; `section` is where it is defined, or SHN_UNDEF, SHN_COMMON, SHN_ABS."""

    name: str
    bind: str
    kind: str
    section: str
    value: int
    size_bytes: int
    hidden: bool


class LoadedSection(Struct, frozen=True):
    """A section that is loaded and not empty."""

    name: str
    kind: str
    size_bytes: int
    writable: bool
    executable: bool


class Fix(Struct, frozen=True):
    """A relocation of section `place`, at `offset` in it (in memory, if the file is linked)."""

    place: str
    offset: int
    kind: int
    symbol: str
    target_section: str


class ObjectFile:
    """An ELF file in memory. What is read may be nonsense: it comes from submitted code."""

    def __init__(self, content: bytes) -> None:
        """Read headers now, the rest when asked."""
        self.content = content
        self._elf = reading.elf_of(content)

    @property
    def machine(self) -> str:
        """Name the machine, as EM_ARM."""
        return str(self._elf["e_machine"])

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Return all symbols that have a name."""
        return tuple(map(self._symbol, reading.symbols(self._elf)))

    def _symbol(self, entry: Any) -> Symbol:
        index = entry["st_shndx"]
        place = index if isinstance(index, str) else self._elf.get_section(index).name
        info = entry["st_info"]
        hidden = entry["st_other"]["visibility"] in {"STV_HIDDEN", "STV_INTERNAL"}
        return Symbol(
            entry.name,
            info["bind"].removeprefix("STB_"),
            info["type"].removeprefix("STT_"),
            place,
            int(entry["st_value"]),
            int(entry["st_size"]),
            hidden,
        )

    @property
    def undefined(self) -> frozenset[str]:
        """Name what has to come from elsewhere."""
        return frozenset(one.name for one in self.symbols if one.section == NOWHERE)

    @property
    def globals(self) -> tuple[Symbol, ...]:
        """Return what others can see."""
        return tuple(one for one in self.symbols if one.bind != "LOCAL" and one.section != NOWHERE)

    @cached_property
    def loaded(self) -> tuple[LoadedSection, ...]:
        """Return the sections that are loaded and not empty."""
        return tuple(self._loaded())

    def _loaded(self) -> Iterator[LoadedSection]:
        for one in self._elf.iter_sections():
            flags = one["sh_flags"]
            if flags & SH_FLAGS.SHF_ALLOC and one["sh_size"]:
                yield LoadedSection(
                    one.name,
                    str(one["sh_type"]),
                    int(one["sh_size"]),
                    bool(flags & SH_FLAGS.SHF_WRITE),
                    bool(flags & SH_FLAGS.SHF_EXECINSTR),
                )

    @cached_property
    def unloaded(self) -> frozenset[str]:
        """Name the sections that have contents and are not loaded."""
        return frozenset(
            one.name
            for one in self._elf.iter_sections()
            if one["sh_size"] and not one["sh_flags"] & SH_FLAGS.SHF_ALLOC
        )

    @property
    def asks_for_executable_stack(self) -> bool:
        """Return whether the note on the stack has the flag for execution."""
        note = self._elf.get_section_by_name(".note.GNU-stack")
        return note is not None and bool(note["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        """Return all relocations."""
        return tuple(self._fixes())

    def _fixes(self) -> Iterator[Fix]:
        for section in self._elf.iter_sections():
            if not isinstance(section, RelocationSection):
                continue
            place = self._elf.get_section(section["sh_info"])
            symbols: Any = self._elf.get_section(section["sh_link"])
            for one in section.iter_relocations():
                entry = symbols.get_symbol(one["r_info_sym"]) if symbols else None
                at = (place.name or section.name, int(one["r_offset"]), int(one["r_info_type"]))
                yield Fix(*at, *self._named(entry))

    def _named(self, entry: Any) -> tuple[str, str]:
        """Return a symbol's name and section."""
        if entry is None:
            return "", ""
        index = entry["st_shndx"]
        where = index if isinstance(index, str) else self._elf.get_section(index).name
        return entry.name, where

    def section_at(self, address: int) -> str:
        """Name the loaded section at an address of a linked file; empty if there is none."""
        for one in self._elf.iter_sections():
            start, size = int(one["sh_addr"]), int(one["sh_size"])
            if one["sh_flags"] & SH_FLAGS.SHF_ALLOC and start <= address < start + size:
                return str(one.name)
        return ""

    @property
    def dynamic_tags(self) -> dict[str, int]:
        """Return the entries of the dynamic section."""
        section: Any = self._elf.get_section_by_name(".dynamic")
        if section is None:
            return {}
        return {str(tag.entry.d_tag): int(tag.entry.d_val) for tag in section.iter_tags()}

    def segments(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield address, contents and size in memory of every loaded segment."""
        for one in self._elf.iter_segments():
            if one["p_type"] == "PT_LOAD" and one["p_memsz"]:
                yield int(one["p_vaddr"]), one.data(), int(one["p_memsz"])


def global_names(path: Path) -> list[tuple[str, str]]:
    """Return global and weak names with their type, sorted; nothing if it cannot be read."""
    try:
        with open_object(path) as elf:
            return sorted(dict(_names(elf)).items())
    except ObjectError:
        return []


def _names(elf: Any) -> Iterator[tuple[str, str]]:
    for symbol in symbols(elf):
        info, index = symbol["st_info"], symbol["st_shndx"]
        if info["bind"] == "STB_LOCAL" or index == UNDEFINED:
            continue
        if info["bind"] == "STB_WEAK":
            yield symbol.name, "V" if info["type"] in OBJECTS else "W"
        else:
            yield symbol.name, PLACED.get(index) or _section(elf.get_section(index))


def _section(section: Any) -> str:
    """Return the letter of a section: code, zeros, data or constants."""
    if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR:
        return "T"
    if section["sh_type"] == "SHT_NOBITS":
        return "B"
    return "D" if section["sh_flags"] & SH_FLAGS.SHF_WRITE else "R"


def object_sizes(path: Path) -> tuple[int, int, int] | None:
    """Return text (with constants), data and bss in bytes; None if it cannot be read."""
    try:
        with open_object(path) as elf:
            sections = [section.header for section in elf.iter_sections()]
    except ObjectError:
        return None
    text = data = bss = 0
    for header in sections:
        if not header.sh_flags & SH_FLAGS.SHF_ALLOC:
            continue
        if header.sh_type == "SHT_NOBITS":
            bss += header.sh_size
        elif header.sh_flags & SH_FLAGS.SHF_WRITE:
            data += header.sh_size
        else:
            text += header.sh_size
    return text, data, bss

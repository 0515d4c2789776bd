# SPDX-License-Identifier: MIT
"""Object files of Windows (COFF), written as ELF, so that one reader serves for both.

What is not code, data or names is left out. The format: Microsoft, "PE Format", sections "COFF
File Header" to "COFF String Table". On 32-bit x86 C's names begin with an underscore, which
goes. Linked programs are not read.
"""

import mmap
import struct
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

Content = bytes | mmap.mmap

MACHINES = {0x8664: (64, 62), 0x014C: (32, 3)}  # word size, ELF's number
HEADER, SECTION, SYMBOL, FIX = (
    struct.Struct("<HHIIIHH"), struct.Struct("<8sIIIIIIHHI"),
    struct.Struct("<8sIhHBB"), struct.Struct("<IIH"),
)  # fmt: skip
INFO, REMOVED, DISCARDED, MANY_FIXES = 0x200, 0x800, 0x0200_0000, 0x0100_0000
CODE, EMPTY, EXECUTED, WRITTEN = 0x20, 0x80, 0x2000_0000, 0x8000_0000
FOR_THE_LINKER = b".drectve"
GLOBAL, STATIC, WEAK = 2, 3, 105
FUNCTION = 0x20
COMMON, ABSOLUTE = 0xFFF2, 0xFFF1
# Types of relocations: by bits, whether they count from their own place.
FIXES = {
    64: {1: 1, 2: 10, 3: 10, **dict.fromkeys(range(4, 10), 2), 10: 12, 11: 10},
    32: {6: 1, 7: 1, 10: 20, 11: 1, 20: 2},
}
PROGBITS, SYMTAB, STRTAB, NOBITS, REL = 1, 2, 3, 8, 9


def is_coff(data: Content) -> bool:
    """Return whether a file begins as an object file of Windows on x86."""
    if len(data) < HEADER.size:
        return False
    machine, _, _, _, _, optional, _ = HEADER.unpack_from(data)
    return machine in MACHINES and optional == 0


def sizes_of(data: Content, most_sections: int) -> tuple[int, int, int]:
    """Return how many sections, symbols and relocations the headers say there are.

    Of more than `most_sections` no header is read.
    """
    _, sections, _, _, symbols, _, _ = HEADER.unpack_from(data)
    if sections > most_sections:
        return sections, symbols, 0
    return sections, symbols, sum(_fixes_of(data, one)[1] for one in _headers(data))


def as_elf(data: Content) -> bytes:
    """Return the object file as ELF; ValueError or struct.error if it is cut short."""
    return _Writer(data).written()


class _Header(NamedTuple):
    """A section's header."""

    name: bytes
    memory: int
    base: int
    size: int
    start: int
    fixes: int
    lines: int
    fix_count: int
    line_count: int
    marks: int


def _headers(data: Content) -> Iterator[_Header]:
    for number in range(HEADER.unpack_from(data)[1]):
        yield _Header(*SECTION.unpack_from(data, HEADER.size + number * SECTION.size))


def _fixes_of(data: Content, header: _Header) -> tuple[int, int]:
    """Return where a section's relocations are, and how many; the first may hold their number."""
    if not (header.marks & MANY_FIXES and header.fix_count == 0xFFFF):
        return header.fixes, header.fix_count
    return header.fixes + FIX.size, max(FIX.unpack_from(data, header.fixes)[0] - 1, 0)


class _Section(Struct, frozen=True):
    """A section of ELF: what stands in its header, and its content. Names are offsets."""

    name: int
    kind: int
    flags: int
    content: bytes
    size: int
    link: int = 0
    info: int = 0
    align: int = 1
    entry: int = 0


class _Writer:
    """Writes one file. Names stay in the table of COFF; short ones are added to it."""

    def __init__(self, data: Content) -> None:
        machine, self._count, _, self._symbols_at, self._symbol_count, _, _ = HEADER.unpack_from(
            data
        )
        self._data = data
        self._bits, self._machine = MACHINES[machine]
        self._wide = self._bits == 64
        strings_at = self._symbols_at + self._symbol_count * SYMBOL.size
        self._names = bytearray(4) + bytes(data[strings_at + 4 :]) + b"\0"
        self._left = len(data)  # sections that lie upon each other would make more of it

    def written(self) -> bytes:
        own = [self._section(one) for one in _headers(self._data)]
        table, places = self._symbols()
        fixes = list(self._all_fixes(places))
        content, names = b"".join(table), self._count + 2 + len(fixes)
        entry = 24 if self._wide else 16
        symbols = _Section(0, SYMTAB, 0, content, len(content), names, 1, 8, entry)
        strings = _Section(0, STRTAB, 0, bytes(self._names), len(self._names))
        return self._file([*own, symbols, *fixes, strings])

    # ------------------------------------------------------------ what is read

    def _part(self, start: int, size: int) -> bytes:
        self._left -= size
        if start + size > len(self._data) or self._left < 0:
            raise ValueError("a part of it is cut short")
        return bytes(self._data[start : start + size])

    def _name(self, raw: bytes) -> int:
        """Return where a name is: one of at most 8 bytes is put into the table."""
        if raw[:4] == bytes(4):
            at = int.from_bytes(raw[4:], "little")
        elif raw[:1] == b"/" and raw[1:].rstrip(b"\0").isdigit():
            at = int(raw[1:].rstrip(b"\0"))
        else:
            at = len(self._names)
            self._names += raw.rstrip(b"\0") + b"\0"
        if at >= len(self._names):
            raise ValueError("its names are cut short")
        return at

    def _section(self, one: _Header) -> _Section:
        kind = NOBITS if one.marks & EMPTY else PROGBITS
        loaded = one.name != FOR_THE_LINKER and not one.marks & (INFO | REMOVED | DISCARDED)
        flags = 2 * loaded | bool(one.marks & WRITTEN) | 4 * bool(one.marks & (CODE | EXECUTED))
        content = b"" if kind == NOBITS else self._part(one.start, one.size)
        align = 1 << max((one.marks >> 20 & 15) - 1, 0)
        return _Section(self._name(one.name), kind, flags, content, one.size, align=align)

    def _symbols(self) -> tuple[list[bytes], dict[int, int]]:
        """Return the entries, and where each symbol of COFF went."""
        entries, places = [self._symbol(0, 0, 0, 0, 0)], {}
        number = 0
        while number < self._symbol_count:
            at = self._symbols_at + number * SYMBOL.size
            raw, value, section, kind, storage, more = SYMBOL.unpack_from(self._data, at)
            if storage in {GLOBAL, STATIC, WEAK} and -1 <= section <= self._count:
                places[number] = len(entries)
                name = self._name(raw)
                name += not self._wide and self._names[name : name + 1] == b"_"
                entries.append(self._entry(name, value, section, kind, storage))
            number += 1 + more
        return entries, places

    def _entry(self, name: int, value: int, section: int, kind: int, storage: int) -> bytes:
        bind = {GLOBAL: 1, STATIC: 0, WEAK: 2}[storage]
        sort = 2 if kind == FUNCTION else 0
        if section == 0 and value and storage == GLOBAL:
            return self._symbol(name, bind << 4 | 1, COMMON, 1, value)
        place = ABSOLUTE if section < 0 else section
        return self._symbol(name, bind << 4 | sort, place, value if section else 0, 0)

    def _all_fixes(self, places: dict[int, int]) -> Iterator[_Section]:
        for number, one in enumerate(_headers(self._data), start=1):
            start, count = _fixes_of(self._data, one)
            if count:
                made = b"".join(self._fixes(start, count, one.base, places))
                entry = 16 if self._wide else 8
                yield _Section(0, REL, 0, made, len(made), self._count + 1, number, entry=entry)

    def _fixes(self, start: int, count: int, base: int, places: dict[int, int]) -> Iterator[bytes]:
        for place, symbol, kind in FIX.iter_unpack(self._part(start, count * FIX.size)):
            at, sort = (place - base) & 0xFFFF_FFFF, FIXES[self._bits].get(kind, 0)
            to = places.get(symbol, 0)
            if self._wide:
                yield struct.pack("<QQ", at, to << 32 | sort)
            else:
                yield struct.pack("<II", at, to << 8 & 0xFFFF_FFFF | sort)

    # ------------------------------------------------------------ what is written

    def _symbol(self, name: int, info: int, section: int, value: int, size: int) -> bytes:
        if self._wide:
            return struct.pack("<IBBHQQ", name, info, 0, section, value, size)
        return struct.pack("<IIIBBH", name, value, size, info, 0, section)

    def _file(self, sections: list[_Section]) -> bytes:
        """Return header, contents and section headers; the last section has the names."""
        start = 64 if self._wide else 52
        body, headers = bytearray(), [self._header(_Section(0, 0, 0, b"", 0), 0)]
        for one in sections:
            body += bytes(-len(body) % 16)
            headers.append(self._header(one, start + len(body)))
            body += one.content
        return self._start(start + len(body), len(headers)) + bytes(body) + b"".join(headers)

    def _header(self, one: _Section, at: int) -> bytes:
        form = "<IIQQQQIIQQ" if self._wide else "<IIIIIIIIII"
        return struct.pack(
            form, one.name, one.kind, one.flags, 0, at, one.size, one.link, one.info, one.align,
            one.entry,
        )  # fmt: skip

    def _start(self, headers_at: int, count: int) -> bytes:
        ident = b"\x7fELF" + bytes([2 if self._wide else 1, 1, 1]) + bytes(9)
        form = "<HHIQQQIHHHHHH" if self._wide else "<HHIIIIIHHHHHH"
        sizes = (64, 64) if self._wide else (52, 40)
        return ident + struct.pack(
            form, 1, self._machine, 1, 0, 0, headers_at, 0, sizes[0], 0, 0, sizes[1], count,
            count - 1,
        )  # fmt: skip

# SPDX-License-Identifier: MIT
"""How much an object file may hold before it is read.

Submitted sources of one line make hundreds of thousands of sections or symbols, and reading
these takes minutes. So the counts are looked at first, in the section headers alone (System V
ABI, chapter 4, "Object Files"); nothing else of the file is believed or kept in memory.
Those of Windows are read as ELF (`coff.py`).
"""

import io
import mmap
import re
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from msgspec import Struct
from msgspec.structs import fields

from assay.elf.coff import Content, as_elf, is_coff, sizes_of
from assay.errors import AssayError

MAGIC = b"\x7fELF"
HEADER_BYTES = 52  # of the smaller of both forms
SYMBOLS, STRINGS, DYNAMIC_SYMBOLS = 2, 3, 11  # section types
RELOCATIONS = {4: 24, 9: 16}  # and the bytes of one where the header says nothing
LOADED = 2  # SHF_ALLOC
UNDEFINED = "SHN_UNDEF"
LONGEST_NAME = 1 << 14  # C++ and Rust mangle a few thousand bytes into one
CURE = "Generate less: honest packages have some hundred sections and some thousand symbols."
_LONG_NAME = re.compile(rb"[^\0]{%d}" % LONGEST_NAME)


class ObjectError(AssayError):
    """A file that should hold object code cannot be read."""


class ObjectCounts(Struct, frozen=True):
    """How much there is in object files, or how much there may be."""

    sections: int = 0
    symbols: int = 0
    relocations: int = 0

    def __add__(self, other: "ObjectCounts") -> "ObjectCounts":
        """Add up two files."""
        return ObjectCounts(
            self.sections + other.sections,
            self.symbols + other.symbols,
            self.relocations + other.relocations,
        )


# A package in C++ or Rust with its library has tens of thousands of each.
MOST = ObjectCounts(sections=50_000, symbols=150_000, relocations=1_000_000)


class _Section(NamedTuple):
    """What matters of a section header."""

    kind: int
    flags: int
    offset: int
    size: int
    info: int
    entry: int


def require_limits(paths: Iterable[Path]) -> None:
    """Raise ObjectError, with the cure, if object files hold more than is read of a package."""
    total = ObjectCounts()
    for path in paths:
        total += counts(path)
        _require(total)


def _require(total: ObjectCounts) -> None:
    for field in fields(ObjectCounts):
        found, most = getattr(total, field.name), getattr(MOST, field.name)
        if found > most:
            what = f"the object code has {found} {field.name}"
            raise ObjectError(f"{what}, and at most {most} are read", CURE)


@contextmanager
def open_object(path: Path) -> Iterator[ELFFile]:
    """Open an object file that is within the limits; ObjectError if it is not, or is none."""
    require_limits([path])
    try:
        with path.open("rb") as stream:
            if path.stat().st_size and is_coff(stream.read(HEADER_BYTES)):
                stream.seek(0)
                yield ELFFile(io.BytesIO(as_elf(stream.read())))
            else:
                yield ELFFile(stream)
    except (ELFError, OSError) as error:
        raise ObjectError(f"{path.name} cannot be read as object code: {error}") from error


def elf_of(content: bytes) -> ELFFile:
    """Return an ELF file in memory that is within the limits; ObjectError if it is not."""
    try:
        _require(_counts_of(content))
        return ELFFile(io.BytesIO(as_elf(content) if is_coff(content) else content))
    except (ValueError, OverflowError, struct.error, ELFError) as error:
        raise ObjectError(f"the object code cannot be read: {error}") from error


def symbols(elf: ELFFile) -> Iterator[Any]:
    """Yield the symbols of all tables that have a name."""
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            yield from (symbol for symbol in section.iter_symbols() if symbol.name)


def global_symbols(elf: ELFFile) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that an object defines for others, and those that it needs of them."""
    found = [
        (symbol.name, symbol["st_shndx"] == UNDEFINED)
        for symbol in symbols(elf)
        if symbol["st_info"]["bind"] != "STB_LOCAL"
    ]
    defined, needed = (
        frozenset(name for name, open_ in found if open_ is one) for one in (False, True)
    )
    return defined, needed


def word_bits(path: Path) -> int:
    """Return the word size for which an object is made: 32 or 64."""
    with open_object(path) as elf:
        return int(elf.elfclass)


def counts(path: Path) -> ObjectCounts:
    """Count what an ELF file holds by its section headers; ObjectError if they are nonsense."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
            return _counts_of(data)
    except (ValueError, OverflowError, OSError, struct.error) as error:
        raise ObjectError(f"{path.name} cannot be read as object code: {error}") from error


def _counts_of(data: Content) -> ObjectCounts:
    """Count what a file holds; one of Windows only if its own header is within the limits."""
    if not is_coff(data):
        return _counted(data)
    found = ObjectCounts(*sizes_of(data, MOST.sections))
    if any(getattr(found, one.name) > getattr(MOST, one.name) for one in fields(ObjectCounts)):
        return found
    return _counted(as_elf(data))


def _counted(data: Content) -> ObjectCounts:
    start, number, size, fixed = _table(data)
    if number > MOST.sections:
        return ObjectCounts(sections=number)
    if start + number * size > len(data) or (number and size < fixed.size):
        raise ValueError("its section headers are cut short")
    table = [_Section(*fixed.unpack_from(data, start + at * size)) for at in range(number)]
    symbols = relocations = 0
    for one in table:
        if one.kind in (SYMBOLS, DYNAMIC_SYMBOLS):
            symbols += one.size // max(one.entry, 1)
        elif one.kind in RELOCATIONS and _is_loaded(table, one.info):
            relocations += one.size // max(one.entry, 1)
        elif one.kind == STRINGS:
            _require_short_names(data, one)
    return ObjectCounts(number, symbols, relocations)


def _table(data: Content) -> tuple[int, int, int, struct.Struct]:
    """Return where the section headers are, how many, their size, and the form of one."""
    if len(data) < HEADER_BYTES or data[:4] != MAGIC or not {data[4], data[5]} <= {1, 2}:
        raise ValueError("it is no ELF file")
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    (start,) = struct.unpack_from(f"{order}{'Q' if wide else 'I'}", data, 0x28 if wide else 0x20)
    size, number = struct.unpack_from(f"{order}HH", data, 0x3A if wide else 0x2E)
    # name, type, flags, address, offset, size, link, info, alignment, bytes of an entry
    fixed = struct.Struct(f"{order}4xIQ8xQQ4xI8xQ" if wide else f"{order}4xII4xII4xI4xI")
    if start and not number:  # more than the field can say: the first header has it
        number = _Section(*fixed.unpack_from(data, start)).size
    return start, number, size, fixed


def _is_loaded(table: list[_Section], index: int) -> bool:
    """Return whether relocations change what is loaded; those of debug data are not read."""
    return index >= len(table) or bool(table[index].flags & LOADED)


def _require_short_names(data: Content, strings: _Section) -> None:
    if _LONG_NAME.search(data, strings.offset, strings.offset + strings.size):
        raise ObjectError(f"the object code has a name of more than {LONGEST_NAME} bytes", CURE)

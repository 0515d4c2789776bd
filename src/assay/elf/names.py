# SPDX-License-Identifier: MIT
"""The names that an object file defines for others, with the letters of nm."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.elf.constants import SH_FLAGS

from assay.elf.reading import UNDEFINED, ObjectError, open_object, symbols

PLACED = {"SHN_ABS": "A", "SHN_COMMON": "C"}
OBJECTS = ("STT_OBJECT", "STT_TLS")


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

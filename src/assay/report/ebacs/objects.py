# SPDX-License-Identifier: MIT
"""Sizes of object files as size(1) counts them in the format of Berkeley."""

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile


def object_sizes(path: Path) -> tuple[int, int, int] | None:
    """Return text (with constants), data and bss in bytes; None if there is no such object."""
    try:
        with path.open("rb") as stream:
            sections = [section.header for section in ELFFile(stream).iter_sections()]
    except (OSError, ELFError):
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

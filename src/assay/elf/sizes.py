# SPDX-License-Identifier: MIT
"""Sizes of object files as size(1) counts them in the format of Berkeley."""

from pathlib import Path

from elftools.elf.constants import SH_FLAGS

from assay.elf.reading import ObjectError, open_object


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

# SPDX-License-Identifier: MIT
"""What object files say of the stack, each for itself, before a linker puts them together.

Linkers make one note of many: where one object has none, GNU ld writes that the stack has to be
executable, and nobody can tell any more whether it was asked to.
"""

from collections.abc import Iterable
from pathlib import Path

from elftools.elf.constants import SH_FLAGS

from assay.compile.files import is_regular
from assay.elf.reading import open_object
from assay.model import Stacks

NOTE = ".note.GNU-stack"


def stacks_of(objects: Iterable[tuple[str, Path]]) -> Stacks:
    """Return which sources ask for an executable stack or say nothing of it, by their objects."""
    found: dict[str, list[str]] = {"asking": [], "silent": [], "empty": []}
    for source, path in objects:
        kind = _kind(path) if is_regular(path) else ""
        if kind:
            found[kind].append(source)
    return Stacks(**{kind: tuple(names) for kind, names in found.items()})


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

# SPDX-License-Identifier: MIT
"""PQClean's layout: prefixed names, and sources shared by all packages in `common/`."""

import re
from dataclasses import dataclass
from pathlib import Path

from assay.errors import PackageError
from assay.package.supercop.files import SOURCES, Files
from assay.package.supercop.parts import OperationParts
from assay.package.supercop.shared import COMMON, shared_files
from assay.package.text import read_text
from assay.targets.architectures import abi_of_pqclean

_ITEM = re.compile(r"^\s*- name:\s*(\S+)")
_MACHINE = re.compile(r"^\s*-?\s*architecture:\s*(\S+)")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
DIGEST = "nistkat-sha256"
_KEY = re.compile(r"^([a-z0-9-]+):\s*(.*)$")


def pqclean_parts(files: Files, prefix: str, tree: Path) -> OperationParts:
    """Return the parts of a package: its own sources and what it uses of `common/`."""
    sources = files.top(*SOURCES)
    shared = shared_files(files, tree)
    linked = tuple(name for name in shared if name.endswith(SOURCES))
    return OperationParts(
        "pqclean",
        tuple(files.real),
        (*sources, *linked),
        prefix=prefix,
        shared=tuple((name, Path(place)) for name, place in shared.items()),
        folders=(COMMON,) if shared else (),
    )


@dataclass(frozen=True, slots=True)
class Meta:
    """What META.yml says: machines of one implementation, and notes.

    `answers` is the file itself, if it has a digest of known answers.
    """

    architectures: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    answers: tuple[Path, ...] = ()


def read_meta(path: Path, implementation: str) -> Meta:
    """Read the lines of META.yml that matter here; it is optional.

    No reader of YAML is needed for names, machines and people on lines of their own.
    """
    if not path.is_file():
        return Meta()
    try:
        lines = read_text(path).split("\n")
    except PackageError:
        return Meta()
    notes = _notes(lines)
    stated = _SHA256.fullmatch(dict(notes).get(DIGEST, ""))
    return Meta(_machines(lines, implementation), notes, (path,) if stated else ())


def _machines(lines: list[str], implementation: str) -> tuple[str, ...]:
    """Name the ABIs that an implementation is for."""
    current, found = "", []
    for line in lines:
        if item := _ITEM.match(line):
            current = item[1]
        elif (machine := _MACHINE.match(line)) and current == implementation:
            found.append(abi_of_pqclean(machine[1]))
    return tuple(dict.fromkeys(found))


def _notes(lines: list[str]) -> tuple[tuple[str, str], ...]:
    """Return the submitters, and the hash of the answers to known questions."""
    key, people, notes = "", [], []
    for line in lines:
        if found := _KEY.match(line):
            key = found[1]
            if key == DIGEST and found[2]:
                notes.append((key, found[2].strip()[:64]))
        elif key.endswith("submitters") and line.strip().startswith("- "):
            people.append(line.strip()[2:])
    designers = [("designers", ", ".join(people)[:2000])] if people else []
    return (*designers, *notes)

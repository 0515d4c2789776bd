# SPDX-License-Identifier: MIT
"""What stands beside the code: checksums, numbers of loops, goals, machines and people.

PQClean has machines, people and a digest of known answers in `META.yml`.
"""

import re
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from assay.errors import PackageError
from assay.model import GOALS
from assay.package.supercop.files import Files, is_below, leaves
from assay.package.text import code_of, read_text, sort_of
from assay.targets.architectures import abi_of_pqclean

_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_NOTE_BYTES = 1 << 20
_NOTE_CHARACTERS = 2000
_BRANCHES = re.compile(
    r"^[ \t]*#[ \t]*ifdef[ \t]+SMALL\b(.*?)^[ \t]*#[ \t]*else\b(.*?)^[ \t]*#[ \t]*endif",
    re.MULTILINE | re.DOTALL,
)
_LOOPS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+LOOPS[ \t]+([0-9]{1,9})[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^\s*- name:\s*(\S+)")
_MACHINE = re.compile(r"^\s*-?\s*architecture:\s*(\S+)")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
DIGEST = "nistkat-sha256"
_KEY = re.compile(r"^([a-z0-9-]+):\s*(.*)$")


class Primitive(Struct, frozen=True):
    """What all implementations of a primitive share; see OperationDetails."""

    checksum_small: str | None
    checksum_big: str | None
    loops: tuple[int, int] | None
    weights: bool
    notes: tuple[tuple[str, str], ...]


def read_primitive(folder: Path, limit: str) -> Primitive:
    """Read what stands in a primitive's folder; `limit` is the real folder of the tree.

    Raises PackageError for a checksum that is none and loops that are no numbers.
    """
    return Primitive(
        checksum_small=_checksum(folder / "checksumsmall", limit),
        checksum_big=_checksum(folder / "checksumbig", limit),
        loops=_loops(folder / "supercop" / "test-loops.inc", limit),
        weights=_inside(folder / "supercop" / "test-more.inc", limit),
        notes=_notes(folder, ("designers", "description"), limit),
    )


def goals(files: Files) -> tuple[str, ...]:
    """Name the goals that an implementation declares."""
    return tuple(goal for goal in sorted(GOALS) if f"goal-{goal}" in files.real)


def architectures(files: Files) -> tuple[str, ...]:
    """Name the ABIs that an implementation is for; empty for any. An empty list is an error."""
    if "architectures" not in files.real:
        return ()
    found = tuple(dict.fromkeys(files.text("architectures").split()))
    if found:
        return found
    raise PackageError(
        f"{files.folder}/architectures is empty: the implementation is for no machine",
        "Write names such as amd64 into it, or remove the file.",
    )


def own_notes(files: Files) -> tuple[tuple[str, str], ...]:
    """Return what the implementation's own files say about it and its authors."""
    named = {"implementors": "implementors", "description": "implementation"}
    found = (
        (note, _capped(files.text(name))) for name, note in named.items() if name in files.real
    )
    return tuple((note, text) for note, text in found if text)


def _checksum(path: Path, limit: str) -> str | None:
    """Read a checksum; an absent or empty file is None, as for SUPERCOP."""
    text = read_text(path).strip() if _inside(path, limit) else ""
    if path.exists() and not path.is_file():
        raise PackageError(
            f"{path} is {sort_of(path)}, and no file with a checksum",
            "Remove it, or put a file in its place.",
        )
    if not text or _CHECKSUM.fullmatch(text):
        return text or None
    raise PackageError(
        f"{path} holds {text[:80]!a}, which is no checksum",
        "It has 64 digits 0-9 and a-f; remove the file if there is no checksum yet.",
    )


def _loops(path: Path, limit: str) -> tuple[int, int] | None:
    """Read the numbers of loops, for SMALL and without it."""
    if not _inside(path, limit):
        return None
    code = code_of(read_text(path))
    branches = _BRANCHES.search(code)
    small, big = (_LOOPS.findall(branches[n] if branches else code) for n in (1, 2))
    if small and big:
        return int(small[-1]), int(big[-1])
    raise PackageError(
        f"{path} does not define LOOPS as a number",
        "Write #define LOOPS and a number, once under #ifdef SMALL and once under #else.",
    )


def _notes(folder: Path, names: tuple[str, ...], limit: str) -> tuple[tuple[str, str], ...]:
    present = (name for name in names if _inside(folder / name, limit))
    found = ((name, _capped(read_text(folder / name, _NOTE_BYTES))) for name in present)
    return tuple((name, text) for name, text in found if text)


def _capped(text: str) -> str:
    """Make text of unknown origin printable and not too long; UTF-8 where it is that."""
    with suppress(UnicodeDecodeError):
        text = text.encode("latin-1").decode("utf-8")
    lines = ("".join(c if c.isprintable() else " " for c in line) for line in text.splitlines())
    whole = "\n".join(line.rstrip() for line in lines).strip()
    return whole if len(whole) <= _NOTE_CHARACTERS else whole[:_NOTE_CHARACTERS] + " ..."


def _inside(path: Path, limit: str) -> bool:
    """Return whether there is a file; one outside of the tree is an error."""
    if not path.is_file():
        return False
    if not is_below(str(path.resolve()), limit):
        raise leaves(str(path), limit)
    return True


class Meta(Struct, frozen=True):
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
    notes = _meta_notes(lines)
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


def _meta_notes(lines: list[str]) -> tuple[tuple[str, str], ...]:
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

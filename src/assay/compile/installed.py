# SPDX-License-Identifier: MIT
"""Which version of a library lies on this machine: what tells its file from others of its name.

Of Debian's packages it is their version; of other ELF files the build id that their linker wrote
(GNU binutils, `--build-id`); of archives, and of files without one, a digest.
"""

import functools
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection

from assay.compile.files import content_of
from assay.model import LibraryFile

SECONDS = 20
DIGITS = 12
GONE = "gone"


def library_file(path: Path) -> LibraryFile:
    """Return a library with its version as it is now; links are followed."""
    real = path.resolve()
    try:
        known = real.stat()
    except OSError:
        return LibraryFile(real, GONE)
    return LibraryFile(real, _version(real, known.st_mtime_ns, known.st_size))


def unchanged(one: LibraryFile) -> bool:
    """Return whether a library is still the one that something was linked with."""
    return library_file(one.path) == one


@functools.lru_cache(maxsize=256)
def _version(path: Path, _changed_ns: int, _size: int) -> str:
    return _of_debian(path) or _build_id(path) or f"SHA-256 {content_of(path)[:DIGITS]}"


def _of_debian(path: Path) -> str:
    """Return the package that a file is of, with its version; empty if it is of none."""
    if not path.is_relative_to("/usr"):
        return ""
    owner = said(["dpkg-query", "--search", str(path)]).partition(": ")[0]
    if not owner or "," in owner:
        return ""
    return said(["dpkg-query", "--show", "--showformat", "${Package} ${Version}", owner])


def said(line: Sequence[str]) -> str:
    """Return what a program of this machine says; empty if it fails or takes too long."""
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            line, cwd="/", capture_output=True, text=True, errors="replace", timeout=SECONDS,
            check=False,
        )  # fmt: skip
        return done.stdout.strip() if done.returncode == 0 else ""
    return ""


def _build_id(path: Path) -> str:
    with suppress(OSError, ELFError), path.open("rb") as file:
        sections = ELFFile(file).iter_sections()
        notes = (one for part in sections if isinstance(part, NoteSection)
                 for one in part.iter_notes())  # fmt: skip
        found = (one.n_desc for one in notes if one.n_type == "NT_GNU_BUILD_ID")
        if identity := next(found, ""):
            return f"build id {identity[:DIGITS]}"
    return ""

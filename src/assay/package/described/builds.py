# SPDX-License-Identifier: MIT
"""What the files of a tree's own build say of macros; they are read and never run."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from assay.errors import AssayError
from assay.package.text import read_text

BUILDS = frozenset(("CMakeLists.txt", "meson.build", "Makefile", "makefile", "GNUmakefile"))
_SUFFIXES = (".cmake", ".mk")
_MACRO = re.compile(r"-D[ ]?([A-Za-z_]\w*)|target_compile_definitions\([^)]*?\b([A-Z_]\w*_\w+)")
_VALUE = re.compile(r"-D[ ]?([A-Za-z_]\w*)=(\d{1,9})\b")
_OWN = "CMAKE_"
_MOST = 40


def mentioned(texts: Iterable[str]) -> list[str]:
    """Name the macros that texts of builds mention; CMake's own variables are none."""
    found = {one[1] or one[2] for text in texts for one in _MACRO.finditer(text)}
    return sorted(one for one in found if not one.startswith(_OWN))[:_MOST]


def choice(texts: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Return the macro that a build gives the most different numbers, with these in order.

    That is how parameter sets are chosen that no folders stand for. Empty if none has two.
    """
    values: dict[str, set[str]] = {}
    for text in texts:
        for name, value in _VALUE.findall(text):
            if not name.startswith(_OWN):
                values.setdefault(name, set()).add(value)
    name = max(sorted(values), key=lambda one: len(values[one]), default="")
    if len(values.get(name, ())) < 2:
        return "", ()
    return name, tuple(sorted(values[name], key=int))


def build_texts(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield the texts of the files of a build; one that cannot be read says nothing."""
    for name in names:
        if PurePosixPath(name).name in BUILDS or name.endswith(_SUFFIXES):
            try:
                yield read_text(root / name)
            except (AssayError, OSError):
                continue

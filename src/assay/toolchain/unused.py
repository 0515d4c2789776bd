# SPDX-License-Identifier: MIT
"""Which code of a package a configuration leaves out, though this machine could run it.

Code behind `#ifdef __AES__` is compiled only if the option for the architecture defines the
macro. What a configuration defines is compared with what its compiler defines for the richest
option here; the names that differ are looked for in the preprocessor lines of the sources. So
nothing is compiled, and a package that chooses at run time (`target` attributes) is as it is.
"""

import functools
import re
import shlex
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.model import Compiler, Configuration
from assay.toolchain.remembered import richest
from assay.toolchain.survey import definitions

MOST_BYTES = 8 << 20  # of one package
SOURCES = (".c", ".h", ".S", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc")
WIDTHS = ("-m32", "-m64", "-mx32")
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\.|\\\r?\n)*", re.MULTILINE)
_NAME = re.compile(rb"[A-Za-z_]\w*")


def names_in(root: Path, files: Iterable[str]) -> frozenset[str]:
    """Return the names in the preprocessor lines of sources and headers, as far as limits go."""
    found: set[bytes] = set()
    left = MOST_BYTES
    for name in files:
        path = root / name
        if path.suffix not in SOURCES or not path.is_file():
            continue
        with path.open("rb") as file:
            text = file.read(left)
        left -= len(text)
        found.update(*(_NAME.findall(line) for line in _DIRECTIVE.findall(text)))
    return frozenset(one.decode("ascii", "replace") for one in found)


def unused(
    configuration: Configuration, compiler: Compiler, names: frozenset[str]
) -> tuple[str, ...]:
    """Return those names that are defined otherwise, or only, with the richest option."""
    if not names:
        return ()
    return tuple(sorted({name for name, _ in _missing(configuration, compiler)} & names))


def richest_of(pairs: Sequence[tuple[Configuration, Compiler]]) -> Configuration | None:
    """Return the configuration that leaves out least; the first of several, None of none."""
    best, least = None, None
    for configuration, compiler in pairs:
        missing = (not richest(compiler).usable, len(_missing(configuration, compiler)))
        if least is None or missing < least:
            best, least = configuration, missing
        if least == (False, 0):
            break
    return best


def _missing(configuration: Configuration, compiler: Compiler) -> frozenset[tuple[str, str]]:
    own = tuple(configuration.arch.split())
    widths = tuple(word for word in own if word in WIDTHS)
    rich = (*(richest(compiler).usable or "").split(), *widths)
    return _defined(compiler.command, rich) - _defined(compiler.command, own)


@functools.cache
def _defined(command: str, options: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """Return macros and values; none for options that the compiler does not take."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        Path(folder, "empty.c").touch()
        return definitions([*shlex.split(command), *options], Path(folder))

# SPDX-License-Identifier: MIT
"""Compilers that were run before: what was learned of one lies in the user's cache for a day.

To learn it takes a dozen processes, and a digest of thirty megabytes. It is forgotten as soon as
the compiler's files are others, or the variables by which it finds them.
"""

import hashlib
import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import asdict

from assay.machine.cache import cache_folder
from assay.machine.cpuinfo import cpu_flags
from assay.model import Compiler
from assay.toolchain import archs, survey
from assay.toolchain.archs import ArchFit
from assay.toolchain.survey import UNNAMED

DAY_SECONDS = 86_400.0
TRIES = 4
PAUSE_SECONDS = 1.0
Known = TypeVar("Known")
_refused: dict[Path, ArchFit] = {}  # so that all that one command says agrees
VARIABLES = ("PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH")


def examine(command: str) -> Compiler | str:
    """Return what `survey.examine` learns of a command, or has learned in the last day.

    One that names no macros is not remembered: the machine may have been short of memory.
    """
    path = _file(command)
    known = _read(path, _compiler)
    if known is not None:
        return known
    found = survey.examine(command)
    if isinstance(found, Compiler) and found.family != UNNAMED:
        _write(path, found, {**asdict(found), "path": str(found.path)})
    return found


def richest(compiler: Compiler) -> ArchFit:
    """Return the option that lets a compiler use most of this processor, as `archs` finds it.

    What a machine short of memory, processes or room refuses is tried again, some seconds long;
    a refusal for that is remembered as long as this process lives and no longer.
    """
    flags = cpu_flags()
    path = _file(compiler.command, "richest", *sorted(flags or ()))
    known = _refused.get(path) or _read(path, lambda told: ArchFit(**told))
    if known is not None:
        return known
    found = archs.richest(compiler, flags)
    for _ in range(TRIES):
        if not found.passing:
            break
        time.sleep(PAUSE_SECONDS)
        found = archs.richest(compiler, flags)
    if found.passing:
        _refused[path] = found
    else:
        _write(path, compiler, asdict(found))
    return found


def _file(command: str, *more: str) -> Path:
    """Name the file about a command, as the present variables have it."""
    words = (command, *(f"{name}={os.environ.get(name)}" for name in VARIABLES), *more)
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape"))
    return cache_folder() / "compilers" / f"{digest.hexdigest()[:24]}.json"


def _compiler(told: Mapping[str, Any]) -> Compiler:
    return Compiler(**{**told, "path": Path(told["path"])})


def _read(path: Path, made: Callable[[Mapping[str, Any]], Known]) -> Known | None:
    """Return what is known of a compiler whose files are as they were; None if it is too old."""
    try:
        known = json.loads(path.read_text("utf-8"))
        fresh = 0.0 <= time.time() - known["learned_at"] < DAY_SECONDS
        if not fresh or known["files"] != [_state(Path(name)) for name, *_ in known["files"]]:
            return None
        return made(known["learned"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, compiler: Compiler, learned: Mapping[str, Any]) -> None:
    """Keep what was learned; a cache that cannot be written keeps nothing."""
    try:
        files = [_state(one) for one in dict.fromkeys(_files(compiler))]
        text = json.dumps({"learned_at": time.time(), "files": files, "learned": learned})
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(text, "utf-8")
        partial.replace(path)
    except OSError:
        return


def _files(compiler: Compiler) -> Iterator[Path]:
    """Name the files of a compiler: its driver, by name and in fact, and what it starts."""
    words = shlex.split(compiler.command)
    found = shutil.which(words[0])
    yield Path(found or compiler.path)
    yield compiler.path.resolve()
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        Path(folder, "empty.c").touch()
        yield survey.program_of(words, compiler.path, Path(folder)).resolve()


def _state(path: Path) -> list[Any]:
    """Return what changes when a file is replaced or written to."""
    seen = path.stat()
    return [str(path), seen.st_size, seen.st_mtime_ns, seen.st_ino]

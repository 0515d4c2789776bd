# SPDX-License-Identifier: MIT
"""The harness, compiled once per compiler and ABI and kept in the user's cache."""

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import MachineError
from assay.model import Compiler

HARNESS = Path(__file__).resolve().parent.parent / "harness"
SOURCES = (
    "agent/agent.c",
    "agent/frame.c",
    "agent/buffers.c",
    "agent/guard.c",
    "agent/timing.c",
    "agent/stream.c",
    "agent/stream_timing.c",
    "hal/posix.c",
    "meter/counters.c",
    "meter/loops.c",
)
OPTIONS = ("-std=gnu11", "-O2")
TIME_LIMIT_SECONDS = 120


@functools.cache
def harness_hash() -> str:
    """Digest every file of the harness: a changed harness makes old results another thing."""
    digest = hashlib.sha256()
    for path in sorted(HARNESS.rglob("*.[ch]")):
        digest.update(str(path.relative_to(HARNESS)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def abi_options(arch: str) -> tuple[str, ...]:
    """Pick from a configuration's arch options those that change the ABI."""
    kept = ("-m32", "-m64", "-mx32", "-mabi=", "-mfloat-abi=", "-EL", "-EB", "-mbig", "-mlittle")
    return tuple(option for option in arch.split() if option.startswith(kept))


def harness_objects(compiler: Compiler, abi: tuple[str, ...]) -> tuple[Path, ...]:
    """Give the harness's object files for this compiler and ABI, compiling them once.

    MachineError if the compiler cannot compile them.
    """
    key = "\0".join((harness_hash(), compiler.identity, *abi)).encode()
    folder = cache_folder() / "harness" / hashlib.sha256(key).hexdigest()[:24]
    objects = tuple(folder / (Path(source).stem + ".o") for source in SOURCES)
    if not all(path.exists() for path in objects):
        with _alone(folder):
            if not all(path.exists() for path in objects):
                _compile_into(folder, compiler, abi)
    return objects


def cache_folder() -> Path:
    """Name the user's cache of Assay (XDG base directories)."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "assay"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one thread of one process at a time fill a folder of the cache; the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _compile_into(folder: Path, compiler: Compiler, abi: tuple[str, ...]) -> None:
    """Compile beside the cache and rename, so that a half-done cache is never seen."""
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for source in SOURCES:
            _compile_one(compiler, abi, source, scratch / (Path(source).stem + ".o"))
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _kernel_headers(abi: tuple[str, ...]) -> tuple[str, ...]:
    """Show a 32-bit compilation where Debian keeps <asm/...>: the same for both word sizes.

    Only the package gcc-multilib makes a link to it, and that one excludes all
    cross compilers.
    """
    folder = Path("/usr/include/x86_64-linux-gnu")
    needed = "-m32" in abi and not Path("/usr/include/asm").exists() and folder.is_dir()
    return ("-idirafter", str(folder)) if needed else ()


def _compile_one(compiler: Compiler, abi: tuple[str, ...], source: str, to: Path) -> None:
    command = [str(compiler.path), *OPTIONS, *abi, *_kernel_headers(abi)]
    command += ["-c", str(HARNESS / source), "-o", str(to)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS, check=False
    )
    if done.returncode != 0:
        raise MachineError(
            f"{compiler.command} cannot compile the harness ({source}): {done.stderr.strip()}",
            "Leave this compiler out (./scripts/configure asks which to use).",
        )

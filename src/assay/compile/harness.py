# SPDX-License-Identifier: MIT
"""The harness, compiled once per compiler and ABI and kept in the user's cache."""

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.compile.files import RULE, content_of, key_of
from assay.compile.parts import HARNESS, compile_options, sources, users_files
from assay.errors import MachineError
from assay.machine.cache import alone, written_cache
from assay.machine.threads import Threads
from assay.model import Compiler, Target

TIME_LIMIT_SECONDS = 120
SUFFIXES = (".c", ".h", ".S", ".ld", ".awk")
APART = "runtime/"  # a library's functions: the linker takes those that are called, if it may


@functools.cache
def harness_hash() -> str:
    """Digest every file of the harness: a changed harness makes old results another thing.

    So does another rule by which machine code is told apart.
    """
    digest = hashlib.sha256(RULE.encode() + APART.encode())
    for path in sorted(one for one in HARNESS.rglob("*") if one.suffix in SUFFIXES):
        digest.update(str(path.relative_to(HARNESS)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def harness_name(compiler: Compiler, options: tuple[str, ...], target: Target) -> str:
    """Name the harness as compiled by a compiler, under `options`, for a target."""
    return key_of(harness_hash(), compiler.identity, " ".join(options), repr(target))


def harness_objects(
    compiler: Compiler,
    options: tuple[str, ...],
    target: Target,
    kind: str,
    more: tuple[str, ...] = (),
) -> tuple[Path, ...]:
    """Return the harness's object files for a kind on a target, compiling each once.

    Most are those of every kind. `more` are sources that not all agents of the kind have.
    On this machine they are compiled by the configuration's own compiler with those of
    its `options` that change the ABI; elsewhere by the target's gcc. MachineError if the
    compiler cannot compile them.
    """
    chosen = (*sources(target, kind), *more)
    command = [str(compiler.path) if target.is_native else target.compiler]
    command += [*compile_options(options, target), *_kernel_headers(options, target)]
    made_by = compiler.identity if target.is_native else repr(target)
    own = map(content_of, users_files(target))
    folder = written_cache() / "harness" / key_of(harness_hash(), made_by, *command, *own)
    objects = {source: folder / _object_name(source) for source in chosen}
    if not all(path.exists() for path in objects.values()):
        with alone(folder):
            _compile_into(folder, command, (k for k, v in objects.items() if not v.exists()))
    return tuple(objects.values())


def _object_name(source: str) -> str:
    """Name an object file after folder and file: two folders may have one name."""
    return source.replace("/", "-").rsplit(".", 1)[0] + ".o"


def _compile_into(folder: Path, command: list[str], missing: Iterable[str]) -> None:
    """Compile beside the cache and rename, so that a half-done object is never seen."""
    folder.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))

    def compile_next(source: str) -> None:
        made = scratch / _object_name(source)
        _compile_one(command, source, made)
        made.rename(folder / made.name)

    pool = Threads(os.cpu_count() or 1)
    try:
        for done in [pool.submit(compile_next, source) for source in missing]:
            done.result()
    finally:
        pool.shutdown(cancel_futures=True)
        shutil.rmtree(scratch, ignore_errors=True)


def _kernel_headers(options: tuple[str, ...], target: Target) -> tuple[str, ...]:
    """Show a 32-bit compilation where Debian keeps <asm/...>: the same for both word sizes.

    Only the package gcc-multilib makes a link to it, and that one excludes all
    cross compilers.
    """
    folder = Path("/usr/include/x86_64-linux-gnu")
    wanted = "-m32" in (*options, *target.options) and "ppc" not in target.architecture
    needed = wanted and not Path("/usr/include/asm").exists() and folder.is_dir()
    return ("-idirafter", str(folder)) if needed else ()


def _compile_one(command: list[str], source: str, to: Path) -> None:
    line = [*command, "-c", str(HARNESS / source), "-o", str(to)]
    if source.startswith(APART):
        line.append("-ffunction-sections")
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS, check=False
        )
    except FileNotFoundError:
        raise MachineError(
            f"{command[0]} is not installed", "`assay targets` says how to install it."
        ) from None
    if done.returncode != 0:
        raise MachineError(
            f"{command[0]} cannot compile the harness ({source}): {done.stderr.strip()}",
            "Leave this compiler out (`assay configure` asks which to use).",
        )

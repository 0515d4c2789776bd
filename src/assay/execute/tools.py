# SPDX-License-Identifier: MIT
"""Helper programs of our own for emulators, built once into the user's cache.

They run on this machine beside the emulated code, so the host's compiler makes
them; no package is involved.
"""

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assay.errors import MachineError
from assay.machine.cache import alone, cache_folder

SOURCES = Path(__file__).resolve().parent.parent / "harness" / "counting"
OPTIONS = ("-std=gnu11", "-O2")
COMPILERS = ("gcc", "cc", "clang")
TIME_LIMIT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class _Helper:
    """A program: its source, what makes it of it, and what Debian calls what it needs."""

    source: str
    name: str
    options: tuple[str, ...]
    libraries: tuple[str, ...]
    cure: str


PLUGIN = _Helper(
    "qemu-plugin.c",
    "counting.so",
    ("-shared", "-fPIC", "-fvisibility=hidden"),
    (),
    "apt-get install gcc libc6-dev",
)
RUNNER = _Helper(
    "simavr.c",
    "assay-simavr",
    (),
    ("-lsimavr", "-lelf"),
    "apt-get install gcc libc6-dev libsimavr-dev libelf-dev",
)
STEPPER = _Helper("step-avr.c", "assay-step-avr", (), RUNNER.libraries, RUNNER.cure)


def plugin() -> Path:
    """Return the plugin that counts inside qemu; MachineError if it cannot be built."""
    return _built(PLUGIN)


def simavr_runner() -> Path:
    """Return the program that runs and counts AVR code; MachineError if it cannot be built."""
    return _built(RUNNER)


def avr_stepper() -> Path:
    """Return the program that steps through AVR code; MachineError if it cannot be built."""
    return _built(STEPPER)


def placed(helper: Path, folder: Path) -> Path:
    """Copy a helper to where jailed processes can read it, unless it is there."""
    to = folder / helper.name
    content = helper.read_bytes()
    if not to.exists() or to.read_bytes() != content:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as partial:
            partial.write(content)
        Path(partial.name).chmod(0o755)
        Path(partial.name).replace(to)  # an emulator may be running the old one
    return to


def _built(helper: _Helper) -> Path:
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise MachineError(f"no compiler for {helper.name} on this machine", helper.cure)
    digest = hashlib.sha256(f"{compiler} {OPTIONS} {helper}".encode())
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.read_bytes())
    folder = cache_folder() / "tools" / digest.hexdigest()[:24]
    if not (folder / helper.name).exists():
        with alone(folder):
            if not (folder / helper.name).exists():
                _compile_into(folder, compiler, helper)
    return folder / helper.name


def _compile_into(folder: Path, compiler: str, helper: _Helper) -> None:
    """Compile beside the cache and rename, so that a half-done cache is never seen."""
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        command = [compiler, *OPTIONS, *helper.options, str(SOURCES / helper.source)]
        command += ["-o", str(scratch / helper.name), *helper.libraries]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS, check=False
        )
        if done.returncode != 0:
            raise MachineError(
                f"{compiler} cannot build {helper.name}: {done.stderr.strip()}", helper.cure
            )
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

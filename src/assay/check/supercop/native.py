# SPDX-License-Identifier: MIT
"""The C helper: compiled once with the machine's compiler, kept in the cache, loaded here.

It is our own code and sees only our own numbers, and bytes that an agent answered.
"""

import ctypes
import functools
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol

from assay.check.supercop.salsa20 import Numbers, PlainEngine
from assay.compile.parts import HARNESS
from assay.errors import MachineError
from assay.machine.cache import alone, cache_folder

SOURCE = HARNESS / "checksum" / "salsa20.c"
COMPILERS = ("cc", "gcc", "clang")
OPTIONS = ("-O3", "-std=c11", "-shared", "-fPIC")
NAME = "checksum.so"
TIME_LIMIT_SECONDS = 120


class ChecksumEngine(Protocol):
    """What makes inputs and checksums."""

    def pieces(
        self, to: bytearray, key: bytes, nonces: Numbers, offsets: Numbers, lengths: Numbers
    ) -> None:
        """Put the starts of many streams into `to`."""

    def absorb(self, state: bytes, data: bytes, offsets: Numbers, lengths: Numbers) -> bytes:
        """Absorb many strings of `data` into a state; give the next one."""


class NativeEngine:
    """The C helper behind the same methods."""

    def __init__(self, path: Path) -> None:
        """Load the shared library."""
        self._library = ctypes.CDLL(str(path))

    def pieces(
        self, to: bytearray, key: bytes, nonces: Numbers, offsets: Numbers, lengths: Numbers
    ) -> None:
        """Put the starts of many streams into `to`; MachineError if they do not fit."""
        _within(to, offsets, lengths)
        if len(nonces):
            room = (ctypes.c_char * len(to)).from_buffer(to)
            numbers = map(_address, (nonces, offsets, lengths))
            self._library.assay_pieces(room, key, *numbers, ctypes.c_uint64(len(nonces)))

    def absorb(self, state: bytes, data: bytes, offsets: Numbers, lengths: Numbers) -> bytes:
        """Absorb many strings of `data` into a state; MachineError if they are not there."""
        _within(data, offsets, lengths)
        room = ctypes.create_string_buffer(state, len(state))
        numbers = map(_address, (offsets, lengths))
        self._library.assay_absorb(room, data, *numbers, ctypes.c_uint64(len(offsets)))
        return room.raw


def _address(numbers: Numbers) -> ctypes.c_void_p:
    return ctypes.c_void_p(numbers.buffer_info()[0])


def _within(data: bytes | bytearray, offsets: Numbers, lengths: Numbers) -> None:
    ends = (offset + length for offset, length in zip(offsets, lengths, strict=True))
    if max(ends, default=0) > len(data):
        raise MachineError("a piece of a checksum test lies outside of its memory")


@functools.cache
def engine() -> ChecksumEngine:
    """Return the C helper; without a compiler, the one in Python."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    return NativeEngine(_built(compiler)) if compiler else PlainEngine()


def _built(compiler: str) -> Path:
    """Compile the helper unless the cache has it (of this machine: a home may be shared)."""
    key = f"{compiler} {OPTIONS} {_machine()}".encode() + SOURCE.read_bytes()
    path = cache_folder() / "tools" / hashlib.sha256(key).hexdigest()[:24] / NAME
    if not path.exists():
        with alone(path.parent):
            if not path.exists():
                _compile(compiler, path)
    return path


def _machine() -> str:
    import platform  # noqa: PLC0415 - wanted once, and it is slow to load

    return f"{platform.machine()} {platform.libc_ver()}"


def _compile(compiler: str, to: Path) -> None:
    """Compile beside the cache and rename, so that a half-done cache is never seen."""
    scratch = Path(tempfile.mkdtemp(dir=to.parent.parent))
    try:
        line = [compiler, *OPTIONS, str(SOURCE), "-o", str(scratch / to.name)]
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS, check=False
        )
        if done.returncode != 0:
            raise MachineError(
                f"{compiler} cannot compile {SOURCE.name}: {done.stderr.strip()}",
                "Install a C compiler for this machine (apt-get install gcc).",
            )
        shutil.rmtree(to.parent, ignore_errors=True)
        scratch.rename(to.parent)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

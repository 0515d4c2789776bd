# SPDX-License-Identifier: MIT
"""Salsa20 for what the tests draw and hash: a C helper, and plain Python in place of it.

From D. J. Bernstein, "The Salsa20 family of stream ciphers", sections 4 to 10. The helper
is compiled once with the machine's compiler, kept in the cache, loaded here and checked against
Python. It is our own code and sees only our own numbers, and bytes that an agent answered.
"""

import ctypes
import functools
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from struct import pack, unpack
from typing import TYPE_CHECKING, TypeAlias

from assay.compile.parts import HARNESS
from assay.errors import MachineError
from assay.machine.cache import alone, cache_folder

if TYPE_CHECKING:
    from array import array

BLOCK_BYTES = 64
STATE_BYTES = 64
INPUT_BYTES = 16
_CONSTANTS = unpack("<4I", b"expand 32-byte k")
_COLUMNS = ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11))
_ROWS = ((0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14))
_WORD = 0xFFFFFFFF


def _rotate(value: int, count: int) -> int:
    value &= _WORD
    return (value << count | value >> (32 - count)) & _WORD


def double_round(words: Sequence[int]) -> list[int]:
    """Return the 16 words after a round on the columns and one on the rows (section 6)."""
    x = list(words)
    for a, b, c, d in _COLUMNS + _ROWS:
        x[b] ^= _rotate(x[a] + x[d], 7)
        x[c] ^= _rotate(x[b] + x[a], 9)
        x[d] ^= _rotate(x[c] + x[b], 13)
        x[a] ^= _rotate(x[d] + x[c], 18)
    return x


def salsa20(block: bytes) -> bytes:
    """Hash 64 bytes to 64 bytes (section 8)."""
    words = unpack("<16I", block)
    x = list(words)
    for _ in range(10):
        x = double_round(x)
    return pack("<16I", *((a + b) & _WORD for a, b in zip(x, words, strict=True)))


def core(data: bytes, key: bytes) -> bytes:
    """Expand a key of 32 bytes and 16 further bytes to 64 bytes (section 9)."""
    k, n = unpack("<8I", key), unpack("<4I", data)
    c = _CONSTANTS
    return salsa20(pack("<16I", c[0], *k[:4], c[1], *n, c[2], *k[4:], c[3]))


def stream(key: bytes, nonce: int, length: int) -> bytes:
    """Return the first bytes of a stream (section 10)."""
    blocks = range((length + BLOCK_BYTES - 1) // BLOCK_BYTES)
    return b"".join(core(pack("<QQ", nonce, count), key) for count in blocks)[:length]


def absorb(state: bytes, data: bytes) -> bytes:
    """Absorb one string into the state of a checksum (64 bytes); give the next state.

    Each 16 bytes go through the core with half of the state as the key; what is left is
    followed by a one, and marked by a flipped bit of the state.
    """
    whole = len(data) - len(data) % INPUT_BYTES
    for at in range(0, whole, INPUT_BYTES):
        state = core(data[at : at + INPUT_BYTES], state[:32])
    last = (data[whole:] + b"\1").ljust(INPUT_BYTES, b"\0")
    return core(last, bytes([state[0] ^ 1]) + state[1:32])


Numbers: TypeAlias = "array[int]"  # of type Q


class PlainEngine:
    """The two jobs of the C helper, some hundred times slower."""

    def pieces(
        self, to: bytearray, key: bytes, nonces: Numbers, offsets: Numbers, lengths: Numbers
    ) -> None:
        """Put the starts of many streams into `to`."""
        for nonce, offset, length in zip(nonces, offsets, lengths, strict=True):
            to[offset : offset + length] = stream(key, nonce, length)

    def absorb(self, state: bytes, data: bytes, offsets: Numbers, lengths: Numbers) -> bytes:
        """Absorb many strings of `data` into a state; give the next one."""
        for offset, length in zip(offsets, lengths, strict=True):
            state = absorb(state, data[offset : offset + length])
        return state


SOURCE = HARNESS / "checksum" / "salsa20.c"
COMPILERS = ("cc", "gcc", "clang")
OPTIONS = ("-O3", "-std=c11", "-shared", "-fPIC")
NAME = "checksum.so"
TIME_LIMIT_SECONDS = 120


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


ChecksumEngine = PlainEngine | NativeEngine


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

# SPDX-License-Identifier: MIT
"""Salsa20 in plain Python: what the C helper is checked against, and its slow substitute.

From D. J. Bernstein, "The Salsa20 family of stream ciphers", sections 4 to 10.
"""

from collections.abc import Sequence
from struct import pack, unpack
from typing import TYPE_CHECKING, TypeAlias

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

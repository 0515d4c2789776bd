# SPDX-License-Identifier: MIT
"""A few signed numbers as few bytes: published timings lie close together.

One byte says how wide a word is, eight hold the smallest number, and the words are
differences from it, all little-endian.
"""

from array import array
from collections.abc import Sequence
from sys import byteorder

from assay.store.records import told

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
START = 9


def pack_timings(values: Sequence[int]) -> bytes:
    """Write numbers of 64 bits with a sign; nothing for none."""
    if not values:
        return b""
    least = min(values)
    width = _width(max(values) - least)
    words = array(CODES[width], [value - least for value in values])
    return bytes([width]) + least.to_bytes(8, "little", signed=True) + _ordered(words).tobytes()


def unpack_timings(blob: bytes) -> tuple[int, ...]:
    """Read back what `pack_timings` wrote."""
    if not blob:
        return ()
    with told("sample"):
        words = array(CODES[blob[0]])
        words.frombytes(blob[START:])
        least = int.from_bytes(blob[1:START], "little", signed=True)
    return tuple(least + word for word in _ordered(words))


def _width(span: int) -> int:
    """Give the bytes that a number needs: 1, 2, 4 or 8."""
    return next(width for width in CODES if span < 1 << 8 * width)


def _ordered(words: "array[int]") -> "array[int]":
    """Swap bytes where this machine's order is not the file's."""
    if byteorder == "big":
        words.byteswap()
    return words

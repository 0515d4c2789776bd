# SPDX-License-Identifier: MIT
"""Integers as few bytes: the timings of one sample lie close together.

One byte says how wide a word is and whether the smallest number has a sign, eight hold that
number, and the words are differences from it, all little-endian.
"""

from array import array
from collections.abc import Sequence
from sys import byteorder

from assay.store.records import DAMAGE, damaged

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
START = 9
UNSIGNED = 0x80  # added to the first byte where the smallest number needs its 64th bit
LARGEST_SIGNED = (1 << 63) - 1


def pack(values: Sequence[int]) -> bytes:
    """Write numbers of 64 bits, with a sign or without; nothing for none."""
    if not values:
        return b""
    least = min(values)
    width = _width(max(values) - least)
    words = array(CODES[width], [value - least for value in values])
    mark = UNSIGNED if least > LARGEST_SIGNED else 0
    start = least.to_bytes(8, "little", signed=not mark)
    return bytes([width | mark]) + start + _ordered(words).tobytes()


def unpack(blob: bytes) -> tuple[int, ...]:
    """Read back what `pack` wrote; AssayError where it is damaged."""
    if not blob:
        return ()
    try:
        words = _ordered(array(CODES[blob[0] & ~UNSIGNED], blob[START:]))
        least = int.from_bytes(blob[1:START], "little", signed=not blob[0] & UNSIGNED)
    except DAMAGE as why:
        raise damaged("sample", why) from why
    return tuple([least + word for word in words])


def _width(span: int) -> int:
    """Return the bytes that a number needs: 1, 2, 4 or 8."""
    return next(width for width in CODES if span < 1 << 8 * width)


def _ordered(words: "array[int]") -> "array[int]":
    """Swap bytes where this machine's order is not the file's."""
    if byteorder == "big":
        words.byteswap()
    return words

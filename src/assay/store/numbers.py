# SPDX-License-Identifier: MIT
"""Integers as few bytes: the timings of one sample lie close together.

One byte says how wide a word is and whether the smallest number has a sign, eight hold that
number, and the words are differences from it, all little-endian.
"""

import struct
from collections.abc import Sequence
from functools import lru_cache

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
    mark = width | UNSIGNED if least > LARGEST_SIGNED else width
    words = [value - least for value in values]
    return _form(mark, START + width * len(words)).pack(mark, least, *words)


def unpack(blob: bytes) -> tuple[int, ...]:
    """Read back what `pack` wrote; AssayError where it is damaged."""
    if not blob:
        return ()
    try:
        _, least, *words = _form(blob[0], len(blob)).unpack(blob)
    except (*DAMAGE, struct.error) as why:
        raise damaged("sample", why) from why
    return tuple([least + word for word in words])


@lru_cache(maxsize=256)
def _form(mark: int, length: int) -> struct.Struct:
    """Return the form of numbers by their first byte and their length in bytes."""
    code, least = CODES[mark & ~UNSIGNED], "Q" if mark & UNSIGNED else "q"
    count = (length - START) // (mark & ~UNSIGNED)
    return struct.Struct(f"<B{least}{count}{code}")


def _width(span: int) -> int:
    """Return the bytes that a number needs: 1, 2, 4 or 8."""
    return next(width for width in CODES if span < 1 << 8 * width)

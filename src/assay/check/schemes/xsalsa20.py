# SPDX-License-Identifier: MIT
"""XSalsa20, which NaCl's boxes use: Bernstein, "Extending the Salsa20 nonce", section 2."""

from struct import pack, unpack

from assay.check.supercop.salsa20 import core, stream

HALF = 16  # bytes of a nonce that make the key of the others
CONSTANTS = unpack("<4I", b"expand 32-byte k")
AT_CONSTANTS, AT_INPUT = (0, 5, 10, 15), (6, 7, 8, 9)  # words that no key is added to
WORD = 1 << 32


def hsalsa20(key: bytes, data: bytes) -> bytes:
    """Return 32 bytes: the words of Salsa20's core from which what it adds is taken away."""
    words = unpack("<16I", core(data, key))
    places = (*AT_CONSTANTS, *AT_INPUT)
    added = (*CONSTANTS, *unpack("<4I", data))
    return pack("<8I", *((words[at] - one) % WORD for at, one in zip(places, added, strict=True)))


def keystream(key: bytes, nonce: bytes, length: int) -> bytes:
    """Return the first bytes of a stream, for a nonce of 24 bytes."""
    return stream(hsalsa20(key, nonce[:HALF]), int.from_bytes(nonce[HALF:], "little"), length)

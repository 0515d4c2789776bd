# SPDX-License-Identifier: MIT
"""The messages whose digests we write: around every multiple of 64 bits.

All usual block lengths, and the lengths from which padding needs a further block,
are multiples of 64 bits: 512 and 448, 1024 and 896, 1152, 1088, 832, 576, 64.
"""

STEP = 64
LAST = 2304  # two blocks of 1152 bits, the longest block of the hashes that we know
AROUND = (-8, -1, 0, 1)


def lengths(*, long: bool = False, bits: bool = True) -> tuple[int, ...]:
    """Return the lengths in bits; every one with `long`, whole bytes only without `bits`."""
    if long:
        return tuple(range(0, LAST + 1, 1 if bits else 8))
    near = {at + by for at in range(0, LAST + 1, STEP) for by in (*AROUND, 8)}
    return tuple(sorted(n for n in near if 0 <= n <= LAST and (bits or n % 8 == 0)))


def message(length: int) -> bytes:
    """Return the message of `length` bits: byte i is 53h i + i/64 + 5 length, modulo 256.

    Bits behind the last are 0.
    """
    count = -(-length // 8)
    data = bytearray((0x53 * i + i // 64 + 5 * length) & 0xFF for i in range(count))
    if length % 8:
        data[-1] &= 0xFF00 >> length % 8 & 0xFF
    return bytes(data)

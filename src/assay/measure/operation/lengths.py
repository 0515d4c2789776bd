# SPDX-License-Identifier: MIT
"""The message lengths at which operations are measured: eBACS's columns, or all of its curve."""

from collections.abc import Iterator

TABLE_BYTES = (8, 64, 576, 1536, 4096)  # the columns of eBACS
LONG_BYTES = (16384, 24576, 32768)  # for the line that "long" is the slope of
SIGNED_BYTES = (59,)  # what eBATS shows of signatures and encryption
SIGNING = ("crypto_sign", "crypto_encrypt")
TWO_LENGTHS = ("crypto_aead", "crypto_xof")
XOF_BYTES = 32  # of the length that does not grow, as SUPERCOP has it


def lengths_of(operation: str, *, curve: bool) -> tuple[tuple[int, int], ...]:
    """Return the lengths to measure, each with that of associated data or output."""
    lengths = tuple(_curve(operation)) if curve else _table(operation)
    if operation in TWO_LENGTHS:
        other = XOF_BYTES if operation == "crypto_xof" else 0
        found = [*((n, other) for n in lengths), *((other, n) for n in lengths)]
        return (*found, *((n, n) for n in lengths))
    return tuple((length, 0) for length in lengths)


def _table(operation: str) -> tuple[int, ...]:
    if operation in SIGNING:
        return SIGNED_BYTES
    if operation == "crypto_hashblocks":
        return tuple(one for one in (*TABLE_BYTES, *LONG_BYTES) if one % 128 == 0)
    return (*TABLE_BYTES, *LONG_BYTES)


def _curve(operation: str) -> Iterator[int]:
    """Yield eBACS's lengths: every one where it has every one."""
    if operation in SIGNING:
        length = 0
        while length <= 100_000:
            yield length
            length += 1 + length // 4
    elif operation in TWO_LENGTHS:
        yield from (n for n in range(1, 2049) if n <= 64 or n % 32 == 0)
    elif operation == "crypto_sort":
        yield from sorted({round(2 ** (step / 24)) for step in range(24 * 14 + 1)})
    else:
        yield from range(4097)
        if operation == "crypto_hash":
            yield from range(4096 + 1008, 65537, 1008)

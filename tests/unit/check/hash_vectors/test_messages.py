# SPDX-License-Identifier: MIT
"""Which messages are hashed."""

import pytest

from assay.check.answers.digests import lengths, message

# Block lengths in bits, and the bits that padding adds at least, by specification.
PADDING = {
    "SHA-256": (512, 65),
    "SHA-512": (1024, 129),
    "SHA3-224": (1152, 4),
    "SHA3-256": (1088, 4),
    "SHA3-384": (832, 4),
    "SHA3-512": (576, 4),
    "Shabal": (512, 1),
    "BLAKE2s": (512, 0),
    "Ascon-Hash256": (64, 1),
}


@pytest.mark.parametrize("name", PADDING)
def test_both_sides_of_every_boundary_are_hashed(name: str) -> None:
    """The last bits of a block, and the length from which padding takes a further one."""
    block, padding = PADDING[name]
    chosen = lengths()
    for end in (block, 2 * block):
        assert {end - 1, end, end + 1} & set(range(chosen[-1] + 1)) <= set(chosen)
    fits = [n for n in chosen if n + padding <= block]
    more = [n for n in chosen if n + padding > block]
    assert fits
    assert more
    assert min(more) - max(fits) <= 8


def test_whole_bytes_and_long_files() -> None:
    """Without bits there are only multiples of 8; long files have every length."""
    assert all(n % 8 == 0 for n in lengths(bits=False))
    assert set(lengths(bits=False)) <= set(lengths())
    assert lengths(long=True) == tuple(range(2305))
    assert lengths(long=True, bits=False) == tuple(range(0, 2305, 8))


@pytest.mark.parametrize("length", [0, 1, 7, 8, 447, 513, 2304])
def test_messages_are_those_of_the_rule(length: int) -> None:
    """Byte i is 53h i + i/64 + 5 length; what is behind the last bit is 0."""
    data = message(length)
    assert len(data) == (length + 7) // 8
    for i, byte in enumerate(data):
        value = (0x53 * i + i // 64 + 5 * length) % 256
        kept = min(8, length - 8 * i)
        assert byte == value >> (8 - kept) << (8 - kept)

# SPDX-License-Identifier: MIT
"""What an agent draws for many computations in a row (`harness/agent/again.c`), and again here.

The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
OOPSLA 2014).
"""

from collections.abc import Iterator

WORD = (1 << 64) - 1


def drawn(seed: int, part: int, length: int) -> bytes:
    """Return the bytes of a part in the round of a seed; one in eight is one byte throughout."""
    words = _words(next(_words(seed + part)))
    first = next(words)
    if first % 8 == 0:
        return bytes([first >> 56]) * length
    return b"".join(next(words).to_bytes(8, "little") for _ in range(0, length, 8))[:length]


def _words(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        yield word ^ (word >> 31)

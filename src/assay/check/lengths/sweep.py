# SPDX-License-Identifier: MIT
"""Which lengths of messages are tried."""

AROUND = (64, 128, 256, 512, 1024, 4096)
FIRST_LENGTHS = (0, 1, 64, 77)
EVERY = 8
DENSE = 80  # all lengths below are tried
LONGEST = 4097
SHORT_LONGEST = 1025
BOARD_LONGEST = 321  # where memory is small


def sparse(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Choose some of the lengths, both ends among them, for further sizes of a primitive."""
    return tuple(dict.fromkeys((*lengths[::EVERY], lengths[-1])))


def sweep(unit: int, *, thorough: bool, longest: int = LONGEST) -> tuple[int, ...]:
    """Choose lengths: all short ones, and those around multiples of the unit and of 64."""
    steps = (unit, 2 * unit, 3 * unit, 9 * unit, *AROUND)
    around = {step + more for step in steps for more in (-1, 0, 1)}
    if thorough:
        around |= set(range(DENSE))
        around |= {step + more for step in range(64, 321, 64) for more in (-1, 0, 1)}
    longest = longest if thorough else min(longest, SHORT_LONGEST)
    return tuple(sorted({0, 1, *(one for one in around if 0 <= one <= longest)}))

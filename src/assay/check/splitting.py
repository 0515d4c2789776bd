# SPDX-License-Identifier: MIT
"""Which lengths of messages are tried, and ways to split a message into calls."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from assay.check.routine import Routine

Pieces = tuple[int, ...]  # lengths of calls in bytes; all but the last are whole units
MOST_UNITS = 3
RANDOM_SPLITS = 12
FEW_RANDOM = 2
SPLIT_IN_TWO = 145  # bytes: two blocks of most hashes, and what hangs over

AROUND = (64, 128, 256, 512, 1024, 4096)
FIRST_LENGTHS = (0, 1, 64, 77)
EVERY = 8
DENSE = 80  # all lengths below are tried
LONGEST = 4097
SHORT_LONGEST = 1025
BOARD_LONGEST = 321  # where memory is small


@dataclass(frozen=True, slots=True)
class Splitter:
    """A message of `length` bytes: `whole` in one call, `cut` in pieces of its beginning.

    Pieces add up to any length; none at all are a message without data.
    """

    length: int
    unit: int
    whole: Callable[[int], Routine]
    cut: Callable[[Pieces], Routine]


def compositions(total: int) -> Iterator[Pieces]:
    """Yield every sequence of positive numbers with this sum."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in compositions(total - first):
            yield (first, *rest)


def tails(unit: int) -> list[int]:
    """Return lengths of an incomplete last unit, none included."""
    return sorted({0, 1, unit // 2, unit - 1})


def in_all_ways(unit: int) -> Iterator[Pieces]:
    """Split messages of up to three units and a tail in every way."""
    for units in range(MOST_UNITS + 1):
        for tail in tails(unit):
            for used in range(units + 1):
                for counts in compositions(used):
                    rest = (units - used) * unit + tail
                    yield (*(count * unit for count in counts), rest)


def in_two(unit: int, length: int = SPLIT_IN_TWO) -> Iterator[Pieces]:
    """Split a message in two after every unit, and into single units."""
    for first in range(0, length + 1, unit):
        yield first, length - first
    yield (*(unit,) * (length // unit), length % unit)


def here_and_there(random: Random, unit: int, length: int) -> Iterator[Pieces]:
    """Split a long message in two: in the middle, near both ends, and at random.

    The unit may be longer than the message.
    """
    units = length // unit
    for first in dict.fromkeys((units // 2, units, min(1, units), random.randrange(units + 1))):
        yield unit * first, length - unit * first


def at_random(random: Random, unit: int, length: int, number: int) -> Iterator[Pieces]:
    """Split a long message at random places, sometimes at the same place twice."""
    for _ in range(number):
        places = [random.randrange(length // unit + 1) for _ in range(random.randrange(1, 9))]
        cuts = [unit * place for place in sorted(places)]
        yield tuple(b - a for a, b in zip((0, *cuts), (*cuts, length), strict=True))


def with_nothing(unit: int) -> Iterator[Pieces]:
    """Split a message of three units and a byte with empty calls among the others."""
    for counts in ((0, 3), (1, 0, 2), (1, 1, 1, 0), (0, 0, 2, 0), (0, 1, 0, 1, 0)):
        rest = 3 * unit + 1 - unit * sum(counts)
        yield (*(count * unit for count in counts), rest)


def said(pieces: Pieces) -> str:
    """Write pieces: `16 + 0 + 3`."""
    shown = " + ".join(map(str, pieces[:20]))
    return shown + (" + ..." if len(pieces) > 20 else "")


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

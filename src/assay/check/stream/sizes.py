# SPDX-License-Identifier: MIT
"""Which key, IV and MAC sizes are tested (the rules of the original framework)."""

from collections.abc import Callable, Iterable
from itertools import pairwise, product

from assay.model import SizeChoice, StreamSubject


def _power_of_two(size: int) -> bool:
    return size > 0 and size & (size - 1) == 0


def _key_accepted(size: int) -> bool:
    return 64 <= size <= 256 and (_power_of_two(size) or size % 80 == 0)


def _iv_accepted(size: int) -> bool:
    return size <= 256 and ((size >= 32 and _power_of_two(size)) or size % 80 == 0)


def _mac_accepted(size: int) -> bool:
    return size <= 128 and size % 32 == 0


def mac_bytes(sizes: SizeChoice) -> int:
    """Return the length of a MAC."""
    return ((sizes.mac_bits or 0) + 7) // 8


def increasing(sizes: tuple[int, ...]) -> bool:
    """Return whether an enumeration increases strictly, as the API demands."""
    return all(a < b for a, b in pairwise(sizes))


def _accepted(sizes: tuple[int, ...], rule: Callable[[int], bool]) -> tuple[int, ...]:
    """Pick the accepted sizes; the first one if none is."""
    return tuple(filter(rule, sizes)) or sizes[:1]


def accepted_sizes(subject: StreamSubject) -> tuple[SizeChoice, ...]:
    """Combine all accepted sizes: keys outermost, MACs innermost."""
    keys = _accepted(subject.key_bits, _key_accepted)
    ivs = _accepted(subject.iv_bits, _iv_accepted)
    macs: tuple[int | None, ...] = (None,)
    if subject.authenticates:
        macs = _accepted(subject.mac_bits, _mac_accepted)
    return tuple(SizeChoice(*sizes) for sizes in product(keys, ivs, macs))


def _nearest(sizes: Iterable[int], target: int) -> int:
    """Pick the size nearest to the target; a tie keeps the smaller."""
    return min(sizes, key=lambda size: (abs(size - target), size))


def nearest_sizes(subject: StreamSubject, targets: Iterable[SizeChoice]) -> tuple[SizeChoice, ...]:
    """For each target the nearest enumerated sizes, without repetition."""
    chosen: dict[SizeChoice, None] = {}
    for target in targets:
        mac = None
        if subject.authenticates:
            mac = _nearest(subject.mac_bits, target.mac_bits or 0)
        key = _nearest(subject.key_bits, target.key_bits)
        chosen[SizeChoice(key, _nearest(subject.iv_bits, target.iv_bits), mac)] = None
    return tuple(chosen)

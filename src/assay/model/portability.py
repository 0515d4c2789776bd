# SPDX-License-Identifier: MIT
"""What a machine code on a target tells about its portability, besides verdicts."""

from msgspec import Struct


class Portability(Struct, frozen=True):
    """`misaligned` counts the memory accesses that were not aligned, for a few lengths.

    It is None if they could not be counted. `traits` are the target's, as its agent says.
    """

    misaligned: int | None = None
    traits: tuple[str, ...] = ()

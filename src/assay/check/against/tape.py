# SPDX-License-Identifier: MIT
"""Inputs that can be given again, shorter or with fewer bytes: what a trial drew, in order."""

from collections.abc import Sequence
from random import Random

EDGES = (b"\x00", b"\xff", b"\x80", b"\x01", b"\x7f")
LONGEST_RUN = 24
RANDOM_PART, RUNS_PART = 0.6, 0.9  # of draws: uniform, in runs, and all of one byte


class Tape(Random):
    """Gives the bytes that it holds, draw by draw; zeros behind the end of each.

    What is drawn beyond the last is made by `fresh` and held, too.
    """

    def __init__(self, held: Sequence[bytes] = (), fresh: Random | None = None) -> None:
        """Hold the bytes of each draw."""
        super().__init__(0)
        self.held = list(held)
        self._fresh = fresh
        self._at = 0

    def rewind(self) -> None:
        """Begin again with the first draw."""
        self._at = 0

    def randbytes(self, n: int) -> bytes:
        """Return the next draw, as long as is asked for."""
        if self._at == len(self.held):
            self.held.append(b"" if self._fresh is None else rare(self._fresh, n))
        drawn, self._at = self.held[self._at], self._at + 1
        if len(drawn) < n and self._fresh is not None:
            self.held[self._at - 1] = drawn = drawn + rare(self._fresh, n - len(drawn))
        return (drawn + bytes(max(0, n - len(drawn))))[:n]


def rare(random: Random, length: int) -> bytes:
    """Draw bytes that are uniform, or runs of equal ones, where carries and limits are."""
    choice = random.random()
    if choice < RANDOM_PART:
        return random.randbytes(length)
    if choice >= RUNS_PART:
        return random.choice(EDGES[:2]) * length
    made = bytearray()
    while len(made) < length:
        made += random.choice((*EDGES, random.randbytes(1))) * random.randint(1, LONGEST_RUN)
    return bytes(made[:length])

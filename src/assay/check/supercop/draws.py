# SPDX-License-Identifier: MIT
"""The two random sequences of the tests: inputs and what surrounds buffers.

Every draw is the start of a Salsa20 stream with the next nonce. Drawing only notes what
is wanted; `fill` makes all of it at once.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.check.supercop.native import ChecksumEngine

if TYPE_CHECKING:
    from assay.check.supercop.salsa20 import Numbers

INPUT_KEY = b"generate inputs for test vectors"
MARGIN_KEY = b"generate pad to catch overwrites"
NUMBER_BYTES = 8
AHEAD = 4096


@dataclass(frozen=True, slots=True)
class Draws:
    """Some draws of one sequence: numbers, offsets and lengths; `count` are used up by them."""

    nonces: tuple[int, ...]
    offsets: tuple[int, ...]
    lengths: tuple[int, ...]
    count: int

    @staticmethod
    def of(places: Sequence[tuple[int, int]], *, skipped: int) -> "Draws":
        """Draw for places (offset and length) in order, then leave out `skipped` draws."""
        wanted = [(number, *place) for number, place in enumerate(places) if place[1]]
        nonces, offsets, lengths = (tuple(one[at] for one in wanted) for at in range(3))
        return Draws(nonces, offsets, lengths, len(places) + skipped)


class Drawer:
    """One sequence: a key, and how many draws there were."""

    def __init__(self, engine: ChecksumEngine, key: bytes) -> None:
        """Begin with nonce 0."""
        self._engine = engine
        self._key = key
        self.count = 0
        self._ahead: Numbers = array("Q")
        self._ahead_from = 0
        self._wanted = (array("Q"), array("Q"), array("Q"))

    def number(self) -> int:
        """Draw 64 bits, now."""
        at = self.count - self._ahead_from
        if at >= len(self._ahead):
            self._look_ahead()
            at = 0
        self.count += 1
        return self._ahead[at]

    def _look_ahead(self) -> None:
        room = bytearray(AHEAD * NUMBER_BYTES)
        nonces = array("Q", range(self.count, self.count + AHEAD))
        offsets = array("Q", range(0, len(room), NUMBER_BYTES))
        self._engine.pieces(room, self._key, nonces, offsets, array("Q", [8] * AHEAD))
        numbers = memoryview(room).cast("B")
        self._ahead = array(
            "Q", (int.from_bytes(numbers[at : at + NUMBER_BYTES], "little") for at in offsets)
        )
        self._ahead_from = self.count

    def draw(self, draws: Draws, at: int) -> None:
        """Draw all bytes, for places from `at` on, when `fill` is called."""
        nonces, offsets, lengths = self._wanted
        count = self.count
        nonces.extend([count + one for one in draws.nonces])
        offsets.extend([at + one for one in draws.offsets])
        lengths.extend(draws.lengths)
        self.count += draws.count

    def fill(self, room: bytearray) -> None:
        """Make all that was drawn since the last time."""
        self._engine.pieces(room, self._key, *self._wanted)
        self._wanted = (array("Q"), array("Q"), array("Q"))

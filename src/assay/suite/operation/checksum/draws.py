# SPDX-License-Identifier: MIT
"""The two random sequences of the tests: inputs and what surrounds buffers.

Every draw is the start of a Salsa20 stream with the next nonce. Drawing only notes what
is wanted; `fill` makes all of it at once.
"""

from array import array
from typing import TYPE_CHECKING

from assay.suite.operation.checksum.native import Engine

if TYPE_CHECKING:
    from assay.suite.operation.checksum.salsa20 import Numbers

INPUT_KEY = b"generate inputs for test vectors"
MARGIN_KEY = b"generate pad to catch overwrites"
NUMBER_BYTES = 8
AHEAD = 4096


class Sequence:
    """One sequence: a key, and how many draws there were."""

    def __init__(self, engine: Engine, key: bytes) -> None:
        """Begin with nonce 0."""
        self._engine = engine
        self._key = key
        self.count = 0
        self._ahead: Numbers = array("Q")
        self._ahead_from = 0
        self._wanted = (array("Q"), array("Q"), array("Q"))

    def skip(self, draws: int) -> None:
        """Leave out draws that nothing depends on."""
        self.count += draws

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

    def draw(self, offset: int, length: int) -> None:
        """Draw bytes for `length` places from `offset` on, when `fill` is called."""
        if length:
            for wanted, value in zip(self._wanted, (self.count, offset, length), strict=True):
                wanted.append(value)
        self.count += 1

    def fill(self, room: bytearray) -> None:
        """Make all that was drawn since the last time."""
        self._engine.pieces(room, self._key, *self._wanted)
        self._wanted = (array("Q"), array("Q"), array("Q"))

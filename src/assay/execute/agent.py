# SPDX-License-Identifier: MIT
"""The bench's side of the conversation: buffers and calls."""

from enum import IntEnum
from struct import Struct

from assay.execute.conversation import Conversation
from assay.execute.places import Buffer, BufferPlace, spell, written
from assay.execute.protocol import (
    NOTHING,
    AgentError,
    AgentFault,
    AgentLost,
    AgentNoRoom,
    AgentRefusal,
    AgentSilent,
    PayloadReader,
    PendingAnswer,
    Request,
)

__all__ = [
    "Agent",
    "AgentError",
    "AgentFault",
    "AgentLost",
    "AgentNoRoom",
    "AgentRefusal",
    "AgentSilent",
    "Buffer",
    "BufferPlace",
    "PendingAnswer",
]

BUFFER_COUNT = 64
# How requests name a buffer and what is meant in it: offset, length, alignment, value.
MADE, PLACE, PART = Struct("<BIII"), Struct("<BI"), Struct("<BII")
FILLED, COPIED = Struct("<BIIB"), Struct("<BBI")


class Agent(Conversation):
    """One agent behind a pipe. Use it as a context manager."""

    def buffer(self, label: str, size_bytes: int, *, modulus: int = 16, residue: int = 0,
               number: int | None = None) -> Buffer:  # fmt: skip
        """Make a zeroed buffer whose address is `residue` modulo `modulus`.

        It ends as close to an inaccessible page as that allows; `modulus=1` ends
        it exactly there.
        """
        if number is None:
            number = len(self._buffers)
        made = Buffer(number, size_bytes, label)
        payload = MADE.pack(number, size_bytes, modulus, residue)
        self._made.append((self._sequence, made))
        self.later(Request.BUFFER, payload, lambda: f"making the buffer for {label}")
        self._buffers[number] = made
        return made

    def forget_buffers(self) -> None:
        """Let the next buffers take the places of all present ones."""
        self._buffers.clear()

    def write(self, buffer: Buffer, data: bytes, offset: int = 0) -> None:
        """Put `data` into the buffer."""
        step = self.largest_payload - PLACE.size
        for at in range(0, len(data) or 1, step):
            payload = PLACE.pack(buffer.number, offset + at) + data[at : at + step]
            self.later(Request.WRITE, payload, lambda: f"writing {buffer.label}")

    def fill(self, buffer: Buffer, value: int = 0, length: int | None = None) -> None:
        """Fill the first `length` bytes (all by default) with one byte."""
        length = buffer.size_bytes if length is None else length
        payload = FILLED.pack(buffer.number, 0, length, value)
        self.later(Request.FILL, payload, lambda: f"filling {buffer.label}")

    def copy_bytes(self, to: Buffer, source: Buffer, length: int | None = None) -> None:
        """Copy the first `length` bytes (all by default) of `source` to the start of `to`."""
        length = source.size_bytes if length is None else length
        payload = COPIED.pack(to.number, source.number, length)
        self.later(Request.COPY, payload, lambda: f"copying {source.label}")

    def protect(self, buffer: Buffer) -> None:
        """Let writing to the pages of a buffer fault; AgentRefusal where that cannot be."""
        self.ask(Request.PROTECT, bytes([buffer.number]), f"protecting {buffer.label}")

    def reserve(self, size_bytes: int) -> None:
        """Use up addresses, so that later buffers are far from earlier ones."""
        self.ask(Request.RESERVE, size_bytes.to_bytes(8, "little"), "reserving addresses")

    def fetch(self, buffer: Buffer, length: int | None = None, offset: int = 0) -> PendingAnswer:
        """Ask for `length` bytes (all by default) of the buffer as they will be by then."""
        length = buffer.size_bytes - offset if length is None else length
        pieces = range(0, length or 1, self.largest_payload)
        answer = PendingAnswer(self, len(pieces))
        for at in pieces:
            part = min(self.largest_payload, length - at)
            payload = PART.pack(buffer.number, offset + at, part)
            self.later(Request.READ, payload, lambda: f"reading {buffer.label}", answer)
        return answer

    def read(self, buffer: Buffer, length: int | None = None, offset: int = 0) -> bytes:
        """Get `length` bytes (all by default) from the buffer, now."""
        return self.fetch(buffer, length, offset).data

    def damage(self, buffer: Buffer) -> tuple[int, int]:
        """Count the bytes changed around the buffer, and give the first one's offset."""
        reader = self.ask(Request.CANARIES, bytes([buffer.number]), "looking at canaries")
        return reader.number(4), reader.number(4, signed=True)

    # ------------------------------------------------------------ calls

    def call(self, function: IntEnum, places: tuple[Buffer | BufferPlace | None, ...] = (),
             numbers: tuple[int, ...] = ()) -> None:  # fmt: skip
        """Call a function of the subject, later: faults are raised by the next read or flush."""
        payload = written(function, places, numbers)
        self.later(Request.CALL, payload, lambda: spell(function, places, numbers))

    def answer(self, function: IntEnum, places: tuple[Buffer | BufferPlace | None, ...] = (),
               numbers: tuple[int, ...] = (), seconds: float | None = None,
               ) -> PayloadReader:  # fmt: skip
        """Call a function that answers something, now."""
        self.call(function, places, numbers)
        return PayloadReader(self.flush(seconds))

    def nothing(
        self, places: tuple[Buffer | BufferPlace | None, ...] = (), numbers: tuple[int, ...] = ()
    ) -> None:
        """Call the function that does nothing, as a baseline, later.

        With as many arguments as another call it takes the agent as much work.
        """
        self.later(Request.CALL, written(NOTHING, places, numbers), lambda: "nothing()")

    def paint(self, size_bytes: int) -> int:
        """Have the stack painted below every later call (0: no longer); give how much."""
        payload = size_bytes.to_bytes(4, "little")
        return self.ask(Request.PAINT, payload, "painting the stack").number(4)

    def paint_later(self, size_bytes: int) -> None:
        """Have the stack painted below every later call; a refusal is raised by the next read."""
        payload = size_bytes.to_bytes(4, "little")
        self.later(Request.PAINT, payload, lambda: "painting the stack")

    def depth(self) -> int:
        """Return how many bytes of the paint the last call has reached, the agent's own included.

        Take off what `nothing` reaches.
        """
        return self.ask(Request.DEPTH, b"", "looking at the stack").number(4)

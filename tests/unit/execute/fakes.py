# SPDX-License-Identifier: MIT
"""A pipe that answers as told, for the bench's side of the conversation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from assay.execute.conversation import IN_FLIGHT_BYTES
from assay.execute.pipe import PipeClosed, PipeTimeout
from assay.execute.protocol import (
    HEADER,
    PROTOCOL_VERSION,
    Request,
    Status,
    decode_header,
    encode,
)


def greeting(largest_payload: int = 1 << 26, in_flight_bytes: int = IN_FLIGHT_BYTES) -> bytes:
    """Greet as an agent on a 64-bit machine does."""
    limits = largest_payload.to_bytes(4, "little") + in_flight_bytes.to_bytes(4, "little")
    version = PROTOCOL_VERSION.to_bytes(2, "little")
    return version + bytes([64, 1, 1, 0, 16, 0, 0]) + limits + b"\x02\x00cc"


GREETING = greeting()
Reply = Callable[[int, int, bytes], bytes]


class Toy(IntEnum):
    """A function to call."""

    ENCRYPT_BYTES = 3


def well(code: int, sequence: int, payload: bytes) -> bytes:
    """Answer every request as an agent in good health; READ gives bytes that count up."""
    if code == Request.HELLO:
        return encode(Status.OK, sequence, GREETING)
    if code == Request.READ:
        length = int.from_bytes(payload[5:9], "little")
        return encode(Status.OK, sequence, bytes(i & 0xFF for i in range(length)))
    return encode(Status.OK, sequence, b"")


@dataclass
class FakePipe:
    """Keeps what was asked and replays what `reply` makes of it; then silence, or an end."""

    reply: Reply = well
    silent: bool = False
    account: str = ""
    writes: list[int] = field(default_factory=list)
    asked: list[tuple[int, int, bytes]] = field(default_factory=list)
    closings: int = 0
    incoming: bytes = b""
    pending: bytes = b""

    def write(self, data: bytes) -> None:
        """Take requests apart and queue the answers."""
        if self.closings:
            raise PipeClosed
        self.writes.append(len(data))
        self.incoming += data
        while len(self.incoming) >= HEADER.size:
            code, sequence, length = decode_header(self.incoming[: HEADER.size])
            end = HEADER.size + length
            self.asked.append((code, sequence, self.incoming[HEADER.size : end]))
            self.incoming = self.incoming[end + 4 :]
            self.pending += self.reply(*self.asked[-1])

    def read(self, length: int, deadline: float) -> bytes:
        """Give what is queued."""
        del deadline
        if len(self.pending) < length:
            raise PipeTimeout if self.silent else PipeClosed
        taken, self.pending = self.pending[:length], self.pending[length:]
        return taken

    def close(self) -> str:
        """Count how often."""
        self.closings += 1
        return self.account


def but(code: Request, answer: Reply) -> Reply:
    """Answer well, but requests of one code with `answer`."""

    def reply(asked: int, sequence: int, payload: bytes) -> bytes:
        return (answer if asked == code else well)(asked, sequence, payload)

    return reply


def fault(number: int, buffer: int, offset: int) -> Reply:
    """Answer that a call faulted at `offset` of a buffer."""

    def reply(_: int, sequence: int, payload: bytes) -> bytes:
        del payload
        body = bytes([number]) + (0x7F00).to_bytes(8, "little") + bytes([buffer])
        return encode(Status.FAULT, sequence, body + offset.to_bytes(8, "little", signed=True))

    return reply

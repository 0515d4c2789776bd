# SPDX-License-Identifier: MIT
"""The framed protocol between bench and agent (docs/reference/protocol.md), bytes only.

Mirrors harness/agent/agent.h; a change of either changes PROTOCOL_VERSION. What was asked of an
agent, what comes back, and what may go wrong on the way.
"""

import struct
import zlib
from collections.abc import Callable
from enum import IntEnum
from typing import Protocol

from msgspec import Struct

from assay.errors import AssayError

PROTOCOL_VERSION = 19
HEADER = struct.Struct("<2sBBII")
CHECKSUM = struct.Struct("<I")
HEADER_BYTES, CHECKSUM_BYTES = HEADER.size, CHECKSUM.size
MAGIC = b"AS"
NO_BUFFER = 0xFF
NOTHING = 0xFF  # the function of every kind that does nothing
LATENCY, SECOND, THROUGHPUT, MIXED, MULTIPLIER, MEMORY = range(6)  # harness/meter/loops.c
LARGEST_ANSWER_BYTES = 64 << 20


class Request(IntEnum):
    """What the bench can ask."""

    HELLO = 0x01
    DESCRIBE = 0x02
    BUFFER = 0x10
    WRITE = 0x11
    READ = 0x12
    FILL = 0x13
    CANARIES = 0x14
    COPY = 0x15
    MARK = 0x16
    PROTECT = 0x17
    RESERVE = 0x18
    CALL = 0x20
    SCRIPT = 0x21
    WATCH = 0x22
    MODES = 0x23
    THREAD = 0x24
    STARVE = 0x25
    AGAIN = 0x26
    VARY = 0x27
    PAINT = 0x30
    DEPTH = 0x31
    HEAP = 0x32
    HEAP_USE = 0x33
    LEFT = 0x34
    COUNTERS = 0x40
    SELECT = 0x41
    CLOCK = 0x42
    LOOP = 0x43
    TIMING_SETUP = 0x50
    CALIBRATE = 0x51
    TIME = 0x52
    REPEAT = 0x53
    CLASSES = 0x54


class Status(IntEnum):
    """What the agent answers."""

    OK = 0
    BAD_REQUEST = 1
    FAULT = 2
    NO_MEMORY = 3
    BAD_FRAME = 4


class AgentError(AssayError):
    """The conversation with an agent ended otherwise than it should."""


class FrameError(AgentError):
    """The bytes are no frame (wrong magic, length or checksum), or no answer of their kind."""


def encode(code: int, sequence: int, payload: bytes) -> bytes:
    """Make a frame."""
    header = HEADER.pack(MAGIC, code, 0, sequence, len(payload))
    return b"".join((header, payload, CHECKSUM.pack(zlib.crc32(payload, zlib.crc32(header)))))


def decode_header(header: bytes) -> tuple[int, int, int]:
    """Take a frame's header apart: code, sequence number, payload length."""
    magic, code, zero, sequence, length = HEADER.unpack(header)
    if magic != MAGIC or zero != 0 or length > LARGEST_ANSWER_BYTES:
        raise FrameError(f"no frame begins with {header.hex()}")
    return code, sequence, length


def verify(header: bytes, rest: bytes) -> bytes:
    """Return the payload of a frame; FrameError unless the checksum at its end fits."""
    payload = rest[: -CHECKSUM.size]
    if zlib.crc32(payload, zlib.crc32(header)) != CHECKSUM.unpack_from(rest, len(payload))[0]:
        raise FrameError("the checksum of a frame does not fit")
    return payload


def good_answer(data: bytes, at: int, sequence: int) -> int | None:
    """Return where a whole frame ends that begins at `at` and is a good answer to a request.

    Nearly all answers are: what else came need not be looked at quickly.
    """
    if len(data) < at + HEADER_BYTES + CHECKSUM_BYTES:
        return None
    magic, code, zero, answered, length = HEADER.unpack_from(data, at)
    end: int = at + HEADER_BYTES + length
    if answered != sequence or code or zero or magic != MAGIC or end + CHECKSUM_BYTES > len(data):
        return None
    if zlib.crc32(data[at:end]) != CHECKSUM.unpack_from(data, end)[0]:
        return None
    return end + CHECKSUM_BYTES


class PayloadReader:
    """Takes an answer's payload apart, in order."""

    def __init__(self, payload: bytes) -> None:
        """Begin at the start of `payload`."""
        self._payload = payload
        self._at = 0

    def number(self, size_bytes: int, *, signed: bool = False) -> int:
        """Take a little-endian integer."""
        return int.from_bytes(self.bytes(size_bytes), "little", signed=signed)

    def numbers(self, count: int) -> tuple[int, ...]:
        """Take so many integers of 8 bytes, without a sign."""
        return struct.unpack(f"<{count}Q", self.bytes(8 * count))

    def rest(self) -> bytes:
        """Take all that is left."""
        return self.bytes(len(self._payload) - self._at)

    def bytes(self, length: int) -> bytes:
        """Take `length` bytes; FrameError if they are not there."""
        taken = self._payload[self._at : self._at + length]
        if len(taken) != length:
            raise FrameError("an answer is shorter than its kind")
        self._at += length
        return taken

    def text(self) -> str | None:
        """Take a text; None where the agent has none."""
        length = self.number(2)
        return None if length == 0xFFFF else self.bytes(length).decode("utf-8", "replace")

    @property
    def done(self) -> bool:
        """Return whether everything has been taken."""
        return self._at == len(self._payload)


class AgentLost(AgentError):
    """The agent died or stopped speaking the protocol."""


class AgentSilent(AgentError):
    """The agent did not answer in time: the code under test hangs."""


class AgentRefusal(AgentError):
    """The agent could not do what was asked: a mistake of the bench, or no memory."""


class AgentNoRoom(AgentRefusal):
    """What was asked does not fit into the target's memory; the text has the figures."""


class AgentFault(AgentError):
    """The code under test faulted inside a call; the agent lives on.

    `step` is the number of the step, where it was in a script; `signal` names what it was.
    `beyond` counts the bytes between a buffer's end and the address, where that lies behind one;
    `inside` is the label of the buffer that it lies in.
    """

    def __init__(
        self,
        message: str,
        signal: str = "",
        step: int | None = None,
        beyond: int | None = None,
        inside: str = "",
    ) -> None:
        """Describe what happened."""
        super().__init__(message)
        self.beyond = beyond
        self.inside = inside
        self.signal = signal
        self.step = step


def hung(error: BaseException) -> bool:
    """Return whether the agent was waited for in vain, whatever else went wrong before."""
    return isinstance(error, AgentSilent) or isinstance(error.__cause__, AgentSilent)


class Flushed(Protocol):
    """Whoever has a queue of requests."""

    def flush(self) -> bytes:
        """Send everything queued, and read all answers."""


class PendingAnswer:
    """Bytes that were asked for; looking at them sends what is queued."""

    def __init__(self, agent: Flushed, pieces: int = 1) -> None:
        """Belong to the agent that will answer, in so many pieces."""
        self._agent = agent
        self._due = pieces
        self._pieces: list[bytes] = []

    @property
    def data(self) -> bytes:
        """The bytes; raises what went wrong on the way to them."""
        if len(self._pieces) < self._due:
            self._agent.flush()
        if len(self._pieces) < self._due:
            raise AgentLost("an earlier request failed, so this one was never answered")
        return b"".join(self._pieces)

    def arrive(self, payload: bytes) -> None:
        """Take the next piece of the answer (called by the agent's side of the bench)."""
        self._pieces.append(payload)


class SentRequest(Struct, gc=False):
    """A request on its way: its frame, what to call it in messages, and who gets the answer."""

    sequence: int
    frame: bytes
    what: Callable[[], str]
    answer: PendingAnswer | None


def in_groups(asked: list[SentRequest], in_flight_bytes: int) -> list[list[SentRequest]]:
    """Split the queue so that no group fills a pipe; a large request stands alone."""
    if sum([len(one.frame) for one in asked]) <= in_flight_bytes:
        return [asked]
    groups: list[list[SentRequest]] = []
    room = 0
    for one in asked:
        if len(one.frame) > room or not groups:
            groups.append([])
            room = in_flight_bytes
        groups[-1].append(one)
        room -= len(one.frame)
    return groups

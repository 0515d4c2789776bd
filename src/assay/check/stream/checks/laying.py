# SPDX-License-Identifier: MIT
"""Laying out messages in an agent, processing them, and comparing what comes out."""

from dataclasses import dataclass

from assay.check.check import CheckFailed
from assay.check.stream.session import StreamSession, Where
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.compare import first_difference
from assay.check.stream.vectors.produce import ROOM, mac_bytes
from assay.check.stream.vectors.text import data_line
from assay.check.stream.ways import Laid, ProcessingWay
from assay.execute.agent import Buffer, BufferPlace, PendingAnswer
from assay.model import SizeChoice

FILLING = 0xEE
AAD_BYTES = 24
SHOWN_BYTES = 64
LONGEST_SWEPT = 321
LARGEST_ALIGNMENT = 64
FIRST, SECOND = 30, 38  # numbers of buffers, apart from the large ones of vectors


@dataclass(frozen=True, slots=True)
class Message:
    """Inputs that the code under test cannot know; `aad` is empty where it takes none."""

    sizes: SizeChoice
    key: bytes
    iv: bytes
    aad: bytes
    text: bytes

    def shown(self) -> str:
        """Write the inputs as a vector file would."""
        lines = [("key", self.key), ("IV", self.iv), ("AAD", self.aad), ("input", self.text)]
        return "".join(data_line(label, value) for label, value in lines if value)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the arguments of a message stand; each may be put elsewhere by `replace`."""

    ctx: Buffer
    key: Where
    iv: Where
    aad: Where
    source: Where
    to: Where
    mac: Where


def fresh(trial: Trial, sizes: SizeChoice, length: int, aad_length: int = AAD_BYTES) -> Message:
    """Draw a random message."""
    aad = aad_length if "supports-aad" in trial.subject.flags else 0
    lengths = ((sizes.key_bits + 7) // 8, (sizes.iv_bits + 7) // 8, aad, length)
    return Message(sizes, *map(trial.bytes, lengths))


def context(session: StreamSession, label: str, number: int, room: int = ROOM) -> Buffer:
    """Make a context; without room it ends at a guard page, where C could have put it too.

    A type's size is a multiple of its alignment, so the largest power of two
    that divides the size is alignment enough.
    """
    size = session.subject.context_bytes
    modulus = min(size & -size or 1, LARGEST_ALIGNMENT)
    return session.agent.buffer(label, size + room, modulus=modulus, number=number)


def lay(
    session: StreamSession,
    message: Message,
    base: int = FIRST,
    *,
    modulus: int = 16,
    room: int = ROOM,
) -> Places:
    """Make and fill buffers of the sizes needed and `room` bytes more.

    What looks or writes beyond a size is the business of buffers/guard.
    """
    mac = mac_bytes(message.sizes)
    parts = [("key", message.key), ("IV", message.iv), ("AAD", message.aad)]
    parts += [("input", message.text), ("output", bytes([FILLING]) * len(message.text))]
    made: list[Buffer] = []
    for number, (label, value) in enumerate([*parts, ("MAC", bytes(mac))], base + 1):
        size = len(value) + room
        made.append(session.agent.buffer(label, size, modulus=modulus, number=number))
        session.agent.write(made[-1], value)
    return Places(context(session, "ctx", base, room), *made)


def load_key(session: StreamSession, laid: Laid, sizes: SizeChoice) -> None:
    """Load the key that stands in its place."""
    session.keysetup(laid.ctx, laid.key, sizes)


def put(session: StreamSession, where: Where, value: bytes) -> None:
    """Write to a place."""
    place = where if isinstance(where, BufferPlace) else where.at(0)
    session.agent.write(place.buffer, value, place.offset)


def get(session: StreamSession, where: Where, length: int) -> PendingAnswer:
    """Ask for the bytes at a place."""
    place = where if isinstance(where, BufferPlace) else where.at(0)
    return session.agent.fetch(place.buffer, length, place.offset)


@dataclass(frozen=True, slots=True)
class Processed:
    """What a way made of a message; `mac` is None for APIs without one."""

    output: PendingAnswer
    mac: PendingAnswer | None


def process(
    session: StreamSession,
    way: ProcessingWay,
    places: Places,
    message: Message,
    length: int | None = None,
) -> Processed:
    """Queue one way to process the message's first `length` bytes (all by default)."""
    length = len(message.text) if length is None else length
    way.run(session, places, length, len(message.aad))
    return outcome(session, places, message.sizes, length, with_mac=way.reads)


def outcome(
    session: StreamSession, laid: Laid, sizes: SizeChoice, length: int, *, with_mac: bool = True
) -> Processed:
    """Ask for the output and the MAC."""
    mac = None
    if session.subject.authenticates and with_mac:
        mac = get(session, laid.mac, mac_bytes(sizes))
    return Processed(get(session, laid.to, length), mac)


def must_equal(complaint: str, message: Message, expected: bytes, actual: bytes) -> None:
    """Raise CheckFailed with both values if they differ."""
    length = max(len(expected), len(actual))
    if actual == expected[:length] and len(actual) == len(expected):
        return
    at = first_difference(expected, actual)
    start = at // SHOWN_BYTES * SHOWN_BYTES
    lines = [f"*** {complaint}: sizes {message.sizes}, first difference at byte {at}\n"]
    lines.append(message.shown())
    for label, value in (("expected", expected), ("actual", actual)):
        lines.append(data_line(f"{label}[{start}..]", value[start : start + SHOWN_BYTES]))
    raise CheckFailed(complaint, "".join(lines))

# SPDX-License-Identifier: MIT
"""Buffers in an agent, places in them, and how both are written: on the wire and in reports."""

import functools
import struct
from collections.abc import Callable
from enum import IntEnum

from msgspec import Struct

from assay.execute.protocol import NO_BUFFER

_PLACE = struct.Struct("<BI")


class Buffer(Struct, frozen=True, cache_hash=True):
    """A guarded buffer in the agent. `label` is how reports call it."""

    number: int
    size_bytes: int
    label: str

    def at(self, offset: int) -> "BufferPlace":
        """Name the place `offset` bytes into the buffer."""
        return BufferPlace(self, offset)


class BufferPlace(Struct, frozen=True, cache_hash=True):
    """An address inside a buffer."""

    buffer: Buffer
    offset: int


class Register(Struct, frozen=True):
    """A 64-bit number of an agent that calls write and later calls read."""

    number: int


def pointer(place: Buffer | BufferPlace | None) -> bytes:
    """Write a pointer for the wire: the number of the buffer, and an offset."""
    if place is None:
        return _PLACE.pack(NO_BUFFER, 0)
    if isinstance(place, Buffer):
        return _PLACE.pack(place.number, 0)
    return _PLACE.pack(place.buffer.number, place.offset)


def written(function: int, places: tuple[Buffer | BufferPlace | None, ...],
            numbers: tuple[int, ...]) -> bytes:  # fmt: skip
    """Write a call for the wire: how many places and numbers it has, and these."""
    values = [function, len(places), len(numbers)]
    for place in places:
        if isinstance(place, Buffer):
            values += (place.number, 0)
        elif place is None:
            values += (NO_BUFFER, 0)
        else:
            values += (place.buffer.number, place.offset)
    return _form(len(places), len(numbers))(*values, *numbers)


@functools.cache
def _form(places: int, numbers: int) -> Callable[..., bytes]:
    """Return what packs a call with so many places and numbers."""
    return struct.Struct("<BBB" + "BI" * places + "I" * numbers).pack


def spell(function: IntEnum, places: tuple[Buffer | BufferPlace | None, ...],
           numbers: tuple[int, ...]) -> str:  # fmt: skip
    """Write a call as an engineer reads it: `encrypt_bytes(ctx, plaintext+3, out, 64)`."""
    words = []
    for place in places:
        if place is None:
            words.append("NULL")
        elif isinstance(place, Buffer):
            words.append(place.label)
        else:
            words.append(f"{place.buffer.label}+{place.offset}")
    return f"{function.name.lower()}({', '.join([*words, *map(str, numbers)])})"


def describe(buffer: Buffer, offset: int) -> str:
    """State where an address is that lies `offset` bytes from the start of a buffer."""
    if 0 <= offset < buffer.size_bytes:
        return f"inside the buffer {buffer.label} (byte {offset})"
    if offset < 0:
        return f"{-offset} bytes before the buffer {buffer.label}"
    beyond = offset - buffer.size_bytes
    return f"at byte {beyond} behind the buffer {buffer.label} of {buffer.size_bytes} bytes"

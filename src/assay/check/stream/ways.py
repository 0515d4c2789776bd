# SPDX-License-Identifier: MIT
"""The ways to process a message with the functions of the API.

Every way begins with ivsetup under a key that is loaded already, takes in the
associated data, and ends with the MAC where there is one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession, Where
from assay.execute.agent import Buffer, BufferPlace
from assay.model import StreamSubject


class Laid(Protocol):
    """Where the arguments of a message stand."""

    @property
    def ctx(self) -> Where: ...  # noqa: D102 - the arguments of the API, by their names
    @property
    def key(self) -> Where: ...  # noqa: D102
    @property
    def iv(self) -> Where: ...  # noqa: D102
    @property
    def aad(self) -> Where: ...  # noqa: D102
    @property
    def source(self) -> Where: ...  # noqa: D102
    @property
    def to(self) -> Where: ...  # noqa: D102
    @property
    def mac(self) -> Where: ...  # noqa: D102


def shift(where: Where, offset: int) -> BufferPlace:
    """Name the place `offset` bytes further on."""
    if isinstance(where, Buffer):
        return where.at(offset)
    return BufferPlace(where.buffer, where.offset + offset)


def begin(session: StreamSession, laid: Laid, aad_length: int) -> None:
    """Load the IV and take in the associated data."""
    session.ivsetup(laid.ctx, laid.iv)
    if aad_length and "supports-aad" in session.subject.flags:
        session.authenticate_bytes(laid.ctx, laid.aad, aad_length)


def packet(action: int, session: StreamSession, laid: Laid, length: int, aad_length: int) -> None:
    """Process a message in one call."""
    aad = (laid.aad, aad_length) if aad_length else (None, 0)
    mac = laid.mac if session.subject.authenticates else None
    session.crypt_packet(action, laid.ctx, laid.iv, laid.source, laid.to, length, aad=aad, mac=mac)


def at_once(action: int, session: StreamSession, laid: Laid, length: int, aad_length: int) -> None:
    """Process a message with one call of *_bytes."""
    begin(session, laid, aad_length)
    session.crypt_bytes(action, laid.ctx, laid.source, laid.to, length)
    session.finalize(laid.ctx, laid.mac)


def pieces(
    action: int,
    session: StreamSession,
    laid: Laid,
    length: int,
    aad_length: int,
    counts: Iterable[int],
) -> None:
    """Process a message with a call of *_blocks for every count, and the rest with *_bytes."""
    begin(session, laid, aad_length)
    at = 0
    for blocks in counts:
        source, to = shift(laid.source, at), shift(laid.to, at)
        session.crypt_blocks(action, laid.ctx, source, to, blocks)
        at += blocks * session.subject.block_bytes
    rest = length - at
    session.crypt_bytes(action, laid.ctx, shift(laid.source, at), shift(laid.to, at), rest)
    session.finalize(laid.ctx, laid.mac)


def blocks_then_bytes(
    action: int, session: StreamSession, laid: Laid, length: int, aad_length: int
) -> None:
    """Process all whole blocks with one call, and the rest with another."""
    whole = length // session.subject.block_bytes
    pieces(action, session, laid, length, aad_length, (whole,))


def keystream(session: StreamSession, laid: Laid, length: int, _: int) -> None:
    """Write keystream in one call."""
    session.ivsetup(laid.ctx, laid.iv)
    session.keystream_bytes(laid.ctx, laid.to, length)


def keystream_pieces(
    session: StreamSession, laid: Laid, length: int, counts: Iterable[int]
) -> None:
    """Write keystream with a call of *_blocks for every count, and the rest with *_bytes."""
    session.ivsetup(laid.ctx, laid.iv)
    at = 0
    for blocks in counts:
        session.keystream_blocks(laid.ctx, shift(laid.to, at), blocks)
        at += blocks * session.subject.block_bytes
    session.keystream_bytes(laid.ctx, shift(laid.to, at), length - at)


def keystream_blocks_then_bytes(session: StreamSession, laid: Laid, length: int, _: int) -> None:
    """Write all whole blocks of keystream with one call, and the rest with another."""
    keystream_pieces(session, laid, length, (length // session.subject.block_bytes,))


@dataclass(frozen=True, slots=True)
class ProcessingWay:
    """A way to process a message: session, where it stands, its length, that of the AAD.

    `reads` tells whether there is an input besides key and IV.
    """

    name: str
    action: int
    run: Callable[[StreamSession, Laid, int, int], None]
    reads: bool = True


CRYPT_WAYS = tuple(
    ProcessingWay(f"{verb}_{name}", action, partial(run, action))
    for name, run in (("bytes", at_once), ("blocks", blocks_then_bytes), ("packet", packet))
    for action, verb in ((ENCRYPT, "encrypt"), (DECRYPT, "decrypt"))
)
KEYSTREAM_WAYS = (
    ProcessingWay("keystream_bytes", ENCRYPT, keystream, reads=False),
    ProcessingWay("keystream_blocks", ENCRYPT, keystream_blocks_then_bytes, reads=False),
)


def ways_of(subject: StreamSubject) -> tuple[ProcessingWay, ...]:
    """Return the ways that the package offers."""
    complete = all(way.name in subject.functions for way in KEYSTREAM_WAYS)
    return (*CRYPT_WAYS, *KEYSTREAM_WAYS) if complete else CRYPT_WAYS

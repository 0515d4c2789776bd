# SPDX-License-Identifier: MIT
"""Which output sizes a hash supports, found out by looking at what it writes.

A package says it in its header, by its verified vectors, or by refusing other sizes;
where it does neither, a size counts if exactly its bytes are written, each word of them
depends on the message as that of a digest does, and they are not just the beginning of a
longer digest. What a size that is not supported does is undefined: a fault means no, and so
does a digest with other memory behind it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from random import Random

from msgspec import Struct

from assay.check.check import CheckFailed
from assay.check.routine import added_up, flipped
from assay.check.session import HashSession
from assay.execute.agent import AgentError, Buffer, PendingAnswer
from assay.model.wire import HashFunction

Lend = Callable[[], AbstractContextManager[HashSession]]

CANDIDATES = (128, 160, 192, 224, 256, 320, 384, 448, 512)
ROOM_BYTES = 160
FILLINGS = (0x00, 0xFF)
PAIRS = 8  # of messages that differ in one bit
WORD_BYTES = 4
LEAST_CHANGED = PAIRS * WORD_BYTES  # of 256 bits half should change; memory gives 8 at most


class HashBuffers(Struct, frozen=True):
    """A context, a message buffer and a digest buffer, and the bits of a digest."""

    session: HashSession
    ctx: Buffer
    data: Buffer
    to: Buffer
    out_bits: int

    @classmethod
    def of(cls, session: HashSession, longest: int, out_bits: int, room: int = 0) -> "HashBuffers":
        """Make room for a message of `longest` bytes, and for a digest or `room` bytes."""
        ctx, data = session.context(), session.agent.buffer("data", max(longest, 1))
        to = session.agent.buffer("digest", room or out_bits // 8)
        return cls(session, ctx, data, to, out_bits)

    def hash(
        self, *pieces: bytes, rest: tuple[int, int] = (0, 0), out_bits: int = 0
    ) -> PendingAnswer:
        """Queue a message, a call of update for each piece; ask for all of the digest buffer.

        `rest` are the bits behind the whole bytes, and how many they are.
        """
        call, agent = self.session.call, self.session.agent
        call(HashFunction.INIT, self.ctx, out_bits or self.out_bits)
        for piece in pieces:
            agent.write(self.data, piece)
            call(HashFunction.UPDATE, self.ctx, self.data, len(piece))
        call(HashFunction.CLOSE, self.ctx, self.to, *rest)
        return agent.fetch(self.to, self.to.size_bytes)

    def digest(self, message: bytes, bits: int = 0, count: int = 0) -> bytes:
        """Hash a message in one piece, now."""
        return self.hash(message, rest=(bits, count)).data

    def whole(self, bits: int) -> None:
        """Hash so many bits in one call, where the API has a function for that."""
        numbers = (self.out_bits, bits & 0xFFFFFFFF, bits >> 32)
        self.session.call(HashFunction.WHOLE, self.data, self.to, *numbers)


def supported_sizes(lend: Lend, candidates: tuple[int, ...] = CANDIDATES) -> tuple[int, ...]:
    """Return the sizes in bits for which exactly as many bytes are written.

    `lend` lends a session (a trial's `session`).
    """
    return tuple(size for size in candidates if _writes(lend, size))


def found_sizes(lend: Lend, random: Random) -> tuple[int, ...]:
    """Return the sizes of a package that does not say them.

    Where no size gives what looks like a digest, those that fill their bytes are taken all
    the same, so that the checks say what is wrong.
    """
    filled = supported_sizes(lend)
    likely = [size for size in filled if _depends(lend, size, random)]
    digests = {size: _empty(lend, size) for size in likely}
    own = (
        size
        for size in likely
        if not any(digests[more].startswith(digests[size]) for more in likely if more > size)
    )
    return tuple(own) or filled


def _empty(lend: Lend, out_bits: int) -> bytes:
    """Return the digest of the empty message."""
    with lend() as session:
        return HashBuffers.of(session, 0, out_bits).hash().data


def _writes(lend: Lend, out_bits: int) -> bool:
    """Return whether a digest of that size fills its bytes and no others."""
    seen: set[int] = set()
    try:
        with lend() as session:
            desk = HashBuffers.of(session, 0, out_bits, ROOM_BYTES)
            session.refused()
            for filling in FILLINGS:
                session.agent.fill(desk.to, filling)
                written = desk.hash().data
                seen |= {at for at, value in enumerate(written) if value != filling}
            if session.refused():
                return False
    except (AgentError, CheckFailed):
        return False
    return bool(seen) and max(seen) + 1 == out_bits // 8


def _depends(lend: Lend, out_bits: int, random: Random) -> bool:
    """Return whether every word changes in many bits where one bit of a message does."""
    changed = [0] * (out_bits // 8 // WORD_BYTES)
    try:
        with lend() as session:
            desk = HashBuffers.of(session, PAIRS, out_bits)
            for length in range(1, PAIRS + 1):
                message = random.randbytes(length)
                twin = flipped(message, random.randrange(length), 1 << random.randrange(8))
                different = added_up(desk.digest(message), desk.digest(twin))
                for word in range(len(changed)):
                    bits = different[WORD_BYTES * word : WORD_BYTES * (word + 1)]
                    changed[word] += int.from_bytes(bits, "little").bit_count()
    except (AgentError, CheckFailed):
        return False
    return min(changed) >= LEAST_CHANGED

# SPDX-License-Identifier: MIT
"""Which output sizes a hash supports, found out by looking at what it writes.

A package says it in its header, by its verified vectors, or by refusing other sizes;
where it does neither, a size counts if exactly its bytes are written, each word of them
depends on the message as that of a digest does, and they are not just the beginning of a
longer digest. What a size that is not supported does is undefined: a fault means no, and so
does a digest with other memory behind it.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import Random

from assay.check.check import CheckFailed
from assay.check.session import HashSession
from assay.execute.agent import AgentError
from assay.model.wire import HashFunction

Lend = Callable[[], AbstractContextManager[HashSession]]

CANDIDATES = (128, 160, 192, 224, 256, 320, 384, 448, 512)
ROOM_BYTES = 160
FILLINGS = (0x00, 0xFF)
PAIRS = 8  # of messages that differ in one bit
WORD_BYTES = 4
LEAST_CHANGED = PAIRS * WORD_BYTES  # of 256 bits half should change; memory gives 8 at most


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
        ctx = session.context()
        to = session.agent.buffer("digest", out_bits // 8)
        session.call(HashFunction.INIT, ctx, out_bits)
        session.call(HashFunction.CLOSE, ctx, to, 0, 0)
        return session.agent.read(to)


def _writes(lend: Lend, out_bits: int) -> bool:
    """Return whether a digest of that size fills its bytes and no others."""
    seen: set[int] = set()
    try:
        with lend() as session:
            ctx = session.context()
            to = session.agent.buffer("digest", ROOM_BYTES)
            session.refused()
            for filling in FILLINGS:
                session.agent.fill(to, filling)
                session.call(HashFunction.INIT, ctx, out_bits)
                session.call(HashFunction.CLOSE, ctx, to, 0, 0)
                data = session.agent.read(to)
                seen |= {at for at, value in enumerate(data) if value != filling}
            if session.refused():
                return False
    except (AgentError, CheckFailed):
        return False
    return bool(seen) and max(seen) + 1 == out_bits // 8


def _depends(lend: Lend, out_bits: int, random: Random) -> bool:
    """Return whether every word changes in many bits where one bit of a message does."""
    changed = [0] * (out_bits // 8 // WORD_BYTES)
    try:
        for one, other in _digests(lend, out_bits, random):
            different = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
            for word in range(len(changed)):
                bits = different >> (8 * WORD_BYTES * word) & 0xFFFFFFFF
                changed[word] += bits.bit_count()
    except (AgentError, CheckFailed):
        return False
    return min(changed) >= LEAST_CHANGED


def _digests(lend: Lend, out_bits: int, random: Random) -> Iterator[tuple[bytes, bytes]]:
    """Yield the digests of pairs of messages that differ in one bit."""
    with lend() as session:
        ctx = session.context()
        data = session.agent.buffer("data", PAIRS)
        to = session.agent.buffer("digest", out_bits // 8)
        for length in range(1, PAIRS + 1):
            message = random.getrandbits(8 * length)
            twin = message ^ 1 << random.randrange(8 * length)
            pair = []
            for each in (message, twin):
                session.agent.write(data, each.to_bytes(length, "little"))
                session.call(HashFunction.INIT, ctx, out_bits)
                session.call(HashFunction.UPDATE, ctx, data, length)
                session.call(HashFunction.CLOSE, ctx, to, 0, 0)
                pair.append(session.agent.read(to))
            yield pair[0], pair[1]

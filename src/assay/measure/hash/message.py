# SPDX-License-Identifier: MIT
"""The messages that a timed hash takes: the bench computes them as harness/agent/hash_timing.c."""

from collections.abc import Iterator
from random import SystemRandom

from assay.check.hash.session import HashSession
from assay.model.apis import LONG_BYTES

LINE_BYTES = 64
CHUNK_BYTES = 1 << 19  # of the message that the agent has at once


def long_message(seed: bytes, length: int, pieces: int) -> bytes:
    """Return all that a context took: a byte of every line changes before each piece."""
    drawn = bytes(generated(int.from_bytes(seed, "little"), LONG_BYTES + 1))
    data, step = bytearray(drawn[:length]), drawn[LONG_BYTES] | 1
    stepped = bytes((value + step) % 256 for value in range(256))
    message = bytearray()
    for number in range(1, pieces + 1):
        changed = slice(number % LINE_BYTES, None, LINE_BYTES)
        data[changed] = data[changed].translate(stepped)
        message += data
    return bytes(message)


def generated(state: int, count: int) -> Iterator[int]:
    """Yield the bytes that the agent draws: Knuth's MMIX generator, the upper bits."""
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
        yield state >> 56


def digest_of(session: HashSession, out_bits: int, data: bytes, longest: int) -> bytes:
    """Hash `data` as one message that is taken in pieces of random lengths, up to `longest`.

    Code that leaves out what comes in pieces of one length, as they are timed, comes to another
    digest.
    """
    agent = session.agent
    ctx, to = session.context(), agent.buffer("digest", out_bits // 8)
    source = agent.buffer("data", min(len(data), CHUNK_BYTES) or 1)
    session.init(ctx, out_bits)
    for begin in range(0, len(data), CHUNK_BYTES):
        chunk = data[begin : begin + CHUNK_BYTES]
        agent.write(source, chunk)
        for at, length in _pieces(len(chunk), longest):
            session.update(ctx, source.at(at), length)
        agent.flush()
    session.close(ctx, to)
    return agent.read(to)


def _pieces(size: int, longest: int) -> Iterator[tuple[int, int]]:
    """Cut `size` bytes: where each piece begins, and its length."""
    at, random = 0, SystemRandom()
    while at < size:
        length = min(random.randint(1, longest), size - at)
        yield at, length
        at += length

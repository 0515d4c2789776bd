# SPDX-License-Identifier: MIT
"""The messages that a timed hash takes: the bench computes them as harness/agent/hash_timing.c."""

from collections.abc import Iterator
from random import SystemRandom

from assay.check.session import HashSession
from assay.model.apis import LONG_BYTES
from assay.model.wire import HashFunction

LINE_BYTES = 64
CHUNK_BYTES = 1 << 19  # of the message that the agent has at once
MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15  # of splitmix64 (Steele, Lea, Flood 2014)
_ADDED = [bytes((value + added) % 256 for value in range(256)) for added in range(256)]


def long_message(seed: bytes, length: int, pieces: int) -> bytes:
    """Return all that a context took: a byte of every line changes before each piece.

    By which number it changes follows from the state of the generator behind the data, and not
    from what it draws next: that is where the agent puts the context.
    """
    states = list(generated(int.from_bytes(seed, "little"), LONG_BYTES))
    data, message = bytearray(state >> 56 for state in states[:length]), bytearray()
    for number in range(1, pieces + 1):
        change = _mixed(states[-1] + number * STEP) >> 56 | 1
        changed = slice(number % LINE_BYTES, None, LINE_BYTES)
        data[changed] = data[changed].translate(_ADDED[change])
        message += data
    return bytes(message)


def generated(state: int, count: int) -> Iterator[int]:
    """Yield states of the agent's generator, Knuth's for MMIX; it draws their upper bits."""
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        yield state


def _mixed(word: int) -> int:
    """Return an output of splitmix64."""
    word &= MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def digest_of(session: HashSession, out_bits: int, data: bytes, longest: int) -> bytes:
    """Hash `data` as one message that is taken in pieces of random lengths, up to `longest`.

    Code that leaves out what comes in pieces of one length, as they are timed, comes to another
    digest.
    """
    agent = session.agent
    ctx, to = session.context(), agent.buffer("digest", out_bits // 8)
    source = agent.buffer("data", min(len(data), CHUNK_BYTES) or 1)
    session.call(HashFunction.INIT, ctx, out_bits)
    for begin in range(0, len(data), CHUNK_BYTES):
        chunk = data[begin : begin + CHUNK_BYTES]
        agent.write(source, chunk)
        for at, length in _pieces(len(chunk), longest):
            session.call(HashFunction.UPDATE, ctx, source.at(at), length)
        agent.flush()
    session.call(HashFunction.CLOSE, ctx, to, 0, 0)
    return agent.read(to)


def _pieces(size: int, longest: int) -> Iterator[tuple[int, int]]:
    """Cut `size` bytes: where each piece begins, and its length."""
    at, random = 0, SystemRandom()
    while at < size:
        length = min(random.randint(1, longest), size - at)
        yield at, length
        at += length

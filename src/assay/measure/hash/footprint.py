# SPDX-License-Identifier: MIT
"""What a hash takes: steps for a long and a short message, and stack (Shabal paper, section 2).

Counted are whole messages, begun and closed, so that no work can be put off. What 8 KiB take, in
one call of xxx(), is the difference between a message of so many bytes and an empty one; where
the target has no room for them, as many as fit. The short message has 32 bytes. A message of a
length that nobody knows must take about as much as these two say.
"""

from functools import partial

from msgspec import Struct

from assay.check.session import HashSession
from assay.execute.agent import Agent, AgentError, Buffer
from assay.measure.counted import CountedAgent, depths, difference_in, with_room
from assay.measure.hash.message import digest_of
from assay.model import HashSubject
from assay.model.apis import LONG_BYTES, LONG_MESSAGE, SHORT_BYTES, SHORT_MESSAGE
from assay.model.footprint import FunctionMemory, Steps
from assay.model.wire import HashFunction

ROOM_BYTES = (LONG_BYTES, 4096, 2048, 1024)
TOLERANCE = 0.25  # of what a message takes whose length is drawn
BLOCK_BYTES = 512  # the largest; what is left of a block may take as much as a whole one


class UnevenCount(AgentError):
    """A message takes far more or less than others of the code say."""


class HashDesk(Struct, frozen=True):
    """A session with buffers for messages of up to `length` bytes, that are counted."""

    counter: CountedAgent
    session: HashSession
    out_bits: int
    ctx: Buffer
    to: Buffer
    data: Buffer
    length: int

    def message(self, length: int) -> int:
        """Count a whole message of random bytes, which agents that count nothing will repeat."""
        counter, agent = self.counter, self.counter.agent
        data = counter.draw(self.data, length)
        amount = counter.take(partial(self._hash, length), partial(self._idle, length))
        counter.proofs.append(partial(_differs, self.out_bits, data, agent.read(self.to)))
        return amount

    def _hash(self, length: int) -> None:
        self.session.call(HashFunction.INIT, self.ctx, self.out_bits)
        self.session.call(HashFunction.UPDATE, self.ctx, self.data, length)
        self.session.call(HashFunction.CLOSE, self.ctx, self.to, 0, 0)

    def _idle(self, length: int) -> None:
        self.counter.agent.nothing((self.ctx,), (self.out_bits,))
        self.counter.agent.nothing((self.ctx, self.data), (length,))
        self.counter.agent.nothing((self.ctx, self.to), (0, 0))


def count(counter: CountedAgent, subject: HashSubject, out_bits: int) -> tuple[Steps, ...]:
    """Count a long and a short message, exactly."""
    session = HashSession(counter.agent, subject)
    ctx = session.context()
    to = counter.agent.buffer("digest", out_bits // 8)
    length, (data,) = with_room(counter.agent, ROOM_BYTES, {"data": 9})
    desk = HashDesk(counter, session, out_bits, ctx, to, data, length)
    desk.message(SHORT_BYTES)  # the first may load what the linker left open
    short, empty, whole = (desk.message(one) for one in (SHORT_BYTES, 0, length))
    long = whole - min(short, empty)
    drawn = counter.random.randrange(length // 2, length)
    expected, taken = short + long * drawn // length, desk.message(drawn)
    even = partial(_require_even, taken, expected, abs(long) * BLOCK_BYTES / length, drawn)
    counter.proofs.append(even)  # after all others: what is wrong is reported first
    return (
        counter.steps(LONG_MESSAGE, f"xxx() with {length} bytes", long, length),
        counter.steps(SHORT_MESSAGE, f"a message of {SHORT_BYTES} bytes", short, SHORT_BYTES),
    )


def _require_even(taken: int, expected: int, block: float, drawn: int, *_: object) -> str:
    """Raise UnevenCount if a message of a drawn length takes more or less than others say."""
    if abs(taken - expected) > TOLERANCE * abs(expected) + block:
        raise UnevenCount(
            f"a message of {drawn} bytes takes {taken} steps, and those of other lengths say "
            f"{expected}: the figures mean nothing"
        )
    return ""


def _differs(out_bits: int, data: bytes, digest: bytes, agent: Agent, subject: HashSubject) -> str:
    """Have a message hashed in other pieces, and return what differs."""
    pieces = max(1, len(data) // 2)
    again = digest_of(HashSession(agent, subject), out_bits, data, pieces)
    return difference_in(f"the digest of a message of {len(data)} bytes", digest, again)


def memory(agent: Agent, subject: HashSubject, out_bits: int) -> tuple[FunctionMemory, ...]:
    """Return the stack that each of the three functions takes."""
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    data = agent.buffer("data", SHORT_BYTES * 5)
    calls = {
        "init": lambda: session.call(HashFunction.INIT, ctx, out_bits),
        "update": lambda: session.call(HashFunction.UPDATE, ctx, data, SHORT_BYTES * 5),
        "close": lambda: session.call(HashFunction.CLOSE, ctx, to, 0, 0),
    }
    return depths(agent, calls)

# SPDX-License-Identifier: MIT
"""What a hash takes: steps for a long and a short message, and stack (Shabal paper, section 2).

The long message is one call of xxx() with 8 KiB, at the start of a block; where
the target has no room for it, with what it has. The short one is 32 bytes, with
xxx_init and xxx_close.
"""

from assay.check.hash.session import HashSession
from assay.execute.agent import Agent, AgentRefusal, Buffer
from assay.measure.counted import CountedAgent
from assay.model import HashSubject
from assay.model.apis import LONG_BYTES, LONG_MESSAGE, SHORT_BYTES, SHORT_MESSAGE
from assay.model.footprint import Steps

ROOM_BYTES = (LONG_BYTES, 4096, 2048, 1024)
PAINT_BYTES = 3000
SMALL_PAINT_BYTES = 1000


def count(counter: CountedAgent, subject: HashSubject, out_bits: int) -> tuple[Steps, ...]:
    """Count a long and a short message, exactly."""
    agent = counter.agent
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    length, data = _message(agent)
    session.init(ctx, out_bits)
    long = counter.steps(
        LONG_MESSAGE,
        f"xxx() with {length} bytes",
        lambda: session.update(ctx, data, length),
        lambda: agent.nothing((ctx, data), (length,)),
        length,
    )

    def whole() -> None:
        session.init(ctx, out_bits)
        session.update(ctx, data, SHORT_BYTES)
        session.close(ctx, to)

    def idle() -> None:
        agent.nothing((ctx,), (out_bits,))
        agent.nothing((ctx, data), (SHORT_BYTES,))
        agent.nothing((ctx, to), (0, 0))

    short = counter.steps(
        SHORT_MESSAGE, f"a message of {SHORT_BYTES} bytes", whole, idle, SHORT_BYTES
    )
    return long, short


def _message(agent: Agent) -> tuple[int, Buffer]:
    """Make the longest buffer that there is room for; NO_MEMORY is no answer for the last."""
    for length in ROOM_BYTES:
        try:
            data = agent.buffer("data", length, number=9)
            agent.flush()
        except AgentRefusal:
            if length == ROOM_BYTES[-1]:
                raise
        else:
            return length, data
    raise AssertionError(ROOM_BYTES)


def stack(agent: Agent, subject: HashSubject, out_bits: int, *, small: bool) -> int:
    """Return the stack in bytes that the deepest of the three functions takes.

    Taken from the second call on: the first may load what the linker left open.
    """
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    data = agent.buffer("data", SHORT_BYTES * 5)
    agent.paint(SMALL_PAINT_BYTES if small else PAINT_BYTES)
    deepest = 0
    for _ in range(2):
        agent.nothing()
        base = agent.depth()
        deepest = 0
        session.init(ctx, out_bits)
        depths = [agent.depth()]
        session.update(ctx, data, SHORT_BYTES * 5)
        depths.append(agent.depth())
        session.close(ctx, to)
        depths.append(agent.depth())
        deepest = max(depths) - base
    agent.paint(0)
    return deepest

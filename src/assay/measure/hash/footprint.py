# SPDX-License-Identifier: MIT
"""What a hash takes: steps for a long and a short message, and stack (Shabal paper, section 2).

The long message is one call of xxx() with 8 KiB, at the start of a block; where
the target has no room for it, with what it has. The short one is 32 bytes, with
xxx_init and xxx_close.
"""

from assay.check.hash.session import HashSession
from assay.execute.agent import Agent
from assay.measure.counted import SMALL_PAINT_BYTES, CountedAgent, deepest, with_room
from assay.model import HashSubject
from assay.model.apis import LONG_BYTES, LONG_MESSAGE, SHORT_BYTES, SHORT_MESSAGE
from assay.model.footprint import Steps

ROOM_BYTES = (LONG_BYTES, 4096, 2048, 1024)
PAINT_BYTES = 3000


def count(counter: CountedAgent, subject: HashSubject, out_bits: int) -> tuple[Steps, ...]:
    """Count a long and a short message, exactly."""
    agent = counter.agent
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    length, (data,) = with_room(agent, ROOM_BYTES, {"data": 9})
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


def stack(agent: Agent, subject: HashSubject, out_bits: int, *, small: bool) -> int:
    """Return the stack in bytes that the deepest of the three functions takes."""
    session = HashSession(agent, subject)
    ctx = session.context()
    to = agent.buffer("digest", out_bits // 8)
    data = agent.buffer("data", SHORT_BYTES * 5)
    calls = (
        lambda: session.init(ctx, out_bits),
        lambda: session.update(ctx, data, SHORT_BYTES * 5),
        lambda: session.close(ctx, to),
    )
    return deepest(agent, SMALL_PAINT_BYTES if small else PAINT_BYTES, calls)

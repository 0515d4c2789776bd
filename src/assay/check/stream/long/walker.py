# SPDX-License-Identifier: MIT
"""One of two who make the same long keystream: an agent, a context, and a length of calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.check.session import StreamSession
from assay.check.stream.long.route import Leg, Window
from assay.execute.agent import Agent, Buffer, PendingAnswer
from assay.model import SizeChoice
from assay.model.wire import StreamFunction

AT_ONCE = 64  # calls between two looks at whether the agent is there
PATIENCE_SECONDS = 600.0
Looked = dict[Window, bytes]


@dataclass(frozen=True, slots=True)
class StreamStart:
    """The key and the IV of the stream, and their sizes."""

    sizes: SizeChoice
    key: bytes
    iv: bytes


@dataclass(slots=True)
class Walker:
    """Makes keystream in calls of `piece` bytes; `name` is what reports call it."""

    name: str
    session: StreamSession
    ctx: Buffer
    zeros: Buffer
    room: Buffer
    piece: int

    @property
    def context(self) -> bytes:
        """Return the context as it is."""
        return self.session.agent.read(self.ctx)

    def go_on_from(self, context: bytes) -> None:
        """Put a context in place that another process had."""
        self.session.agent.write(self.ctx, context)

    def walk(self, leg: Leg) -> Looked:
        """Make a leg, and return its windows."""
        looked: dict[Window, list[PendingAnswer]] = {one: [] for one in leg.windows}
        unit = self.session.subject.block_bytes
        for number, at in enumerate(range(leg.begin, leg.end, self.piece)):
            size = min(self.piece, leg.end - at)
            blocks = size // unit
            self.session.call(
                StreamFunction.ENCRYPT_BLOCKS, self.ctx, self.zeros, self.room, blocks
            )
            for window, answers in looked.items():
                begin, end = max(at, window.begin), min(at + size, window.end)
                if begin < end:
                    answers.append(self.session.agent.fetch(self.room, end - begin, begin - at))
            if number % AT_ONCE == AT_ONCE - 1:
                self.session.agent.flush(PATIENCE_SECONDS)
        self.session.agent.flush(PATIENCE_SECONDS)
        return {one: b"".join(part.data for part in parts) for one, parts in looked.items()}


@contextmanager
def walking(
    name: str,
    connect: Callable[[], Agent],
    converse: Callable[[Agent], StreamSession],
    start: StreamStart,
    piece: int,
) -> Iterator[Walker]:
    """Launch an agent, and set up a context there."""
    with connect() as agent:
        session = converse(agent)
        unit = session.subject.block_bytes
        size = piece // unit * unit
        ctx = session.context()
        key, iv = agent.buffer("key", len(start.key)), agent.buffer("IV", len(start.iv))
        zeros, room = agent.buffer("input", size), agent.buffer("output", size)
        agent.write(key, start.key)
        agent.write(iv, start.iv)
        session.call(StreamFunction.KEYSETUP, ctx, key, *start.sizes.bits())
        session.call(StreamFunction.IVSETUP, ctx, iv)
        agent.flush()
        yield Walker(name, session, ctx, zeros, room, size)

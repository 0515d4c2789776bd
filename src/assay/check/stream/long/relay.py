# SPDX-License-Identifier: MIT
"""Two who make the same long keystream at once, and may hand over to fresh processes."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from assay.check.session import StreamSession
from assay.check.stream.long.carry import Onward
from assay.check.stream.long.route import Leg, Window
from assay.check.stream.routines import CipherMessage
from assay.execute.agent import Agent, AgentError, PendingAnswer
from assay.execute.patience import OutOfPatience

WORN_SECONDS = 1200.0  # of the hour that an agent has
AT_ONCE = 64  # calls between two looks at whether the agent is there
PATIENCE_SECONDS = 600.0
Looked = dict[Window, bytes]


class RivalFailed(Exception):
    """The implementation that the stream is compared with gives no answer."""


@dataclass(frozen=True, slots=True)
class StreamMaker:
    """An implementation: what reports call it, how it is launched, and the bytes of a call."""

    name: str
    connect: Callable[[], Agent]
    converse: Callable[[Agent], StreamSession]
    piece: int


@dataclass(frozen=True, slots=True)
class Walker:
    """One of two: makes keystream in calls of `piece` bytes; reports call it `name`."""

    name: str
    stream: Onward
    piece: int

    def walk(self, leg: Leg) -> Looked:
        """Make a leg, and return its windows."""
        looked: dict[Window, list[PendingAnswer]] = {one: [] for one in leg.windows}
        agent = self.stream.arena.session.agent
        for number, at in enumerate(range(leg.begin, leg.end, self.piece)):
            size = min(self.piece, leg.end - at)
            self.stream.blocks(size // self.stream.unit)
            for window, answers in looked.items():
                begin, end = max(at, window.begin), min(at + size, window.end)
                if begin < end:
                    answers.append(self.stream.output(begin - at, end - begin))
            if number % AT_ONCE == AT_ONCE - 1:
                agent.flush(PATIENCE_SECONDS)
        agent.flush(PATIENCE_SECONDS)
        return {one: b"".join(part.data for part in parts) for one, parts in looked.items()}


@contextmanager
def walking(maker: StreamMaker, start: CipherMessage) -> Iterator[Walker]:
    """Launch an agent, and set up a context there."""
    with maker.connect() as agent:
        session = maker.converse(agent)
        unit = session.subject.block_bytes
        size = maker.piece // unit * unit
        stream = Onward.begun(session, replace(start, subject=session.subject), size)
        stream.zero(size)
        agent.flush()
        yield Walker(maker.name, stream, size)


StreamMakers = tuple[StreamMaker, StreamMaker]
Contexts = tuple[bytes, bytes]
BothLooked = tuple[Looked, Looked]


@dataclass(slots=True)
class Relay:
    """Both agents at work; `relay` opens one."""

    makers: StreamMakers
    start: CipherMessage
    pool: Executor
    agents: ExitStack
    walkers: tuple[Walker, Walker]
    began: float = field(default_factory=time.monotonic)

    @property
    def contexts(self) -> Contexts:
        """Return both contexts."""
        return self.walkers[0].stream.context, self.walkers[1].stream.context

    @property
    def worn(self) -> bool:
        """Return whether the agents should be replaced before their time is used up."""
        return time.monotonic() - self.began > WORN_SECONDS

    def walk(self, leg: Leg) -> BothLooked:
        """Make a leg in both, at the same time; RivalFailed if the second cannot."""
        first, second = (self.pool.submit(one.walk, leg) for one in self.walkers)
        looked = first.result()
        try:
            return looked, second.result()
        except OutOfPatience:
            raise
        except AgentError as error:
            raise RivalFailed(f"{self.makers[1].name} gives no answer: {error}") from None

    def hand_over(self, contexts: Contexts) -> None:
        """End both agents, and go on with fresh ones from the same contexts."""
        self.agents.close()
        self.began = time.monotonic()
        self.walkers = self._launched(self.agents)
        for walker, context in zip(self.walkers, contexts, strict=True):
            walker.stream.go_on_from(context)

    def portable(self, contexts: Contexts, leg: Leg, looked: BothLooked) -> bool:
        """Return whether fresh processes go on from contexts as those that had them did.

        `looked` is what became of a leg that began with the contexts. One with pointers in it
        means nothing to another process.
        """
        window = leg.windows[0]
        short = Leg(leg.number, leg.begin, window.end, (window,))
        try:
            with ExitStack() as agents:
                fresh = self._launched(agents)
                for walker, context, seen in zip(fresh, contexts, looked, strict=True):
                    walker.stream.go_on_from(context)
                    if walker.walk(short)[window] != seen[window]:
                        return False
        except OutOfPatience:
            raise
        except AgentError:
            return False
        return True

    def _launched(self, agents: ExitStack) -> tuple[Walker, Walker]:
        return launched(self.makers, self.start, agents)


def launched(
    makers: StreamMakers, start: CipherMessage, agents: ExitStack
) -> tuple[Walker, Walker]:
    """Launch both; `agents` ends them."""
    one, other = (agents.enter_context(walking(each, start)) for each in makers)
    return one, other


@contextmanager
def relay(makers: StreamMakers, start: CipherMessage) -> Iterator[Relay]:
    """Lend two who have a key and an IV; whoever still works in the end is ended."""
    with ThreadPoolExecutor(2) as pool, ExitStack() as agents:
        yield Relay(makers, start, pool, agents, launched(makers, start, agents))

# SPDX-License-Identifier: MIT
"""Two who make the same long keystream at once, and may hand over to fresh processes.

A route says where it is looked at, where one can stop, and how far it was made. The stream is cut
into legs. Powers of two, where counters overflow, lie within legs, so that a
call goes across them. Numbers of blocks and bytes are counted from the beginning of the stream.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from assay.check.keystream.carry import Onward
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage
from assay.execute.agent import Agent, AgentError, PendingAnswer
from assay.execute.patience import OutOfPatience

BLOCKS = 1 << 32
BEYOND = 1 << 12
SHIFT = 48  # in blocks: no leg ends at a power of two, nor anywhere else where counters carry
FIRST_POWER = 8
RANDOM_WINDOWS = 16
WINDOW = 64
AROUND = 4  # blocks before a power of two, and as many from there on
LEAST_BYTES = 32  # of them: fewer could be equal by chance

WORN_SECONDS = 1200.0  # of the hour that an agent has
AT_ONCE = 64  # calls between two looks at whether the agent is there
PATIENCE_SECONDS = 600.0


class Leg(Struct, frozen=True):
    """A part of the stream, in bytes, and the windows in it that are looked at."""

    number: int
    begin: int
    end: int
    windows: tuple[range, ...]


class Route(Struct, frozen=True):
    """A stream of `blocks` blocks of `unit` bytes each, and a little more, in so many legs."""

    unit: int
    seed: int
    blocks: int = BLOCKS
    legs: int = 256

    def __iter__(self) -> Iterator[Leg]:
        """Yield the legs in turn."""
        for number in range(self.legs):
            begin, end = self._end(number - 1), self._end(number)
            yield Leg(number, begin, end, self._windows(number, begin, end))

    @property
    def around(self) -> int:
        """Return how many bytes are looked at before a power of two, and from there on."""
        return max(AROUND, -(-LEAST_BYTES // self.unit)) * self.unit

    def _end(self, number: int) -> int:
        """Return the byte at which a leg ends."""
        if number < 0:
            return 0
        beyond = BEYOND if number == self.legs - 1 else SHIFT
        return ((number + 1) * (self.blocks // self.legs) + beyond) * self.unit

    def _windows(self, number: int, begin: int, end: int) -> tuple[range, ...]:
        random = Random(f"{self.seed} {number}")
        places = [random.randrange(begin, end) for _ in range(RANDOM_WINDOWS)]
        chosen = [range(begin, begin + self.around)]
        chosen += [range(at, at + WINDOW) for at in places]
        chosen += [range(at - self.around, at + self.around) for at in self.carries()]
        return tuple(one for one in chosen if begin <= one.start and one.stop <= end)

    def carries(self) -> Iterator[int]:
        """Yield the bytes before which 2^n blocks lie, and those before which 2^n bytes do."""
        size = self.blocks * self.unit
        blocks = {self.unit << power for power in range(FIRST_POWER, size.bit_length())}
        powers = {1 << power for power in range(31, size.bit_length())}
        yield from sorted(at for at in blocks | powers if at <= size)

    def powers(self) -> Iterator[tuple[int, int]]:
        """Yield n, and the byte before which 2^n blocks lie."""
        for power in range(FIRST_POWER, self.blocks.bit_length()):
            yield power, self.unit << power


class Milestone(Struct, frozen=True):
    """The legs that are done, the key and the IV that the stream began with, and both contexts.

    `first` are the first blocks of the stream; `repeats` is n if they came again after 2^n
    blocks.
    """

    legs: int
    seed: int
    loaded: tuple[bytes, bytes]
    contexts: tuple[bytes, bytes] = (b"", b"")
    first: bytes = b""
    repeats: int | None = None


class Record(Struct, frozen=True):
    """The file with the last milestone."""

    path: Path

    def read(self) -> Milestone | None:
        """Return the milestone that an earlier command reached; None if there is none."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Milestone)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, milestone: Milestone) -> None:
        """Replace the milestone; an interrupted command leaves the one before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".new")
        partial.write_bytes(msgspec.json.encode(milestone))
        partial.replace(self.path)

    def remove(self) -> None:
        """Forget it: the check has an answer."""
        self.path.unlink(missing_ok=True)


Looked = dict[range, bytes]  # by where in the stream


class RivalFailed(Exception):
    """The implementation that the stream is compared with gives no answer."""


class StreamMaker(Struct, frozen=True):
    """An implementation: what reports call it, how it is launched, and the bytes of a call."""

    name: str
    connect: Callable[[], Agent]
    converse: Callable[[Agent], StreamSession]
    piece: int


class Walker(Struct, frozen=True):
    """One of two: makes keystream in calls of `piece` bytes; reports call it `name`."""

    name: str
    stream: Onward
    piece: int

    def walk(self, leg: Leg) -> Looked:
        """Make a leg, and return its windows."""
        looked: dict[range, list[PendingAnswer]] = {one: [] for one in leg.windows}
        agent = self.stream.arena.session.agent
        for number, at in enumerate(range(leg.begin, leg.end, self.piece)):
            size = min(self.piece, leg.end - at)
            self.stream.encrypt(size)
            for window, answers in looked.items():
                begin, end = max(at, window.start), min(at + size, window.stop)
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
    walkers: tuple[Walker, Walker] = field(init=False)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Launch both."""
        self.walkers = self._launched(self.agents)

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
        short = Leg(leg.number, leg.begin, window.stop, (window,))
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
        """Launch both; `agents` ends them."""
        one, other = (agents.enter_context(walking(each, self.start)) for each in self.makers)
        return one, other


@contextmanager
def relay(makers: StreamMakers, start: CipherMessage) -> Iterator[Relay]:
    """Lend two who have a key and an IV; whoever still works in the end is ended."""
    with ThreadPoolExecutor(2) as pool, ExitStack() as agents:
        yield Relay(makers, start, pool, agents)

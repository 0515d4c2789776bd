# SPDX-License-Identifier: MIT
"""What the conversations about subjects of all kinds have in common, and their first question.

Agents say what they contain: the answer to DESCRIBE. Flags mirror subject/stream.h.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import cache, partial
from typing import Generic, TypeVar

from assay.check.arena import ALIGNMENT, Arena, StepResults
from assay.check.routine import Argument, Step, Where
from assay.execute.agent import Agent, AgentLost, Buffer
from assay.execute.places import Register, spell, written
from assay.execute.protocol import FrameError, PayloadReader, Request
from assay.model import HashSubject, StreamSubject
from assay.model.wire import ROWS, StreamFunction, WireFunction

LARGEST_BYTES = 1 << 30  # of a context, a block, a buffer

MOST_SIZES = 1024  # as in harness/agent/stream.c


FLAGS = (
    "generates-keystream",
    "supports-aad",
    "incremental-aad",
    "default-block-macros",
    "default-all-in-one",
    "single-byte-function",
    "single-packet-function",
    "assay-rules",
)


class ImplausibleSizeError(AgentLost):
    """A header defines a size that no buffer can have, so nothing can be asked."""

    def __init__(self, what: str, size: int, largest: int) -> None:
        """Name the constant; a negative one arrives as a number of 64 bits, or of 32."""
        shown = str(size - (1 << 64)) if size >> 63 else str(size)
        if size == NO_SIZE:
            shown = "more than 2^31"
        super().__init__(f"{what} is {shown}, and must lie in 0 to {largest}")


NO_SIZE = 0xFFFFFFFF  # what an adapter says of a size that needs more than 31 bits
SubjectT = TypeVar("SubjectT", StreamSubject, HashSubject)
Call = tuple[IntEnum, tuple[Where | None, ...], tuple[int, ...]]


@cache
def _numbered(rows: type[WireFunction]) -> dict[int, WireFunction]:
    """Return functions by number: asking the enumeration takes as long as the rest of a call."""
    return {int(one): one for one in rows}


class BaseSession:
    """A conversation with an agent whose functions are called one by one."""

    functions: type[WireFunction]
    agent: Agent
    seed: bytes = b""  # of the randomness that calls may take, where a kind has some

    def perform(self, steps: tuple[Step, ...], arena: Arena) -> StepResults | None:
        """Queue calls on the variables of an arena. These functions return nothing."""
        later, known = self.agent.later, arena.calls
        for step in steps:
            payload = known.get(step)
            if payload is None:  # most come again, and writing one takes longer than the rest
                payload = known[step] = written(*self._call(step, arena.resolved))
            later(Request.CALL, payload, partial(self._spelled, step, arena))
        return None

    def _spelled(self, step: Step, arena: Arena) -> str:
        return spell(*self._call(step, arena.resolved))

    def hollow(self, steps: tuple[Step, ...], place: Callable[[Argument], Argument]) -> None:
        """Queue what reaches as deep into the stack as calls without their functions."""
        del steps, place
        self.agent.nothing()

    def _call(self, step: Step, place: Callable[[Argument], Argument]) -> Call:
        places: list[Where | None] = []
        numbers: list[int] = []
        for argument in step.arguments:
            if isinstance(argument, int):
                numbers.append(argument)
                continue
            one = place(argument)
            if isinstance(one, int):
                numbers.append(one)
            elif not isinstance(one, Register):
                places.append(one)
        return _numbered(self.functions)[step.number], tuple(places), tuple(numbers)

    def requests(
        self, steps: tuple[Step, ...], place: Callable[[Argument], Argument]
    ) -> list[tuple[Request, bytes]]:
        """Return the requests that make calls."""
        return [(Request.CALL, written(*self._call(step, place))) for step in steps]

    def settle(self) -> None:
        """Wait for what is queued."""
        self.agent.flush()

    def dirty(self, length: int, value: int) -> None:
        """Let later calls find rubbish on the stack; another with each value.

        An agent that has no room for it refuses when it answers.
        """
        self.agent.paint_later(length + value if length else 0)

    @contextmanager
    def waiting(self, _: float) -> Iterator[None]:
        """Wait less long for calls that usually take so many seconds; here all wait as long."""
        yield

    def refused(self) -> bool:
        """Return whether a call since this was last asked said that it failed."""
        return False

    @contextmanager
    def seeded(self, seed: bytes) -> Iterator[None]:
        """Let calls meanwhile take their randomness from another seed."""
        before, self.seed = self.seed, seed
        try:
            yield
        finally:
            self.seed = before

    def drawn(self) -> str:
        """Return in words what the last calls took of the randomness; empty if nothing."""
        return ""


class CallSession(BaseSession, Generic[SubjectT]):
    """A conversation about a cipher or a hash, by the rows of the wire.

    Every method queues calls; faults surface when something is read.
    """

    def __init__(self, agent: Agent, subject: SubjectT) -> None:
        """Call what is called once per process, as the rules of the kind say."""
        self.agent = agent
        self.subject: SubjectT = subject
        self.functions = ROWS[subject.kind]
        first = self.functions(0)
        if not first.parameters:
            agent.call(first)

    def context(self, label: str = "ctx", *, residue: int = 0) -> Buffer:
        """Make a buffer for a context, at `residue` from twice the alignment that it needs."""
        step, size = self.subject.context_alignment, self.subject.context_bytes
        modulus = max(2 * step, ALIGNMENT)
        return self.agent.buffer(label, size, modulus=modulus, residue=residue * step)

    def call(self, function: WireFunction, *arguments: Where | int | None) -> None:
        """Queue a call: places (None is a null pointer) and numbers, as the row has them."""
        numbers = tuple(one for one in arguments if isinstance(one, int))
        places = tuple(one for one in arguments if not isinstance(one, int))
        self.agent.call(function, places, numbers)

    def refused(self) -> bool:
        """Return whether a call since this was last asked did not return success, now."""
        asked = self.functions.__members__.get("REFUSED")
        return asked is not None and self.agent.answer(asked).number(4) != 0


StreamSession = CallSession[StreamSubject]
HashSession = CallSession[HashSubject]


@contextmanager
def description(agent: Agent, kind: str) -> Iterator[PayloadReader]:
    """Ask the agent what it contains; AgentLost if the answer makes no sense."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    try:
        if (said := reader.text()) != kind:
            raise FrameError(f"kind {said!r}")
        yield reader
    except FrameError as error:
        raise AgentLost(f"the description makes no sense: {error}") from None


def describe_stream(agent: Agent) -> StreamSubject:
    """Ask for what the adapter of a cipher says."""
    with description(agent, "stream") as reader:
        api, name, profile = (reader.text() for _ in range(3))
        context, block, buffer, flags, functions = (reader.number(4) for _ in range(5))
        for what, size in (("context", context), ("block", block), ("buffer", buffer)):
            if size > LARGEST_BYTES:
                raise ImplausibleSizeError(f"the size of the {what}", size, LARGEST_BYTES)
        used = reader.number(4)
        maxima, sizes = zip(*(_sizes(reader) for _ in range(3)), strict=True)
    return StreamSubject(
        api=api or "",
        name=name or "",
        profile=profile,
        key_bits=sizes[0],
        iv_bits=sizes[1],
        mac_bits=sizes[2],
        max_key_bits=maxima[0],
        max_iv_bits=maxima[1],
        max_mac_bits=maxima[2],
        context_bytes=context,
        block_bytes=block,
        buffer_bytes=buffer,
        flags=frozenset(name for bit, name in enumerate(FLAGS) if flags >> bit & 1),
        functions=frozenset(one.name.lower() for one in StreamFunction if functions >> one & 1),
        used_bits=used,
    )


def _sizes(reader: PayloadReader) -> tuple[int, tuple[int, ...]]:
    maximum, count = reader.number(4), reader.number(4)
    if count > MOST_SIZES:
        raise FrameError(f"{count} sizes of one sort")
    return maximum, tuple(reader.number(4) for _ in range(count))


def describe_hash(agent: Agent) -> HashSubject:
    """Ask for what the adapter of a hash says."""
    with description(agent, "hash") as reader:
        api, name = (reader.text() for _ in range(2))
        context, alignment = (reader.number(4) for _ in range(2))
    if context > LARGEST_BYTES:
        raise ImplausibleSizeError("the size of the context", context, LARGEST_BYTES)
    if not context or not alignment:
        raise AgentLost(f"a context has {context} bytes, aligned to {alignment}")
    return HashSubject(api or "", name or "", context, alignment)

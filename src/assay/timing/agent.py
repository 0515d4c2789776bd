# SPDX-License-Identifier: MIT
"""An agent that times code: what is asked around each timed group, and how it is judged.

Rounds of requests that differ in their inputs alone are timed in an order of the bench's.
"""

import time
from collections.abc import Sequence
from typing import Protocol, TypeVar

from msgspec import Struct

from assay.execute.agent import Agent, PendingAnswer
from assay.execute.circumstances import Requests, framed
from assay.execute.conversation import ANSWER_SECONDS
from assay.execute.patience import Patience
from assay.execute.pipe import Pipe
from assay.execute.protocol import PayloadReader, Request
from assay.timing.beats import Beat, Rhythm, unheard

NumberT = TypeVar("NumberT", int, float)
MOST_CLASSES, MOST_ROUNDS = 64, 4096  # harness/agent/timing.c
Class = tuple[Requests, Requests]


class AroundTiming(Protocol):
    """Whoever wants to queue requests before and after every timed group."""

    def prepare(self) -> None:
        """Queue what shall be over before the group is asked for."""

    def before(self) -> None:
        """Queue what shall come right before, in the same turn."""

    def after(self) -> None:
        """Queue what shall come after."""

    def settled(self) -> bool:
        """Judge the groups since the last call; False: they shall be timed again."""

    def heard(self) -> Rhythm | None:
        """Judge them by what was asked around them; None: they shall be timed again."""

    def believed(self, beats: Sequence[Beat]) -> list[Beat]:
        """Return the beats of a group, none slower than can be."""

    def judged(self, beats: Sequence[Beat]) -> Rhythm | None:
        """Judge a group by its beats, too: which batches count; None: it shall be timed again."""


class ProcessUse(Struct, frozen=True):
    """What was seen of an agent's process until a moment, or between two.

    `seconds` by the clock; processor time and page faults where the kernel of this machine tells.
    """

    seconds: float
    processor_seconds: float | None = None
    page_faults: int | None = None

    def since(self, earlier: "ProcessUse") -> "ProcessUse":
        """Return what was seen since an earlier moment."""
        return ProcessUse(
            self.seconds - earlier.seconds,
            _less(self.processor_seconds, earlier.processor_seconds),
            _less(self.page_faults, earlier.page_faults),
        )


def _less(later: NumberT | None, earlier: NumberT | None) -> NumberT | None:
    return None if later is None or earlier is None else later - earlier


class TimedAgent(Agent):
    """An agent whose timed groups are watched, by whoever is put into `around_timing`."""

    def __init__(
        self,
        pipe: Pipe,
        answer_seconds: float = ANSWER_SECONDS,
        advice: str = "",
        patience: Patience | None = None,
    ) -> None:
        """Greet the agent, see `Agent`; nobody watches yet."""
        self.around_timing: AroundTiming | None = None
        self._began = ProcessUse(0.0)  # when a group began to be timed
        self._rested: ProcessUse | None = None  # since when it has had nothing to do
        self.preparing = ProcessUse(0.0)  # what was seen between that and the beginning
        super().__init__(pipe, answer_seconds, advice, patience)

    def time(self, payload: bytes, what: str, seconds: float | None = None) -> PayloadReader:
        """Have a group timed, with what is asked around it; return its answer."""
        around, rested = self.around_timing, self._rested
        if around is not None:
            around.prepare()
        self.flush(seconds)
        self._began, self._rested = self._seen(), None
        self.preparing = ProcessUse(0.0) if rested is None else self._began.since(rested)
        if around is None:
            return self.ask(Request.TIME, payload, what, seconds)
        answer = PendingAnswer(self)
        around.before()
        self.later(Request.TIME, payload, lambda: what, answer)
        around.after()
        self.flush(seconds)
        return PayloadReader(answer.data)

    def rest(self) -> ProcessUse:
        """Have the agent sleep until it is asked again, and return what was seen until now.

        The kernel's account is exact once it sleeps, as it does behind a clock.
        """
        self.ask(Request.CLOCK, b"", "reading the clock")
        self._rested = self._seen()
        return self._rested

    def untimed(self, code: Request, payload: bytes, what: str, seconds: float) -> PayloadReader:
        """Ask for something that is not timed, and have the agent sleep again behind it.

        Both are sent at once: it would wait awake in between.
        """
        answer = PendingAnswer(self)
        self.later(code, payload, lambda: what, answer)
        self.later(Request.CLOCK, b"", lambda: "reading the clock")
        self.flush(seconds)
        self._rested = self._seen()
        return PayloadReader(answer.data)

    def processor_time_of(
        self, code: Request, payload: bytes, what: str, seconds: float
    ) -> float | None:
        """Ask for something that is not timed; return the processor time it used, if known."""
        before = self.rest()
        self.untimed(code, payload, what, seconds)
        after = self._rested
        return after.since(before).processor_seconds if after else None

    def since_timing(self) -> ProcessUse:
        """Return what was seen since a group began to be timed."""
        return self._seen().since(self._began)

    def _seen(self) -> ProcessUse:
        return ProcessUse(time.monotonic(), self.processor_seconds(), self.page_faults())

    def settled(self) -> bool:
        """Return whether the groups timed since the last call count."""
        return self.around_timing is None or self.around_timing.settled()

    def heard(self) -> Rhythm | None:
        """Return how the core was around the groups since the last call; None: repeat them."""
        return unheard(()) if self.around_timing is None else self.around_timing.heard()

    def believed(self, beats: Sequence[Beat]) -> list[Beat]:
        """Return beats that the agent reports, none slower than is believed of it."""
        return list(beats) if self.around_timing is None else self.around_timing.believed(beats)

    def judged(self, beats: Sequence[Beat]) -> Rhythm | None:
        """Choose the batches of the group timed last that count; None to time it again."""
        if self.around_timing is None:
            return unheard(beats)
        return self.around_timing.judged(beats)


def watched(agent: Agent) -> TimedAgent:
    """Return an agent that can time; TypeError for one that was opened for other questions."""
    if not isinstance(agent, TimedAgent):
        raise TypeError("code is timed through a TimedAgent only")
    return agent


def class_ticks(
    agent: Agent, classes: Sequence[Class], order: bytes, seconds: float
) -> tuple[int, ...]:
    """Return the ticks of each round; `order` has the number of its class.

    Of a class the first requests prepare, and the second ones are timed.
    """
    payload = bytes([len(classes)]) + b"".join(map(_written, classes)) + order
    reader = agent.ask(Request.CLASSES, payload, "timing classes of inputs", seconds)
    return tuple(reader.number(8) for _ in order)


def _written(one: Class) -> bytes:
    preparing, timed = map(framed, one)
    lengths = (len(part).to_bytes(4, "little") for part in (preparing, timed))
    return b"".join((*lengths, preparing, timed))

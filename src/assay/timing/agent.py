# SPDX-License-Identifier: MIT
"""An agent that times code: what is asked around each timed group, and how it is judged."""

import time
from collections.abc import Sequence
from typing import Protocol

from assay.execute.agent import Agent, PendingAnswer
from assay.execute.conversation import ANSWER_SECONDS
from assay.execute.patience import Patience
from assay.execute.pipe import Pipe
from assay.execute.protocol import PayloadReader, Request
from assay.timing.beats import Beat, Rhythm, unheard


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

    def judged(self, beats: Sequence[Beat]) -> Rhythm | None:
        """Judge a group by its beats, too: which batches count; None: it shall be timed again."""


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
        # Processor time that the agent had used, and the time, when a group began to be timed.
        self._timing_began: tuple[float | None, float] = (None, 0.0)
        super().__init__(pipe, answer_seconds, advice, patience)

    def time(self, payload: bytes, what: str, seconds: float | None = None) -> PayloadReader:
        """Have a group timed, with what is asked around it; return its answer."""
        around = self.around_timing
        if around is not None:
            around.prepare()
        self.flush(seconds)
        self._timing_began = self.processor_seconds(), time.monotonic()
        if around is None:
            return self.ask(Request.TIME, payload, what, seconds)
        answer = PendingAnswer(self)
        around.before()
        self.later(Request.TIME, payload, lambda: what, answer)
        around.after()
        self.flush(seconds)
        return PayloadReader(answer.data)

    def processor_time_of(
        self, code: Request, payload: bytes, what: str, seconds: float
    ) -> float | None:
        """Ask for something that is not timed; return the processor time it used, if known.

        The kernel's account is exact once the agent sleeps, as it does behind a clock.
        """
        self.ask(Request.CLOCK, b"", "reading the clock")
        before = self.processor_seconds()
        self.ask(code, payload, what, seconds)
        self.ask(Request.CLOCK, b"", "reading the clock")
        after = self.processor_seconds()
        return None if before is None or after is None else after - before

    def since_timing(self) -> tuple[float | None, float]:
        """Return processor time (None: unknown) and time since a group began to be timed."""
        before, begun = self._timing_began
        passed, after = time.monotonic() - begun, self.processor_seconds()
        return (None if before is None or after is None else after - before), passed

    def settled(self) -> bool:
        """Return whether the groups timed since the last call count."""
        return self.around_timing is None or self.around_timing.settled()

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

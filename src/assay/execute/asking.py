# SPDX-License-Identifier: MIT
"""What was asked of an agent, what comes back, and what may go wrong on the way."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from assay.execute.protocol import AgentError


class AgentLost(AgentError):
    """The agent died or stopped speaking the protocol."""


class AgentSilent(AgentError):
    """The agent did not answer in time: the code under test hangs."""


class AgentRefusal(AgentError):
    """The agent could not do what was asked: a mistake of the bench, or no memory."""


class AgentFault(AgentError):
    """The code under test faulted inside a call; the agent lives on.

    `step` is the number of the step, where it was in a script; `signal` names what it was.
    `beyond` counts the bytes between a buffer's end and the address, where that lies behind one;
    `inside` is the label of the buffer that it lies in.
    """

    def __init__(
        self,
        message: str,
        signal: str = "",
        step: int | None = None,
        beyond: int | None = None,
        inside: str = "",
    ) -> None:
        """Describe what happened."""
        super().__init__(message)
        self.beyond = beyond
        self.inside = inside
        self.signal = signal
        self.step = step


def hung(error: BaseException) -> bool:
    """Return whether the agent was waited for in vain, whatever else went wrong before."""
    return isinstance(error, AgentSilent) or isinstance(error.__cause__, AgentSilent)


class Flushed(Protocol):
    """Whoever has a queue of requests."""

    def flush(self) -> bytes:
        """Send everything queued, and read all answers."""


class PendingAnswer:
    """Bytes that were asked for; looking at them sends what is queued."""

    def __init__(self, agent: Flushed, pieces: int = 1) -> None:
        """Belong to the agent that will answer, in so many pieces."""
        self._agent = agent
        self._due = pieces
        self._pieces: list[bytes] = []

    @property
    def data(self) -> bytes:
        """The bytes; raises what went wrong on the way to them."""
        if len(self._pieces) < self._due:
            self._agent.flush()
        if len(self._pieces) < self._due:
            raise AgentLost("an earlier request failed, so this one was never answered")
        return b"".join(self._pieces)

    def arrive(self, payload: bytes) -> None:
        """Take the next piece of the answer (called by the agent's side of the bench)."""
        self._pieces.append(payload)


class SentRequest(NamedTuple):
    """A request on its way: its frame, what to call it in messages, and who gets the answer.

    Some ten thousands are made for each package: a tuple is made sooner than a frozen record.
    """

    sequence: int
    frame: bytes
    what: Callable[[], str]
    answer: PendingAnswer | None


def in_groups(asked: list[SentRequest], in_flight_bytes: int) -> list[list[SentRequest]]:
    """Split the queue so that no group fills a pipe; a large request stands alone."""
    groups: list[list[SentRequest]] = []
    room = 0
    for one in asked:
        if len(one.frame) > room or not groups:
            groups.append([])
            room = in_flight_bytes
        groups[-1].append(one)
        room -= len(one.frame)
    return groups

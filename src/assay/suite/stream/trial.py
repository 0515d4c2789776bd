# SPDX-License-Identifier: MIT
"""What a check of the kind `stream` gets to work with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random, SystemRandom

from assay.execute.agent import Agent, AgentError
from assay.model import Package, SizeChoice, StreamSubject
from assay.suite.stream.session import StreamSession


@dataclass(slots=True)
class Trial:
    """A built package on trial. `connect` launches an agent; `sizes` are those tested.

    `random` gives inputs that the submitted code cannot know beforehand.
    """

    package: Package
    subject: StreamSubject
    sizes: tuple[SizeChoice, ...]
    connect: Callable[[], Agent]
    random: Random = field(default_factory=SystemRandom)
    _agent: Agent | None = None
    _session: StreamSession | None = None

    @contextmanager
    def session(self) -> Iterator[StreamSession]:
        """Lend a session with no buffers; agents live on from check to check until one fails."""
        if self._agent is None or self._session is None:
            self._agent = self.connect()
            self._session = StreamSession(self._agent, self.subject)
        self._agent.forget_buffers()
        try:
            yield self._session
            self._agent.flush()
        except AgentError:
            self.close()
            raise

    def close(self) -> None:
        """End the agent, if one lives."""
        if self._agent is not None:
            self._agent.close()
        self._agent = self._session = None

    def bytes(self, length: int) -> bytes:
        """Give fresh unpredictable bytes."""
        return self.random.randbytes(length)

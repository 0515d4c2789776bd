# SPDX-License-Identifier: MIT
"""What a check of the kind `stream` gets to work with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random, SystemRandom

from assay.execute.agent import Agent, AgentError, AgentSilent
from assay.model import Package, SizeChoice, StreamSubject
from assay.suite.check import CheckFailed, CheckSkipped
from assay.suite.stream.session import StreamSession

MOST_SILENCES = 3


@dataclass(slots=True)
class Trial:
    """A built package on trial. `connect` launches an agent; `sizes` are those tested.

    `random` gives inputs that the submitted code cannot know beforehand.

    A thorough trial is for one build of a package. The many further
    configurations of a campaign get a short one (`thorough=False`): every check
    still asks its question, of fewer sizes, lengths and vectors; verified vectors
    stay complete for the sizes nearest to the usual ones.

    A hang costs as long as an agent is waited for, so after a few of them no
    further question is asked: those checks are skipped.
    """

    package: Package
    subject: StreamSubject
    sizes: tuple[SizeChoice, ...]
    connect: Callable[[], Agent]
    random: Random = field(default_factory=SystemRandom)
    thorough: bool = True
    _agent: Agent | None = None
    _session: StreamSession | None = None
    _silences: int = 0

    @property
    def wide_sizes(self) -> tuple[SizeChoice, ...]:
        """Give all sizes; of a short trial the first and the last."""
        return self.sizes if self.thorough else self._ends()

    @property
    def few_sizes(self) -> tuple[SizeChoice, ...]:
        """Give the first and the last sizes; of a short trial the last only."""
        return self._ends() if self.thorough else self.sizes[-1:]

    def _ends(self) -> tuple[SizeChoice, ...]:
        return tuple(dict.fromkeys((self.sizes[0], self.sizes[-1])))

    @contextmanager
    def session(self) -> Iterator[StreamSession]:
        """Lend a session with no buffers; agents live on from check to check until one fails."""
        self._stop_after_silences()
        try:
            if self._agent is None or self._session is None:
                self._agent = self.connect()
                self._session = StreamSession(self._agent, self.subject)
            self._agent.forget_buffers()
            yield self._session
            self._agent.flush()
        except (AgentError, CheckFailed) as error:
            self._silences += isinstance(error, AgentSilent)
            self.close()
            raise

    @contextmanager
    def fresh_session(self) -> Iterator[StreamSession]:
        """Lend a session with an agent of its own."""
        self._stop_after_silences()
        try:
            with self.connect() as agent:
                yield StreamSession(agent, self.subject)
                agent.flush()
        except AgentSilent:
            self._silences += 1
            raise

    def _stop_after_silences(self) -> None:
        if self._silences >= MOST_SILENCES:
            raise CheckSkipped(f"not asked: the code has hung {self._silences} times before")

    def close(self) -> None:
        """End the agent, if one lives."""
        if self._agent is not None:
            self._agent.close()
        self._agent = self._session = None

    def bytes(self, length: int) -> bytes:
        """Give fresh unpredictable bytes."""
        return self.random.randbytes(length)

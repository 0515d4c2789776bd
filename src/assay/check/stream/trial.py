# SPDX-License-Identifier: MIT
"""What a check of the kind `stream` gets to work with."""

from dataclasses import dataclass

from assay.check.stream.session import StreamSession
from assay.check.stream.sizes import accepted_sizes
from assay.check.trial import MOST_SILENCES, BaseTrial
from assay.execute.agent import Agent
from assay.model import SizeChoice, StreamSubject

__all__ = ["MOST_SILENCES", "Trial"]


@dataclass(slots=True)
class Trial(BaseTrial[StreamSubject, StreamSession]):
    """A built cipher on trial; see BaseTrial.

    Verified vectors stay complete for the sizes nearest to the usual ones, in a short
    trial, too.
    """

    def converse(self, agent: Agent) -> StreamSession:
        """Open a session with an agent."""
        return StreamSession(agent, self.subject)

    @property
    def sizes(self) -> tuple[SizeChoice, ...]:
        """Return the sizes that are tested."""
        return accepted_sizes(self.subject)

    @property
    def wide_sizes(self) -> tuple[SizeChoice, ...]:
        """Return all sizes; of a short trial the first and the last."""
        return self.sizes if self.thorough else self._ends()

    @property
    def few_sizes(self) -> tuple[SizeChoice, ...]:
        """Return the first and the last sizes; of a short trial the last only."""
        return self._ends() if self.thorough else self.sizes[-1:]

    def _ends(self) -> tuple[SizeChoice, ...]:
        return tuple(dict.fromkeys((self.sizes[0], self.sizes[-1])))

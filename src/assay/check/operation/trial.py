# SPDX-License-Identifier: MIT
"""What a check of the kind `operation` gets to work with."""

from dataclasses import dataclass

from assay.check.operation.session import OperationSession
from assay.check.trial import BaseTrial
from assay.execute.agent import Agent
from assay.model import OperationDetails, OperationSubject
from assay.model.api import Api
from assay.model.operations import OPERATIONS


@dataclass(slots=True)
class OperationTrial(BaseTrial[OperationSubject, OperationSession]):
    """A built package of the SUPERCOP API on trial; see BaseTrial."""

    most_silences: int = 1  # slow implementations are waited for five minutes

    def converse(self, agent: Agent) -> OperationSession:
        """Open a session with an agent."""
        return OperationSession(agent, self.subject)

    @property
    def operation(self) -> Api:
        """The operation, with its functions."""
        return OPERATIONS[self.subject.operation]

    @property
    def details(self) -> OperationDetails:
        """What the package has beside its sources."""
        if self.package.details is None:
            raise ValueError(f"{self.package.selector} is no package of the SUPERCOP API")
        return self.package.details

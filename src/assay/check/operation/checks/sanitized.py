# SPDX-License-Identifier: MIT
"""With sanitizers: every function with a few lengths."""

from collections.abc import Callable
from contextlib import suppress

from assay.check import sanitized
from assay.check.operation.checks.walking import fresh, groups
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import ReferenceWalk
from assay.execute.agent import Agent, AgentError

LENGTHS = (0, 1, 15, 16, 64, 77, 200, 1025, 4097)


def use(trial: OperationTrial, connect: Callable[[], Agent]) -> None:
    """Call everything; an agent that a report has ended is launched again."""
    for one in groups(trial, LENGTHS):
        with connect() as agent, suppress(AgentError):  # an error that is reported ends it
            ReferenceWalk(OperationSession(agent, trial.subject), one).reference(fresh(trial, one))


CHECKS = sanitized.checks(use)

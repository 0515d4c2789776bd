# SPDX-License-Identifier: MIT
"""What an operation's functions do to registers and flags that are their caller's."""

from assay.check import leaks, registers
from assay.check.operation.checks.walking import fresh, groups
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import ReferenceWalk

LENGTHS = (0, 1, 64, 129, 1027)
ONE_LENGTH = (64,)


def use(trial: OperationTrial, session: OperationSession) -> None:
    """Call every function with a few lengths; whether results are right is not asked here."""
    for one in groups(trial, LENGTHS if trial.thorough else ONE_LENGTH):
        session.agent.forget_buffers()
        ReferenceWalk(session, one).reference(fresh(trial, one))


def name(trial: OperationTrial, number: int) -> str:
    """Name a function."""
    return f"{trial.subject.operation}{trial.subject.functions[number]}"


CHECKS = (*registers.checks(use, name), leaks.check(use))

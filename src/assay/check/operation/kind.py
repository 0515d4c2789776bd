# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `operation`."""

from assay.check.kinds import Kind
from assay.check.operation.checks import CHECKS
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession, describe
from assay.check.operation.trial import OperationTrial
from assay.check.operation.vectors import VECTORS, answered
from assay.execute.agent import Agent
from assay.execute.places import Register
from assay.model import OperationSubject
from assay.model.api import Function, Way
from assay.model.operations import OPERATIONS

MESSAGE_BYTES = 64
ROOM_BYTES = 1 << 16  # more than any output for such a message, but for a few large keys
LARGEST_CONSTANT = 1 << 24


def exercise(agent: Agent, subject: OperationSubject) -> None:
    """Call every function once, on zeros."""
    session = OperationSession(agent, subject)
    operation = OPERATIONS[subject.operation]
    constants = [value for _, value in subject.constants if value < LARGEST_CONSTANT]
    room = ROOM_BYTES + sum(constants)
    for function in operation.functions:
        script = Script()
        arguments = [_argument(session, number, way, room) for number, way in _ways(function)]
        script.call(session.number(function.suffix), arguments)
        session.run(script)


def _ways(function: Function) -> list[tuple[int, Way]]:
    return [(number, one.way) for number, one in enumerate(function.parameters)]


def _argument(session: OperationSession, number: int, way: Way, room: int) -> Argument:
    if way is Way.LENGTH:
        return MESSAGE_BYTES
    if way is Way.LENGTH_OUT:
        return Register(0)
    return session.agent.buffer(f"argument {number}", room, number=number)


KIND = Kind(
    describe, OperationTrial, CHECKS, exercise, VECTORS, answers=answered, may_not_fit=True
)

# SPDX-License-Identifier: MIT
"""A conversation with an agent about a package of the SUPERCOP API."""

from assay.check.operation.script import Script
from assay.execute.agent import Agent, AgentLost
from assay.execute.protocol import FrameError, PayloadReader, Request
from assay.model import OperationSubject
from assay.model.operations import OPERATIONS

SCRIPT_SECONDS = 300.0  # one call of the slowest takes half a minute, on a machine that is free


def describe(agent: Agent) -> OperationSubject:
    """Ask the agent what it contains; AgentLost if the answer makes no sense."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    try:
        if reader.text() != "operation":
            raise FrameError("another kind than `operation`")
        operation, primitive, implementation = (reader.text() or "" for _ in range(3))
        constants = tuple(_constants(reader))
        functions = tuple(_texts(reader))
        state_bytes = reader.number(4)
        if operation not in OPERATIONS:
            raise FrameError(f"there is no operation {operation!r}")
    except FrameError as error:
        raise AgentLost(f"the description makes no sense: {error}") from None
    return OperationSubject(
        operation, primitive, implementation, constants, functions, state_bytes
    )


def marks_secrets(agent: Agent) -> bool:
    """Return whether the agent runs under valgrind, and marks what is secret."""
    reader = agent.ask(Request.DESCRIBE, b"", "asking for a description")
    for _ in range(4):
        reader.text()
    _constants(reader)
    _texts(reader)
    reader.number(4)
    return bool(reader.number(1))


def _texts(reader: PayloadReader) -> list[str]:
    found = []
    while (text := reader.text()) is not None:
        found.append(text)
    return found


def _constants(reader: PayloadReader) -> list[tuple[str, int]]:
    found = []
    while (name := reader.text()) is not None:
        found.append((name, reader.number(8)))
    return found


class OperationSession:
    """A conversation about one implementation; scripts do the work."""

    def __init__(self, agent: Agent, subject: OperationSubject) -> None:
        """Speak with `agent` about `subject`."""
        self.agent = agent
        self.subject = subject

    def number(self, suffix: str) -> int:
        """Return the number of a function: `_xor`, or an empty text for the plain name."""
        return self.subject.functions.index(suffix)

    def run(self, script: Script, seconds: float = SCRIPT_SECONDS) -> bytes:
        """Perform a script, and give the bytes that it answers.

        AgentFault (its `step` says where) if the code under test faults, AgentRefusal if
        a step cannot be done, AgentSilent if all of it takes longer than `seconds`.
        """
        agent = self.agent
        what = f"{self.subject.operation} in a script of {script.count} steps"
        agent.later(Request.SCRIPT, script.payload, lambda: what)
        return agent.flush(seconds)

# SPDX-License-Identifier: MIT
"""Keystream that goes on for as long as one likes, one call after another."""

from dataclasses import dataclass, replace

from assay.check.arena import Arena
from assay.check.routine import Variable
from assay.check.session import BaseSession
from assay.check.stream.routines import CipherMessage
from assay.check.uses import called
from assay.execute.agent import Buffer, PendingAnswer
from assay.model.api import Role, Way
from assay.model.wire import StreamFunction

BEGINNING = 2  # calls: the key and the IV are loaded


@dataclass(frozen=True, slots=True)
class Onward:
    """What stands in `input` is encrypted to `output`, or where it stands; `unit` is a block."""

    arena: Arena
    unit: int

    @classmethod
    def begun(
        cls, session: BaseSession, message: CipherMessage, room: int, base: int = 0,
        *, in_place: bool = False,
    ) -> "Onward":  # fmt: skip
        """Load the key and the IV of a message; calls may have up to `room` bytes."""
        arena = Arena(session, base=base, twin={"output": "input"} if in_place else {})
        routine = message.by("encrypt_bytes", data=0)
        text = Variable(Role.MESSAGE, Way.BOTH, room)
        variables = {**routine.variables, "input": text, "output": text}
        routine = replace(routine, variables=variables, setup=BEGINNING)
        arena.lay(routine)
        for name in routine.inputs:
            arena.put(name, routine.variables[name].value or b"")
        arena.go(routine.steps[:BEGINNING])
        return cls(arena, message.subject.block_bytes)

    @property
    def context(self) -> bytes:
        """Return the context as it is."""
        return self.arena.get("ctx", self.buffer("ctx").size_bytes).data

    def go_on_from(self, context: bytes) -> None:
        """Put a context in place."""
        self.arena.put("ctx", context)

    def buffer(self, name: str) -> Buffer:
        """Return the buffer of a variable."""
        return self.arena.buffer(name)

    def zero(self, length: int) -> None:
        """Let so many zeros be encrypted by the next call."""
        self.arena.session.agent.fill(self.buffer("input"), 0, length)

    def blocks(self, number: int) -> None:
        """Encrypt so many blocks."""
        self.arena.go((called(StreamFunction.ENCRYPT_BLOCKS, {"blocks": number}),))

    def bytes(self, length: int) -> None:
        """Encrypt so many bytes."""
        self.arena.go((called(StreamFunction.ENCRYPT_BYTES, {"bytes": length}),))

    def output(self, begin: int, length: int) -> PendingAnswer:
        """Ask for a part of what the last call has written."""
        return self.arena.session.agent.fetch(self.buffer("output"), length, begin)

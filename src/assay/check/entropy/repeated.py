# SPDX-License-Identifier: MIT
"""One call of an operation made again and again, with given inputs and random bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.check.arena import FILLING, Arena
from assay.check.operation.script import Script
from assay.check.operation.session import SEED, OperationSession
from assay.check.routine import Routine
from assay.execute.places import Register
from assay.execute.protocol import PayloadReader

LENGTH = Register(0)


@dataclass(frozen=True, slots=True)
class CallInputs:
    """What a call gets of `randombytes`, these bytes and then the stream of a seed; and inputs."""

    supplied: bytes = b""
    seed: bytes = SEED
    inputs: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class Repeated:
    """A routine of one call in an arena of its own."""

    session: OperationSession
    routine: Routine
    base: int = 0
    _arena: Arena = field(init=False)

    def __post_init__(self) -> None:
        """Make the buffers, and fill them."""
        self._arena = Arena(self.session, base=self.base)
        self._arena.lay(self.routine)
        self._arena.fill(self.routine)

    def outputs(self, drawing: CallInputs) -> dict[str, bytes]:
        """Return what a call writes; nothing if it does not return 0."""
        script = self._script(drawing)
        for name in self.routine.outputs:
            script.read(self._arena.buffer(name), self.routine.variables[name].size)
        reader = PayloadReader(self.session.run(script))
        result, length = reader.number(8), reader.number(8)
        found = {name: reader.bytes(self._size(name)) for name in self.routine.outputs}
        (step,) = self.routine.steps
        if step.measures:
            found[step.measures] = found[step.measures][:length]
        return {} if result else found

    def drawn(self, given: CallInputs = CallInputs()) -> list[int]:
        """Return how many bytes each call of `randombytes` was asked for, of those logged."""
        script = self._script(given)
        script.log()
        reader = PayloadReader(self.session.run(script))
        reader.bytes(16)
        return [reader.number(4) for _ in range(reader.number(4))]

    def _size(self, name: str) -> int:
        return self.routine.variables[name].size

    def _script(self, drawing: CallInputs) -> Script:
        """Return the steps of a call, with its result and the length that it writes."""
        script = Script()
        for name, value in drawing.inputs.items():
            script.write(self._arena.buffer(name), value)
        for name in self.routine.outputs:
            script.fill(self._arena.buffer(name), self._size(name), FILLING)
        script.seed(drawing.seed)
        if drawing.supplied:
            script.supply(drawing.supplied)
        (step,) = self.routine.steps
        arguments = [self._arena.resolved(one) for one in step.arguments]
        script.call(
            step.number, [LENGTH if isinstance(one, Register) else one for one in arguments]
        )
        script.give(LENGTH)
        return script

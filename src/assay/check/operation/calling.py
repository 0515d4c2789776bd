# SPDX-License-Identifier: MIT
"""Calling one function of an operation on given inputs, with given randomness."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.check.arena import FILLING, Arena
from assay.check.buffers.guard import at_end
from assay.check.check import CheckFailed
from assay.check.operation.script import Script
from assay.check.operation.session import MOST_LOGGED, SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Argument, Routine, Step, Variable, symbol
from assay.execute.agent import AgentFault
from assay.execute.places import Register
from assay.execute.protocol import PayloadReader
from assay.model.api import Function, Parameter, Way

LENGTH = Register(0)
SIZES = {"pk": "PUBLICKEYBYTES", "sk": "SECRETKEYBYTES", "c": "CIPHERTEXTBYTES", "k": "BYTES"}


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """What a call returned and wrote, the length that it wrote, and what it drew, in order."""

    result: int
    outputs: dict[str, bytes]
    length: int
    drawn: tuple[int, ...]

    def measured(self, name: str) -> bytes:
        """Return an output, as long as the call says that it is."""
        return self.outputs[name][: self.length]


@dataclass(slots=True)
class Caller:
    """Calls functions in an agent; inputs and outputs end at inaccessible pages."""

    trial: OperationTrial
    session: OperationSession

    def has(self, suffix: str) -> bool:
        """Return whether the package has a function."""
        return suffix in self.trial.subject.functions

    def name(self, suffix: str) -> str:
        """Return the name of a function of the operation."""
        return f"{self.trial.subject.operation}{suffix}"

    def constant(self, name: str) -> int:
        """Return a constant of api.h."""
        return self.trial.subject.constant(name)

    def room(self, *names: str) -> dict[str, int]:
        """Return the bytes of keys and ciphertexts."""
        return {name: self.constant(SIZES[name]) for name in names}

    def __call__(
        self,
        suffix: str,
        given: dict[str, bytes],
        room: dict[str, int] | None = None,
        *,
        seed: bytes = bytes(32),
        supplied: bytes = b"",
        number: int = 0,
    ) -> CallAnswer:
        """Call a function; `given` are its inputs and `room` the bytes of its outputs, by name.

        `randombytes` gives what is `supplied`, then the stream of the seed. `number` is for a
        parameter that is none of a length. CheckFailed if it faults.
        """
        routine = self._routine(suffix, given, room or {}, number)
        arena = Arena(self.session, at_end(1))
        arena.lay(routine)
        arena.fill(routine, FILLING)
        (step,) = routine.steps
        script = Script()
        script.seed(seed)
        script.supply(supplied)
        script.set(LENGTH, 0)
        script.call(step.number, [arena.resolved(one) for one in step.arguments])
        script.give(LENGTH)
        script.log()
        try:
            reader = PayloadReader(self.session.run(script))
        except AgentFault as fault:
            sizes = ", ".join(f"{name} of {len(one)}" for name, one in given.items())
            raise CheckFailed(f"{step.function} ({sizes} bytes): {fault}") from None
        result, length = reader.number(8, signed=True), reader.number(8)
        drawn = tuple(reader.number(4) for _ in range(min(reader.number(4), MOST_LOGGED)))
        waiting = {name: arena.get(name, routine.variables[name].size) for name in routine.outputs}
        self.session.settle()
        return CallAnswer(result, {n: one.data for n, one in waiting.items()}, length, drawn)

    def _routine(
        self, suffix: str, given: dict[str, bytes], room: dict[str, int], number: int
    ) -> Routine:
        operation = self.trial.operation
        every = (*operation.functions, *operation.related)
        function = next(one for one in every if one.suffix == suffix)
        variables = dict(_variables(function, given, room))
        arguments = tuple(_argument(one, given, number) for one in function.parameters)
        name = f"{operation.name}{suffix}"
        step = Step(name, self.session.number(suffix), arguments)
        return Routine(name, variables, (step,))


def _variables(
    function: Function, given: dict[str, bytes], room: dict[str, int]
) -> Iterator[tuple[str, Variable]]:
    for one in function.parameters:
        if one.way in (Way.IN, Way.BOTH):
            value = given[one.name]
            yield one.name, Variable(one.role, one.way, len(value), value)
        elif one.way is Way.OUT:
            yield one.name, Variable(one.role, one.way, room[one.name])


def _argument(one: Parameter, given: dict[str, bytes], number: int) -> Argument:
    if one.way is Way.LENGTH_OUT:
        return LENGTH
    if one.way is Way.LENGTH:
        name = one.name.removesuffix("len")
        return len(given[name]) if name in given else number
    return symbol(one.name)


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
            step.number,
            [LENGTH if isinstance(one, Register) else one for one in arguments],
        )
        script.give(LENGTH)
        return script

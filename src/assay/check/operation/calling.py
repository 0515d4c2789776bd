# SPDX-License-Identifier: MIT
"""Calling one function of an operation on given inputs, with given randomness."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from assay.check.arena import FILLING, Arena, Placement, ordinary
from assay.check.buffers.guard import at_end
from assay.check.check import CheckFailed
from assay.check.evidence import require_equal
from assay.check.operation.script import ZEROS, GeneratorFault, Script
from assay.check.operation.session import MOST_LOGGED, SCRIPT_SECONDS, SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Argument, Routine, Step, Variable, symbol
from assay.execute.agent import AgentFault
from assay.execute.places import Buffer, Register
from assay.execute.protocol import PayloadReader
from assay.model.api import Function, Parameter, Way

LENGTH = Register(0)  # of the length that a call writes
LONGEST_LENGTH = (1 << 64) - 1
SIZES = {"pk": "PUBLICKEYBYTES", "sk": "SECRETKEYBYTES", "c": "CIPHERTEXTBYTES", "k": "BYTES"}


class CallInputs(msgspec.Struct, frozen=True):
    """What a call gets of `randombytes`, these bytes and then the stream of a seed; and inputs.

    From its draw number `fails_from` on `randombytes` fails in some way, if in any. A length that
    is written has a number `before`.
    """

    supplied: bytes = b""
    seed: bytes = SEED
    inputs: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    fault: GeneratorFault | None = None
    fails_from: int = 0
    before: int = 0


class CallAnswer(msgspec.Struct, frozen=True):
    """What a call returned and wrote, the length that it wrote, and what it drew, in order.

    Of very many draws the first ones are in `drawn`, and `draws` counts all.
    """

    result: int
    outputs: dict[str, bytes]
    length: int
    drawn: tuple[int, ...] = ()
    draws: int = 0

    def measured(self, name: str) -> bytes:
        """Return an output, as long as the call says that it is."""
        return self.outputs[name][: self.length]


@dataclass(slots=True)
class Repeated:
    """A routine of one call in an arena of its own."""

    session: OperationSession
    routine: Routine
    base: int = 0
    place: Placement = ordinary
    arena: Arena = field(init=False)

    def __post_init__(self) -> None:
        """Make the buffers, and fill them."""
        self.arena = Arena(self.session, self.place, self.base)
        self.arena.ready(self.routine)

    @property
    def step(self) -> Step:
        """The call."""
        return self.routine.steps[0]

    def answer(self, given: CallInputs, seconds: float = SCRIPT_SECONDS) -> CallAnswer:
        """Make the call, which is waited for so long."""
        script = Script()
        for name, value in given.inputs.items():
            script.write(self.arena.buffer(name), value)
        self.set_outputs(script)
        script.seed(given.seed)
        if given.supplied:
            script.supply(given.supplied)
        if given.fault is not None:
            script.fail(given.fault, given.fails_from)
        script.set(LENGTH, given.before)
        script.call(self.step.number, self.arena.arguments(self.step))
        script.give(LENGTH)
        self.read_outputs(script)
        script.log()
        reader = PayloadReader(self.session.run(script, seconds))
        result, length = reader.number(8, signed=True), reader.number(8)
        sizes = {name: self.routine.variables[name].size for name in self.routine.outputs}
        outputs = {name: reader.bytes(size) for name, size in sizes.items()}
        draws = reader.number(4)
        drawn = tuple(reader.number(4) for _ in range(min(draws, MOST_LOGGED)))
        return CallAnswer(result, outputs, length, drawn, draws)

    def set_outputs(self, script: Script) -> None:
        """Fill outputs with something else than results; those that are read have their bytes."""
        for name in self.routine.outputs:
            variable = self.routine.variables[name]
            if variable.value is None:
                script.fill(self.arena.buffer(name), variable.size, FILLING)
            else:
                script.write(self.arena.buffer(name), variable.value)

    def read_outputs(self, script: Script) -> None:
        """Answer all bytes of the outputs."""
        for name in self.routine.outputs:
            script.read(self.arena.buffer(name), self.routine.variables[name].size)

    def outputs(self, given: CallInputs) -> dict[str, bytes]:
        """Return what a call writes, as long as it says; nothing if it does not return 0."""
        found, name = self.answer(given), self.step.measures
        if found.result:
            return {}
        return {**found.outputs, name: found.measured(name)} if name else found.outputs


class Caller(msgspec.Struct):
    """Calls functions in an agent; inputs and outputs end at inaccessible pages.

    A length that a function writes is 0 before every other of its calls, and ones before the rest.
    """

    trial: OperationTrial
    session: OperationSession
    calls: Counter[str] = msgspec.field(default_factory=Counter)

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
        parameter that is none of a length. CheckFailed if it faults, or changes an input.
        """
        routine = self._routine(suffix, given, room or {}, number)
        before = LONGEST_LENGTH * (self.calls[suffix] % 2)
        self.calls[suffix] += 1
        try:
            call = Repeated(self.session, routine, place=at_end(1))
            answer = call.answer(CallInputs(supplied, seed, before=before))
        except AgentFault as fault:
            sizes = ", ".join(f"{name} of {len(one)}" for name, one in given.items())
            raise CheckFailed(f"{routine.name} ({sizes} bytes): {fault}") from None
        for name in routine.inputs:
            value = call.arena.get(name, len(given[name])).data
            complaint = f"{routine.name} changes its input {name}"
            require_equal(routine, complaint, name, given[name], value)
        return answer

    def _routine(
        self, suffix: str, given: dict[str, bytes], room: dict[str, int], number: int
    ) -> Routine:
        operation = self.trial.operation
        every = (*operation.functions, *operation.related)
        function = next(one for one in every if one.suffix == suffix)
        variables = dict(_variables(function, given, room))
        arguments = tuple(_argument(one, given, number) for one in function.parameters)
        step = Step(self.name(suffix), self.session.number(suffix), arguments)
        return Routine(step.function, variables, (step,))


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


def counted(routine: Routine) -> Iterator[tuple[str, int]]:
    """Yield the variables whose length is an argument behind them, with that length."""
    (step,) = routine.steps
    for one, count in pairwise(step.arguments):
        if isinstance(one, Buffer) and isinstance(count, int):
            yield one.label, count


class ZerosCall(msgspec.Struct, frozen=True):
    """A call in an agent, with zeros that take no memory in place of inputs."""

    session: OperationSession
    arena: Arena
    routine: Routine

    def perform(self, lengths: Mapping[str, int]) -> int:
        """Return the result; inputs that are named are so many zeros, outputs are so long."""
        self.arena.forget()
        self.arena.fill(self.routine)
        (step,) = self.routine.steps
        arguments = self.arena.arguments(step)
        for at, one in enumerate(step.arguments):
            if isinstance(one, Buffer) and one.label in lengths:
                arguments[at + 1] = lengths[one.label]
                if self.routine.variables[one.label].is_input:
                    arguments[at] = ZEROS
        script = Script()
        script.zeros(max(lengths.values()))
        script.seed()
        script.call(step.number, arguments)
        return int.from_bytes(self.session.run(script)[:8], "little", signed=True)

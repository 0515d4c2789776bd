# SPDX-License-Identifier: MIT
"""Walking through the calls of a group one by one, to try each again in other circumstances.

A reference walk notes what every call read, wrote and returned. Then a call can be
repeated: at other places, after other calls, with other rubbish in its outputs. Whatever
is repeated on the same inputs must come out the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.check.operation.bed import function_of
from assay.check.operation.script import Argument, Register, Script
from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import KEPT, LENGTH, TimedCall, TimedGroup
from assay.execute.agent import Buffer
from assay.execute.places import BufferPlace
from assay.model.api import Function, Way

WRITTEN_LENGTH, OTHER_LENGTH = Register(0), Register(1)
SEED = bytes(range(32))  # the same randomness for every call
WORD = 8

Where = Buffer | BufferPlace


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of the reference walk: what it read, what it wrote, what it returned.

    `told` is the length that an earlier call wrote, for the parameter that takes it.
    """

    task: TimedCall
    read: dict[str, bytes]
    wrote: dict[str, bytes]
    result: int
    told: int


@dataclass(slots=True)
class ReferenceWalk:
    """A group's variables in an agent; `place` makes a buffer for each."""

    session: OperationSession
    group: TimedGroup
    place: Callable[[str, int], Where] = field(default=None)  # type: ignore[assignment]
    places: dict[str, Where] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the buffers."""
        if self.place is None:
            self.place = self._ordinary
        self.move()

    def _ordinary(self, name: str, size: int) -> Where:
        return self.session.agent.buffer(name, size, modulus=64)

    def move(self) -> None:
        """Place all variables anew."""
        self.places = {name: self.place(name, size) for name, size in self.group.variables.items()}

    def reference(self, inputs: dict[str, bytes]) -> list[RecordedCall]:
        """Do every call of the group that forges nothing, in order, on these inputs."""
        known = {name: data[: self.group.variables[name]] for name, data in inputs.items()}
        calls: list[RecordedCall] = []
        told = 0
        for task in (one for one in self.group.tasks if not one.forged):
            read = {name: known[name] for name in self.reads(task)}
            result, wrote, following = self.call(task, read, told)
            known |= wrote
            calls.append(RecordedCall(task, read, wrote, result, told))
            told = following
        return calls

    def again(
        self,
        call: RecordedCall,
        *,
        rubbish: int = 0,
        before: Callable[[Script], None] | None = None,
        read: dict[str, bytes] | None = None,
    ) -> tuple[int, dict[str, bytes]]:
        """Repeat a call; `rubbish` fills its outputs first, `before` adds steps just before it.

        `read` replaces what it reads. Gives the result and what it wrote.
        """
        result, wrote, _ = self.call(call.task, read or call.read, call.told, rubbish, before)
        return result, wrote

    def call(
        self,
        task: TimedCall,
        read: dict[str, bytes],
        told: int,
        rubbish: int = 0,
        before: Callable[[Script], None] | None = None,
    ) -> tuple[int, dict[str, bytes], int]:
        """Call once; give the result, what was written, and the length that was."""
        script = Script()
        self.prepare(script, task, read, rubbish)
        if before is not None:
            before(script)
        self.enter(script, task, told)
        outputs = self.collect(script, task, told)
        return self._answer(self.session.run(script), task, outputs, told)

    def prepare(
        self, script: Script, task: TimedCall, read: dict[str, bytes], rubbish: int
    ) -> None:
        """Put inputs and rubbish in place, and begin the same randomness."""
        for name in self._names(task, Way.OUT):
            script.fill(self.places[name], self.group.variables[name], rubbish)
        for name, data in read.items():
            script.write(self.places[name], data)
        script.seed(SEED)

    def enter(self, script: Script, task: TimedCall, told: int) -> None:
        """Add the call."""
        function = function_of(self.session.subject, task.suffix)
        number = self.session.number(task.suffix)
        script.call(number, list(self._arguments(task, function, told)))

    def collect(self, script: Script, task: TimedCall, told: int) -> list[str]:
        """Add the reading of a call's outputs; give their names in order."""
        function = function_of(self.session.subject, task.suffix)
        script.give(WRITTEN_LENGTH if self._has(function, Way.LENGTH_OUT) else told)
        outputs = list(dict.fromkeys(self._names(task, Way.OUT, Way.BOTH)))
        for name in outputs:
            script.read(self.places[name], self.group.variables[name])
        return outputs

    def _answer(
        self, answer: bytes, task: TimedCall, outputs: list[str], told: int
    ) -> tuple[int, dict[str, bytes], int]:
        result = int.from_bytes(answer[:WORD], "little", signed=True)
        length = int.from_bytes(answer[WORD : 2 * WORD], "little")
        at, wrote = 2 * WORD, {}
        for name in outputs:
            size = self.group.variables[name]
            wrote[name] = answer[at : at + size]
            at += size
        if not self._writes_no_length(task) and outputs:
            first = outputs[0]
            wrote[first] = wrote[first][:length]
        return result, wrote, length if not self._writes_no_length(task) else told

    def reads(self, task: TimedCall) -> Iterator[str]:
        """Name the variables that a task reads."""
        return self._names(task, Way.IN, Way.BOTH)

    def _writes_no_length(self, task: TimedCall) -> bool:
        return not self._has(function_of(self.session.subject, task.suffix), Way.LENGTH_OUT)

    @staticmethod
    def _has(function: Function, way: Way) -> bool:
        return any(one.way is way for one in function.parameters)

    def _names(self, task: TimedCall, *ways: Way) -> Iterator[str]:
        """Name the variables that a task uses in these ways."""
        function = function_of(self.session.subject, task.suffix)
        for name, parameter in zip(task.arguments, function.parameters, strict=True):
            if parameter.way in ways:
                yield name

    def _arguments(self, task: TimedCall, function: Function, told: int) -> Iterator[Argument]:
        registers = iter((WRITTEN_LENGTH, OTHER_LENGTH))
        for name, parameter in zip(task.arguments, function.parameters, strict=True):
            if parameter.way is Way.LENGTH_OUT:
                yield next(registers)
            elif parameter.way is Way.LENGTH and name.startswith(KEPT):
                yield told
            elif parameter.way is Way.LENGTH:
                yield self.group.length(name.removeprefix(LENGTH))
            else:
                yield self.places[name]

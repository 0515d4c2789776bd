# SPDX-License-Identifier: MIT
"""Packages in Python: a session that performs scripts without an agent."""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

import pytest

from assay.check.operation.script import CONSTANT, Script, ScriptStep
from assay.check.operation.session import OperationSession
from assay.execute.agent import Agent, AgentFault
from assay.execute.places import Buffer
from assay.execute.protocol import PayloadReader
from assay.model import OperationSubject
from assay.model.api import Way
from assay.model.operations import OPERATIONS

Function = Callable[..., int | None]
Functions = dict[str, Function]
STREAM = 0x5C  # what randombytes gives after what was supplied


class Fault(Exception):
    """What a package in Python raises where one in C would fault."""


class FakeAgent:
    """Buffers, and nothing more."""

    def __init__(self, memory: dict[int, bytearray]) -> None:
        """Keep them there."""
        self.memory = memory

    closed = False

    def processor_seconds(self) -> None:
        """Know no time."""

    def forget_buffers(self) -> None:
        """Forget all."""
        self.memory.clear()

    def buffer(self, label: str, size: int, *, modulus: int, number: int) -> Buffer:
        """Make one."""
        assert modulus > 0
        self.memory[number] = bytearray(size)
        return Buffer(number, size, label)

    def write(self, buffer: Buffer, data: bytes) -> None:
        """Put bytes."""
        assert len(data) <= buffer.size_bytes
        self.memory[buffer.number][: len(data)] = data

    def fill(self, buffer: Buffer, value: int, length: int) -> None:
        """Fill bytes."""
        self.memory[buffer.number][:length] = bytes([value]) * length

    def read(self, buffer: Buffer, length: int) -> bytes:
        """Give bytes."""
        assert length <= buffer.size_bytes
        return bytes(self.memory[buffer.number][:length])


class FakeSession(OperationSession):
    """Performs scripts with functions in Python."""

    def __init__(
        self, operation: str, constants: dict[str, int], functions: Mapping[str, Function]
    ) -> None:
        """Have these functions, by suffix."""
        self.memory: dict[int, bytearray] = {}
        self.agent = cast("Agent", FakeAgent(self.memory))
        names = tuple(one.suffix for one in OPERATIONS[operation].functions)
        self.subject = OperationSubject(
            operation, "toy", "python", tuple(constants.items()), names, 0
        )
        self._functions = functions
        self._registers = [0] * 16
        self._supplied = b""
        self._requests: list[int] = []
        self.calls: list[str] = []

    def number(self, suffix: str) -> int:
        """Give a function's number."""
        return self.subject.functions.index(suffix)

    def randombytes(self, length: int) -> bytes:
        """Give what was supplied, and a constant after it."""
        self._requests.append(length)
        given, self._supplied = self._supplied[:length], self._supplied[length:]
        return given + bytes([STREAM]) * (length - len(given))

    def run(self, script: Script, seconds: float = 0) -> bytes:
        """Perform the steps."""
        assert seconds == 0
        reader = PayloadReader(script.payload)
        return b"".join(self._steps(reader))

    def _steps(self, reader: PayloadReader) -> Iterator[bytes]:
        while not reader.done:
            step = ScriptStep(reader.number(1))
            if step is ScriptStep.SEED:
                assert len(reader.bytes(32)) == 32
                self._supplied, self._requests = b"", []
            elif step is ScriptStep.SUPPLY:
                self._supplied = reader.bytes(reader.number(4))
            elif step is ScriptStep.SET:
                self._registers[reader.number(1)] = reader.number(8)
            elif step is ScriptStep.GIVE:
                yield self._number(reader).to_bytes(8, "little")
            elif step is ScriptStep.LOG:
                numbers = [len(self._requests), *self._requests]
                yield b"".join(one.to_bytes(4, "little") for one in numbers)
            elif step is ScriptStep.COPY:
                to, source = self._place(reader), self._place(reader)
                length = self._number(reader)
                to[:length] = bytes(source[:length])
            elif step is ScriptStep.CALL:
                yield self._called(reader).to_bytes(8, "little", signed=True)
            else:
                raise AssertionError(step)

    def _called(self, reader: PayloadReader) -> int:
        function = OPERATIONS[self.subject.operation].functions[reader.number(1)]
        arguments: list[int | list[int] | memoryview] = []
        registers: dict[int, list[int]] = {}
        for parameter in function.parameters:
            if parameter.way is Way.LENGTH:
                arguments.append(self._number(reader))
            elif parameter.way is Way.LENGTH_OUT:
                registers[reader.number(1)] = written = [0]
                arguments.append(written)
            else:
                arguments.append(self._place(reader))
        self.calls.append(function.suffix)
        try:
            result = self._functions[function.suffix](*arguments)
        except Fault as fault:
            raise AgentFault(str(fault)) from None
        for register, written in registers.items():
            self._registers[register] = written[0]
        return result or 0

    def _place(self, reader: PayloadReader) -> memoryview:
        number, offset = reader.number(1), reader.number(4)
        return memoryview(self.memory[number])[offset:]

    def _number(self, reader: PayloadReader) -> int:
        first = reader.number(1)
        return reader.number(8) if first == CONSTANT else self._registers[first]


Package = Callable[[str, dict[str, int], Mapping[str, Function]], FakeSession]


@pytest.fixture
def package() -> Package:
    """Give what makes a package of an operation, its constants and functions in Python."""
    return FakeSession


@pytest.fixture
def fault() -> type[Exception]:
    """Give the exception that stands for a fault."""
    return Fault

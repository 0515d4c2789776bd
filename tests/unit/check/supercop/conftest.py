# SPDX-License-Identifier: MIT
"""An agent in Python: it performs scripts over toy implementations, honest and broken ones."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from msgspec.structs import replace

from assay.check.budget import Budget
from assay.check.operation.script import CONSTANT, Script, ScriptStep
from assay.check.operation.session import OperationSession
from assay.check.supercop.program import Program
from assay.check.supercop.run import ChecksumResult, ProgramRunner
from assay.check.supercop.settings import ProgramSettings
from assay.execute.agent import AgentFault
from assay.model.api import Way
from assay.model.operations import OPERATIONS

Function = Callable[..., int | None]
Functions = dict[str, Function]
BLOCK_BYTES = 768  # of the generator: a new key and 736 bytes


@dataclass(slots=True)
class Pointer:
    """An address in the agent."""

    memory: bytearray
    at: int

    def read(self, length: int, offset: int = 0) -> bytes:
        """Give bytes from here."""
        return bytes(self.memory[self.at + offset : self.at + offset + length])

    def write(self, data: bytes, offset: int = 0) -> None:
        """Put bytes here."""
        self.memory[self.at + offset : self.at + offset + len(data)] = data


class Generator:
    """What `randombytes` gives: ChaCha20 with fast key erasure (an independent ChaCha20)."""

    def __init__(self, key: bytes) -> None:
        """Begin with a key."""
        self._key, self._left = key, b""

    def take(self, length: int) -> bytes:
        """Give the next bytes."""
        while len(self._left) < length:
            cipher = Cipher(algorithms.ChaCha20(self._key, bytes(16)), None).encryptor()
            block = cipher.update(bytes(BLOCK_BYTES))
            self._key, self._left = block[:32], self._left + block[32:]
        taken, self._left = self._left[:length], self._left[length:]
        return taken


@dataclass(slots=True)
class Toy:
    """A toy implementation: functions by their suffix, on pointers, numbers and lists of one.

    A function that takes `random` by keyword gets the generator. A call takes `call_seconds`.
    """

    operation: str
    constants: dict[str, int]
    functions: Mapping[str, Function]
    wants_random: frozenset[str] = frozenset()
    call_seconds: float = 0.0


@dataclass(slots=True)
class ToyAgent:
    """The buffers of an agent; it has as much room as an honest one.

    `calls` are counted, each of which takes `call_seconds` of its processor.
    """

    call_seconds: float = 0.0
    buffers: dict[int, bytearray] = field(default_factory=dict)
    largest_payload: int = 64 << 20
    little_endian: bool = True
    closed: bool = False
    calls: int = 0

    def processor_seconds(self) -> float:
        """Return how long it has worked."""
        return self.calls * self.call_seconds

    def buffer(self, label: str, size: int, *, modulus: int, number: int) -> None:
        """Make a buffer with some room behind it."""
        del label, modulus
        self.buffers[number] = bytearray(size + 64)


class ToySession:
    """Performs scripts."""

    def __init__(self, toy: Toy) -> None:
        """Begin with no buffers."""
        self.agent = ToyAgent(toy.call_seconds)
        self._toy = toy
        self._registers = [[0] for _ in range(16)]
        self._random = Generator(bytes(32))

    def run(self, script: Script, seconds: float = 0.0) -> bytes:
        """Perform all steps; give what they answer."""
        del seconds
        reader, answer = _Reader(script.payload, self.agent.buffers, self._registers), bytearray()
        while reader.more():
            self._perform(reader, answer)
        return bytes(answer)

    def _perform(self, reader: "_Reader", answer: bytearray) -> None:
        step = ScriptStep(reader.take(1))
        if step is ScriptStep.WRITE:
            place = reader.pointer()
            place.write(reader.bytes(reader.take(4)))
        elif step is ScriptStep.READ:
            place = reader.pointer()
            answer += place.read(reader.number())
        elif step is ScriptStep.COPY:
            place, source = reader.pointer(), reader.pointer()
            place.write(source.read(reader.number()))
        elif step is ScriptStep.FILL:
            place, length = reader.pointer(), reader.number()
            place.write(bytes([reader.take(1)]) * length)
        elif step is ScriptStep.ADD:
            place, position, modulus = reader.pointer(), reader.take(8), reader.number()
            value, at = reader.take(1), place.at + (position % modulus if modulus else 0)
            if modulus:
                place.memory[at] = (place.memory[at] + value) & 0xFF
        elif step is ScriptStep.CALL:
            answer += self._call(reader).to_bytes(8, "little", signed=True)
        elif step is ScriptStep.GIVE:
            answer += reader.number().to_bytes(8, "little")
        elif step is ScriptStep.SEED:
            self._random = Generator(reader.bytes(32))
        elif step is ScriptStep.SET:
            register = self._registers[reader.take(1)]
            register[0] = reader.take(8)
        else:
            raise AssertionError(step)

    def _call(self, reader: "_Reader") -> int:
        self.agent.calls += 1
        function = OPERATIONS[self._toy.operation].functions[reader.take(1)]
        arguments: list[int | list[int] | Pointer] = []
        for parameter in function.parameters:
            if parameter.way is Way.LENGTH:
                arguments.append(reader.number())
            elif parameter.way is Way.LENGTH_OUT:
                arguments.append(self._registers[reader.take(1)])
            else:
                arguments.append(reader.pointer())
        more = {"random": self._random} if function.suffix in self._toy.wants_random else {}
        return self._toy.functions[function.suffix](*arguments, **more) or 0


class _Reader:
    """Takes a script apart."""

    def __init__(
        self, payload: bytes, buffers: dict[int, bytearray], registers: list[list[int]]
    ) -> None:
        self._payload, self._at = payload, 0
        self._buffers, self._registers = buffers, registers

    def more(self) -> bool:
        return self._at < len(self._payload)

    def bytes(self, length: int) -> bytes:
        self._at += length
        return self._payload[self._at - length : self._at]

    def take(self, length: int) -> int:
        return int.from_bytes(self.bytes(length), "little")

    def number(self) -> int:
        tag = self.take(1)
        return self.take(8) if tag == CONSTANT else self._registers[tag][0]

    def pointer(self) -> Pointer:
        number = self.take(1)
        return Pointer(self._buffers[number], self.take(4))


def opener(toy: Toy) -> Callable[[], AbstractContextManager[OperationSession]]:
    """Give what opens a session with a new agent."""

    @contextmanager
    def opened() -> Iterator[OperationSession]:
        yield cast("OperationSession", ToySession(toy))

    return opened


def settings(toy: Toy, *, big: bool = False, **more: object) -> ProgramSettings:
    """Give the settings for a toy; with fewer loops if `loops` says so."""
    loops = OPERATIONS[toy.operation].tests.loops[big]
    made = ProgramSettings(toy.operation, tuple(sorted(toy.constants.items())), big, loops)
    return replace(made, **more)


Run = Callable[..., ChecksumResult]


@pytest.fixture
def run() -> Run:
    """Run the tests of a toy, with a program of its own."""

    def _run(
        toy: Toy, *, big: bool = False, budget: Budget | None = None, **more: object
    ) -> ChecksumResult:
        program = Program(settings(toy, big=big, **more))
        return ProgramRunner(opener(toy), program, budget).run()

    return _run


def fault(*_: object) -> int:
    """Fault as a call does in an agent."""
    raise AgentFault("SIGSEGV in a call")

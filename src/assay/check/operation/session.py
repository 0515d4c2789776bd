# SPDX-License-Identifier: MIT
"""A conversation with an agent about a package of the SUPERCOP API."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import CheckFailed
from assay.check.operation.script import HOLLOW, STATE, Script, split, ways_of
from assay.check.routine import Argument, Step
from assay.check.session import BaseSession, ImplausibleSizeError, description
from assay.execute.agent import Agent, PendingAnswer
from assay.execute.places import Register
from assay.execute.protocol import FrameError, PayloadReader, Request
from assay.model import OperationSubject
from assay.model.operations import OPERATIONS

WORD = 8
HALF = 32  # bits of a length: a size_t of another machine, or an int, has no more
UNWRITTEN = 0xA5A5_A5A5_0000_0000  # stands where a call is to write a length
MOST_CONSTANT = 1 << 24  # the largest key of SUPERCOP's packages has a tenth of it
MOST_LOGGED = 4096  # calls of randombytes whose lengths an agent keeps
ROOMY_BYTES = 1 << 20  # an agent that takes so much at once takes every script at once
SEED = bytes(range(32))  # the same randomness for every script of a routine
LEAST_SILENCE_SECONDS, USUAL_TIMES = 20.0, 100  # for calls whose usual time is known
SCRIPT_SECONDS = 300.0  # one call of the slowest takes half a minute, on a machine that is free


def describe(agent: Agent) -> OperationSubject:
    """Ask for what the adapter of an operation says."""
    with description(agent, "operation") as reader:
        operation, primitive, implementation = (reader.text() or "" for _ in range(3))
        constants, functions = _constants(reader), _texts(reader)
        state_bytes = reader.number(4)
        if operation not in OPERATIONS:
            raise FrameError(f"there is no operation {operation!r}")
    for name, value in constants:
        if value > MOST_CONSTANT:
            raise ImplausibleSizeError(f"{operation}_{name}", value, MOST_CONSTANT)
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


def _texts(reader: PayloadReader) -> tuple[str, ...]:
    return tuple(iter(reader.text, None))


def _constants(reader: PayloadReader) -> tuple[tuple[str, int], ...]:
    return tuple((name, reader.number(8)) for name in iter(reader.text, None))


def _written(step: Step, length: int) -> int:
    """Return the length that a call wrote, 0 if none; CheckFailed if only its lower half."""
    if length >> HALF == UNWRITTEN >> HALF and length != UNWRITTEN:
        raise CheckFailed(
            f"{step.function} writes {HALF} bits of the length of {step.measures}, which has "
            f"{2 * HALF}"
        )
    return 0 if length == UNWRITTEN else length


class ScriptResults(Struct, frozen=True):
    """What the calls of a script will have returned, and the lengths that they wrote."""

    answer: PendingAnswer

    def of(self, steps: tuple[Step, ...]) -> tuple[tuple[int, ...], dict[str, int]]:
        """Return the results, and the lengths; CheckFailed if a call returned something wrong."""
        data, results, lengths = self.answer.data, [], {}
        for step in steps:
            results.append(int.from_bytes(data[:WORD], "little", signed=True))
            data = data[WORD:]
            if step.measures:
                lengths[step.measures] = _written(step, int.from_bytes(data[:WORD], "little"))
                data = data[WORD:]
            if step.returns not in (None, results[-1]):
                raise CheckFailed(f"{step.function} returned {results[-1]}, not {step.returns}")
        return tuple(results), lengths


class OperationSession(BaseSession):
    """A conversation about one implementation; scripts do the work."""

    def __init__(self, agent: Agent, subject: OperationSubject) -> None:
        """Speak with `agent` about `subject`."""
        self.agent = agent
        self.subject = subject
        self.seed = SEED
        self.silence_seconds = SCRIPT_SECONDS
        self._rubbish = (0, 0)
        self._ways = ways_of(subject.operation, subject.functions)

    def perform(self, steps: tuple[Step, ...], arena: Arena) -> ScriptResults:
        """Queue calls as one script, with the randomness that begins at `seed`."""
        script = self._script(steps, arena.resolved)
        return ScriptResults(self._queue(script, steps[0].function))

    def hollow(self, steps: tuple[Step, ...], place: Callable[[Argument], Argument]) -> None:
        """Queue calls that are prepared as such, and not made."""
        idle = tuple(replace(one, number=one.number | HOLLOW) for one in steps)
        self._queue(self._script(idle, place), steps[0].function)

    def requests(
        self, steps: tuple[Step, ...], place: Callable[[Argument], Argument]
    ) -> list[tuple[Request, bytes]]:
        """Return the one request that makes calls."""
        return [(Request.SCRIPT, self._script(steps, place).payload)]

    def _script(self, steps: tuple[Step, ...], place: Callable[[Argument], Argument]) -> Script:
        script = Script()
        script.seed(self.seed)
        for step in steps:
            if self._rubbish[0]:
                script.stack(*self._rubbish)
            register = next((one for one in step.arguments if isinstance(one, Register)), None)
            if step.measures and register:
                script.set(register, UNWRITTEN)
            script.call(step.number, [place(one) for one in step.arguments])
            if step.measures and register:
                script.give(register)
        return script

    def _queue(self, script: Script, function: str) -> PendingAnswer:
        """Queue a script, in as many requests as the agent has room for."""
        what = f"{function} in a script of {script.count} steps"
        parts, room = [script.payload], self.agent.largest_payload
        if room < ROOMY_BYTES:
            parts = split(script.payload, self._ways, room)
        answer = PendingAnswer(self.agent, len(parts))
        for part in parts:
            self.agent.later(Request.SCRIPT, part, lambda: what, answer)
        return answer

    def settle(self) -> None:
        """Wait for what is queued: a slow implementation takes minutes."""
        self.agent.flush(self.silence_seconds)

    @contextmanager
    def waiting(self, usual_seconds: float) -> Iterator[None]:
        """Wait less long for calls that usually take so many seconds."""
        seconds = max(LEAST_SILENCE_SECONDS, USUAL_TIMES * usual_seconds)
        self.silence_seconds = min(SCRIPT_SECONDS, seconds)
        try:
            yield
        finally:
            self.silence_seconds = SCRIPT_SECONDS

    def dirty(self, length: int, value: int) -> None:
        """Let later calls find rubbish on the stack."""
        self._rubbish = (length, value)

    def drawn(self) -> str:
        """Return in words what was asked of randombytes since the randomness began."""
        script = Script()
        script.log()
        reader = PayloadReader(self.run(script))
        lengths = [reader.number(4) for _ in range(min(reader.number(4), MOST_LOGGED))]
        return " + ".join(map(str, lengths))

    def static_memory(self) -> bytes:
        """Return all that the package may write and that stays."""
        script = Script()
        script.read(STATE, self.subject.state_bytes)
        return self.run(script)

    def number(self, suffix: str) -> int:
        """Return the number of a function: `_xor`, or an empty text for the plain name."""
        return self.subject.functions.index(suffix)

    def run(self, script: Script, seconds: float = SCRIPT_SECONDS) -> bytes:
        """Perform a script, and give the bytes that it answers.

        AgentFault (its `step` says where) if the code under test faults, AgentRefusal if
        a step cannot be done, AgentSilent if all of it takes longer than `seconds`.
        """
        answer = self._queue(script, self.subject.operation)
        self.agent.flush(seconds)
        return answer.data

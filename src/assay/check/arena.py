# SPDX-License-Identifier: MIT
"""An arena: where the variables of routines lie in an agent, and how they are used there.

A routine can also be performed thousands of times inside an agent, with new bytes in some of its
variables. The agent draws them (`harness/agent/again.c`) and answers with a digest of all outputs:
a million calls in the time that the pipe takes for some thousand. If two digests differ, halving
finds the first round that differs. The bench draws the same by SplitMix64 (Steele, Lea, Flood:
Fast splittable pseudorandom number generators, OOPSLA 2014).
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.routine import Argument, Routine, RoutineOutcome, Step, Variable, Where
from assay.execute.agent import Buffer, BufferPlace, PendingAnswer
from assay.execute.circumstances import vary
from assay.execute.protocol import PayloadReader, Request

if TYPE_CHECKING:
    from assay.check.session import BaseSession

FILLING = 0xEE
ROOM = 64  # bytes behind a variable: what goes beyond its end is the business of buffers/guard
ALIGNMENT = 16
SHORT_BYTES = 5  # go over the wire as fast as the order to fill as many with one value
SECOND_BASE = 24  # of a second arena in the same agent: more than a routine has variables
WORD = (1 << 64) - 1
FIRST_ROUNDS, MORE = 1, 8  # a use may take a second
SLICE_SECONDS = 0.25


class StepResults(Protocol):
    """What calls will have returned; nothing where functions return nothing."""

    def of(self, steps: tuple[Step, ...]) -> tuple[tuple[int, ...], dict[str, int]]:
        """Return the results, and the lengths of variables that were written."""


class BufferShape(Struct, frozen=True):
    """How a variable's buffer is made: its size, and its address modulo something."""

    size: int
    modulus: int = 1
    residue: int = 0


Placement = Callable[[str, Variable], BufferShape]


def ordinary(_: str, variable: Variable) -> BufferShape:
    """Put a variable at an aligned address with room behind it; a context as its type wants."""
    return BufferShape(variable.size + ROOM, max(ALIGNMENT, variable.modulus))


class Arena(Struct):
    """The variables of routines in one agent, each in a buffer whose number it keeps.

    `place` says how buffers are made, `base` is the number of the first. `twin` lets two
    variables share a buffer: the second lies where the first does. `calls` are steps as they go
    over the wire: a variable's buffer keeps its number.
    """

    session: "BaseSession"
    place: Placement = ordinary
    base: int = 0
    twin: dict[str, str] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    calls: dict[Step, bytes] = field(default_factory=dict)
    _layouts: dict[str, BufferShape] = field(default_factory=dict)
    _laid: dict[str, tuple[Variable, Placement]] = field(default_factory=dict)
    _held: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def alone(cls, session: "BaseSession", place: Placement = ordinary, base: int = 0) -> "Arena":
        """Return an arena in an agent that is to have no other buffers any more."""
        session.agent.forget_buffers()
        return cls(session, place, base)

    # ------------------------------------------------------------ variables

    def lay(self, routine: Routine) -> None:
        """Make the buffers that a routine needs and that are not there yet."""
        for name, variable in routine.variables.items():
            known, place = self._laid.get(name, (None, None))
            if name in self.twin or (known is variable and place is self.place):
                continue
            self._laid[name] = (variable, self.place)
            layout = self.place(name, variable)
            if self._layouts.get(name) == layout:
                continue
            number = self.base + list(dict.fromkeys([*self.buffers, name])).index(name)
            self.buffers[name] = self.session.agent.buffer(
                name, layout.size, modulus=layout.modulus, residue=layout.residue, number=number
            )
            self._layouts[name] = layout
            self._held.pop(name, None)

    def buffer(self, name: str) -> Buffer:
        """Return the buffer of a variable."""
        return self.buffers[self.twin.get(name, name)]

    def at(self, name: str, offset: int) -> Where:
        """Return a place in a variable."""
        return self.buffer(name).at(offset) if offset else self.buffer(name)

    def fill(self, routine: Routine, rubbish: int = FILLING) -> None:
        """Set inputs to their values, and outputs to something else."""
        shared = {*self.twin, *self.twin.values()}
        for name, variable in routine.variables.items():
            if variable.value is not None:
                self.put(name, variable.value, keep=variable.is_input and name not in shared)
            elif variable.is_output and name not in shared:
                self.session.agent.fill(self.buffers[name], rubbish, variable.size)

    def ready(self, routine: Routine, rubbish: int = FILLING) -> None:
        """Lay a routine, and fill its variables."""
        self.lay(routine)
        self.fill(routine, rubbish)

    def put(self, name: str, value: bytes, *, keep: bool = False) -> None:
        """Write bytes to a variable; if nothing will change them, only once."""
        if keep and self._held.get(name) == value:
            return
        agent, buffer = self.session.agent, self.buffer(name)
        if len(value) > SHORT_BYTES and value.count(value[0]) == len(value):
            agent.fill(buffer, value[0], len(value))
        else:
            agent.write(buffer, value)
        self._held.pop(name, None)
        if keep:
            self._held[name] = value

    def forget(self) -> None:
        """Write all inputs anew the next time."""
        self._held.clear()

    def get(self, name: str, length: int) -> PendingAnswer:
        """Ask for the bytes of a variable."""
        return self.session.agent.fetch(self.buffer(name), length)

    # ------------------------------------------------------------ steps

    def go(self, steps: tuple[Step, ...]) -> StepResults | None:
        """Queue steps on the variables as they are."""
        return self.session.perform(steps, self)

    def resolved(self, argument: Argument) -> Argument:
        """Return what an argument of a step is in this arena."""
        if isinstance(argument, Buffer):
            name = argument.label
            return self.buffers[self.twin.get(name, name)]
        if isinstance(argument, BufferPlace):
            return self.at(argument.buffer.label, argument.offset)
        return argument

    def arguments(self, step: Step) -> list[Argument]:
        """Return what a step is given in this arena."""
        return [self.resolved(one) for one in step.arguments]

    def requests(
        self, routine: Routine, drawn: Collection[str] = ()
    ) -> list[tuple[Request, bytes]]:
        """Return what performs a routine that is laid: inputs that calls change are set anew.

        Those that are `drawn` somebody else sets.
        """
        changed = [
            (Request.WRITE, bytes([self.buffer(name).number]) + bytes(4) + one.value)
            for name, one in routine.variables.items()
            if one.value is not None and not one.is_input and name not in drawn
        ]
        return [*changed, *self.session.requests(routine.steps, self.resolved)]

    def taken(self, routine: Routine, results: StepResults | None = None) -> "PendingOutcome":
        """Ask for the outputs of a routine."""
        outputs = {name: self.get(name, routine.variables[name].size) for name in routine.outputs}
        return PendingOutcome(self.session, routine, results, outputs)

    def prepare(self, routine: Routine) -> None:
        """Lay, fill, and perform what need not be repeated for another message."""
        self.ready(routine)
        self.go(routine.steps[: routine.setup])

    def use(self, routine: Routine, rubbish: int = FILLING) -> StepResults | None:
        """Lay, fill, and perform a routine, whatever comes out."""
        self.ready(routine, rubbish)
        return self.go(routine.steps)

    def again(self, routine: Routine, *names: str) -> "PendingOutcome":
        """Perform a routine less its setup on inputs as they are; ask for outputs (all)."""
        sizes = {name: routine.variables[name].size for name in names or routine.outputs}
        for name, size in sizes.items():
            self.session.agent.fill(self.buffer(name), FILLING, size)
        results = self.go(routine.steps[routine.setup :])
        outputs = {name: self.get(name, size) for name, size in sizes.items()}
        return PendingOutcome(self.session, routine, results, outputs)

    def share(self, twin: dict[str, str]) -> None:
        """Let variables lie where others do from now on."""
        self.twin = twin
        self.calls.clear()

    def turned(self, one: str, other: str) -> "Arena":
        """Return the same buffers with two variables in each other's place."""
        return replace(self, twin={one: other, other: one}, calls={})

    def begin(self, routine: Routine, rubbish: int = FILLING) -> "PendingOutcome":
        """Use a routine; its outcome is there when it is looked at."""
        return self.taken(routine, self.use(routine, rubbish))

    def outcome(self, routine: Routine, rubbish: int = FILLING) -> RoutineOutcome:
        """Perform a routine now."""
        return self.begin(routine, rubbish).value

    def anew(self, routine: Routine) -> RoutineOutcome:
        """Perform a routine on inputs written again, as the code may have changed them."""
        self.forget()
        return self.outcome(routine)

    def around(self, name: str) -> PendingAnswer:
        """Ask what was written around a variable: see `damage`."""
        agent = self.session.agent
        answer = PendingAnswer(agent)
        payload = bytes([self.buffer(name).number])
        agent.later(Request.CANARIES, payload, lambda: "looking at canaries", answer)
        return answer


def damage(around: PendingAnswer) -> tuple[int, int]:
    """Return how many bytes were written around a variable, and the offset of the first."""
    reader = PayloadReader(around.data)
    return reader.number(4), reader.number(4, signed=True)


class PendingOutcome(Struct):
    """An outcome that is on its way."""

    session: "BaseSession"
    routine: Routine
    results: StepResults | None
    outputs: dict[str, PendingAnswer]

    @property
    def value(self) -> RoutineOutcome:
        """The outcome; raises what went wrong on the way to it."""
        self.session.settle()
        results, lengths = self.results.of(self.routine.steps) if self.results else ((), {})
        outputs = {name: one.data[: lengths.get(name)] for name, one in self.outputs.items()}
        return RoutineOutcome(results, outputs)


def digest(arena: Arena, routine: Routine, drawn: Sequence[str], seed: int, rounds: int) -> int:
    """Perform a routine that is laid and filled so many times; digest its outputs.

    AgentRefusal from an agent that cannot.
    """
    watched, changed = (
        [(arena.buffer(name), routine.variables[name].size) for name in names]
        for names in (routine.outputs, drawn)
    )
    requests = arena.requests(routine, drawn)
    return vary(arena.session.agent, requests, watched, changed, seed, rounds)


def until_different(
    differ: Callable[[int, int], bool], most: int, over: Callable[[], bool]
) -> tuple[int, bool]:
    """Return after how many rounds digests differ, and whether they do.

    `differ` says it of some rounds after so many others. It is asked of about a slice of time
    each, until `most` rounds are made or time is `over`; halving finds the first that differs.
    """
    done, rounds = 0, FIRST_ROUNDS
    while done < most and not over():
        rounds, began = min(rounds, most - done), time.monotonic()
        if differ(done, rounds):
            low, high = 0, rounds  # they agree after `low` rounds, and differ after `high`
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if differ(done, middle) else (middle, high)
            return done + low, True
        done += rounds
        slices = SLICE_SECONDS / max(time.monotonic() - began, 1e-3)
        rounds = min(rounds * MORE, max(1, int(rounds * slices)))
    return done, False


def drawn(seed: int, part: int, length: int) -> bytes:
    """Return the bytes of a part in the round of a seed; one in eight is one byte throughout."""
    words = _words(next(_words(seed + part)))
    first = next(words)
    if first % 8 == 0:
        return bytes([first >> 56]) * length
    return b"".join(next(words).to_bytes(8, "little") for _ in range(0, length, 8))[:length]


def _words(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        yield word ^ (word >> 31)

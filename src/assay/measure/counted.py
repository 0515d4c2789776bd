# SPDX-License-Identifier: MIT
"""Counting what calls take, without what the agent does for them."""

from collections.abc import Callable, Mapping, Sequence
from random import Random, SystemRandom
from typing import Any

from msgspec import Struct, field

from assay.execute.agent import Agent, AgentRefusal, Buffer
from assay.execute.counting import Counting, Executed, difference
from assay.measure.audit import first_difference
from assay.model import Sample, SizeChoice
from assay.model.footprint import FunctionMemory, Steps

MOST_PAINT_BYTES = 1 << 20  # of the stack; an agent paints as much of it as it has room for

# Repeats in another agent, about a subject, what was counted; returns what differs, or nothing.
Proof = Callable[[Agent, Any], str]


class CountedAgent(Struct, frozen=True):
    """An agent whose instructions (or cycles) are counted.

    Inputs are drawn by `random`, so that no code can know them; `proofs` are for agents that
    count nothing, to show that what was written meanwhile is right.
    """

    agent: Agent
    counting: Counting
    unit: str
    random: Random = field(default_factory=SystemRandom)
    proofs: list[Proof] = field(default_factory=list)

    def draw(self, buffer: Buffer, length: int) -> bytes:
        """Fill the start of a buffer with random bytes, and return them."""
        data = self.random.randbytes(length)
        if data:
            self.agent.write(buffer, data)
        return data

    def take(self, work: Callable[[], None], idle: Callable[[], None]) -> int:
        """Count what the package's code and the runtime it calls take for `work`.

        The agent's own copying is in the runtime, too: for every call in `work` there has
        to be one of `idle` with as many arguments, whose count is subtracted.
        """
        return self._taken(work) - self._taken(idle)

    def steps(self, measure: str, call: str, amount: float, work_bytes: int) -> Steps:
        """Return an amount as a row of a table."""
        return Steps(measure, call, amount, self.unit, work_bytes, exact=True)

    def _taken(self, work: Callable[[], None]) -> int:
        self.agent.flush()
        before = self.counting.read()
        work()
        self.agent.flush()
        return self._amount(difference(self.counting.read(), before).total)

    def _amount(self, tally: Executed) -> int:
        return tally.cycles if self.unit == "cycles" else tally.instructions


def difference_in(what: str, counted: bytes, repeated: bytes) -> str:
    """Name the first byte in which two outputs differ; nothing if they are equal."""
    at = first_difference(counted, repeated)
    return "" if at is None else f"{what}, from byte {at} on"


def sample_of(steps: Steps, sizes: SizeChoice) -> Sample:
    """Return a count as a launch has it."""
    return Sample(steps.measure, sizes, 1, 1, steps.work_bytes, (round(steps.amount),))


def with_room(
    agent: Agent, lengths: Sequence[int], numbers: Mapping[str, int]
) -> tuple[int, list[Buffer]]:
    """Make buffers of the longest of these lengths that there is room for, longest first.

    They have numbers, so that those of another length take their places.
    """
    for length in lengths:
        try:
            made = [agent.buffer(name, length, number=one) for name, one in numbers.items()]
            agent.flush()
        except AgentRefusal:
            if length == lengths[-1]:
                raise
        else:
            return length, made
    raise AssertionError(lengths)


def depths(agent: Agent, calls: Mapping[str, Callable[[], object]]) -> tuple[FunctionMemory, ...]:
    """Return the stack that each of some calls takes.

    All the room below them is painted, as far as the agent paints. Taken from the second time
    on: the first may load what the linker left open.
    """
    room, found = agent.paint(MOST_PAINT_BYTES), {}
    for _ in range(2):
        agent.nothing()
        base = agent.depth()
        for name, call in calls.items():
            call()
            found[name] = reached(agent, name, base, room)
    agent.paint(0)
    return tuple(found.values())


def reached(agent: Agent, function: str, base: int, room: int) -> FunctionMemory:
    """Return the stack that the last call took, of so much that was painted."""
    depth = agent.depth()
    return FunctionMemory(function, depth - base, is_least=depth > room - room // 64)

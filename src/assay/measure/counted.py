# SPDX-License-Identifier: MIT
"""Counting what calls take, without what the agent does for them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.execute.agent import Agent, AgentRefusal, Buffer
from assay.execute.counting import Counting, Executed, difference
from assay.model import Sample, SizeChoice
from assay.model.footprint import Steps

SMALL_PAINT_BYTES = 1000  # of the stack, where there is little memory


@dataclass(frozen=True, slots=True)
class CountedAgent:
    """An agent whose instructions (or cycles) are counted."""

    agent: Agent
    counting: Counting
    unit: str

    def take(self, work: Callable[[], None]) -> int:
        """Count what the package's code and the runtime it calls take for `work`.

        The agent's own copying is in the runtime, too: for every call in `work` there has
        to be one of `idle` with as many arguments, whose count is taken off by `steps`.
        """
        self.agent.flush()
        before = self.counting.read()
        work()
        self.agent.flush()
        return self._amount(difference(self.counting.read(), before).total)

    def steps(
        self,
        measure: str,
        call: str,
        work: Callable[[], None],
        idle: Callable[[], None],
        work_bytes: int,
    ) -> Steps:
        """Count `work`, less `idle`; see `take`."""
        amount = self.take(work) - self.take(idle)
        return Steps(measure, call, amount, self.unit, work_bytes, exact=True)

    def _amount(self, tally: Executed) -> int:
        return tally.cycles if self.unit == "cycles" else tally.instructions


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


def deepest(agent: Agent, paint_bytes: int, calls: Iterable[Callable[[], object]]) -> int:
    """Return the stack in bytes that the deepest of some calls takes.

    Taken from the second time on: the first may load what the linker left open.
    """
    listed, found = tuple(calls), 0
    agent.paint(paint_bytes)
    for _ in range(2):
        agent.nothing()
        base, found = agent.depth(), 0
        for call in listed:
            call()
            found = max(found, agent.depth() - base)
    agent.paint(0)
    return found

# SPDX-License-Identifier: MIT
"""Counting what calls take, without what the agent does for them."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.execute.agent import Agent
from assay.execute.counting import Counting, Executed, difference
from assay.model import Sample, SizeChoice
from assay.model.footprint import Steps


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

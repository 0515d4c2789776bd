# SPDX-License-Identifier: MIT
"""Whether results depend on a single value of what stood in memory before.

A byte that is read before it is written often has no influence unless it has one value of
256. So all values are tried: in contexts, in outputs and on the stack, at first together.
"""

from dataclasses import dataclass, replace

from assay.check.arena import Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed
from assay.check.evidence import difference
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal
from assay.model.api import Role

VALUES = 256
BLOCK = 64
STACK_BYTES = 2048  # below the call; what lies deeper is the business of state/stack
SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What stands in memory before a routine."""

    context: int = 0
    output: int = 0
    stack: int = 0


def leftovers(trial: AnyTrial) -> str:
    """Perform a routine over every value."""
    budget = trial.budget(SECONDS)
    length = max(trial.unit, BLOCK) + 1
    with trial.session() as session:
        for batch in trial.computations(session, (length,)):
            session.agent.forget_buffers()
            for routine in trial.representative(batch):
                _over_all(trial, Memory(Arena(session), routine), budget)
    return budget.remark("values")


def _over_all(trial: AnyTrial, memory: "Memory", budget: Budget) -> None:
    """Perform a routine over every value; the outcomes are looked at in the end."""
    expected = memory.holding(Leftovers()).value
    if memory.holding(Leftovers()).value != expected:
        return  # it draws randomness
    values = list(range(1, VALUES))
    trial.random.shuffle(values)
    chosen = values[:8] if trial.on_board else values
    outcomes = [
        (value, memory.holding(Leftovers(value, value, value)))
        for value in budget.each(memory.arena.session, chosen)
    ]
    for value, outcome in outcomes:
        if outcome.value != expected:
            _name(memory, expected, value)


class Memory:
    """A routine, and where it is performed."""

    def __init__(self, arena: Arena, routine: Routine) -> None:
        """Find out whether anything can be put on the stack."""
        self.arena, self.routine = arena, routine
        self._has_stack = True
        try:
            self._stack(STACK_BYTES, 0)
            arena.session.settle()
        except AgentRefusal:
            self._has_stack = False
        self._stack(0, 0)

    def holding(self, before: Leftovers) -> PendingOutcome:
        """Perform the routine over what stood there before."""
        self.arena.lay(self.routine)
        for name in self.routine.having(Role.STATE):
            self.arena.put(name, bytes([before.context]) * self.routine.variables[name].size)
        self._stack(STACK_BYTES, before.stack)
        outcome = self.arena.begin(self.routine, before.output)
        self._stack(0, 0)
        return outcome

    def _stack(self, length: int, value: int) -> None:
        if self._has_stack:
            self.arena.session.dirty(length, value)


def _name(memory: Memory, expected: RoutineOutcome, value: int) -> None:
    """Raise CheckFailed with what it depends on; nothing if it does not happen again."""
    places = {
        "context": "its context held",
        "output": "its outputs held",
        "stack": "was on the stack",
    }
    for one, says in places.items():
        actual = memory.holding(replace(Leftovers(), **{one: value})).value
        if actual != expected and memory.holding(Leftovers()).value == expected:
            raise CheckFailed(
                f"the result of {memory.routine.name} is another one for one value of what {says} "
                "before",
                f"bytes of value {value}\n{difference(expected, actual)}",
            )


CHECK: Check[AnyTrial] = Check(
    name="state/residue",
    asks="Are results the same for every value that contexts, outputs and the stack held before?",
    why=(
        "An uninitialised byte may matter only if it has one of 256 values. Such code passes "
        "tests for years, and is wrong for one user in hundreds."
    ),
    cure="Set every byte before it is read; memory/initialised (`--deep`) names it.",
    run=leftovers,
)

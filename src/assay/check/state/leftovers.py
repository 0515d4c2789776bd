# SPDX-License-Identifier: MIT
"""Whether results depend on a single value of what stood in memory before.

A byte that is read before it is written often has no influence unless it has one value of
256. So all values are tried: in contexts, in outputs and on the stack, at first together.
"""

from dataclasses import dataclass, replace

from assay.check.arena import Arena
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
                arena = Arena(session)
                expected = _over(arena, routine, Leftovers())
                if _over(arena, routine, Leftovers()) != expected:
                    continue  # it draws randomness
                values = list(range(1, VALUES))
                trial.random.shuffle(values)
                for value in budget.each(session, values if not trial.on_board else values[:8]):
                    every = Leftovers(value, value, value)
                    if _over(arena, routine, every) != expected:
                        _name(arena, routine, expected, value)
    return budget.remark("values")


def _over(arena: Arena, routine: Routine, before: Leftovers) -> RoutineOutcome:
    arena.lay(routine)
    for name in routine.having(Role.STATE):
        arena.put(name, bytes([before.context]) * routine.variables[name].size)
    try:
        arena.session.dirty(STACK_BYTES, before.stack)
    except AgentRefusal:
        return arena.outcome(routine, before.output)
    try:
        return arena.outcome(routine, before.output)
    finally:
        arena.session.dirty(0, 0)


def _name(arena: Arena, routine: Routine, expected: RoutineOutcome, value: int) -> None:
    """Raise CheckFailed with what it depends on; nothing if it does not happen again."""
    places = {
        "context": "its context held",
        "output": "its outputs held",
        "stack": "was on the stack",
    }
    for one, says in places.items():
        actual = _over(arena, routine, replace(Leftovers(), **{one: value}))
        if actual != expected and _over(arena, routine, Leftovers()) == expected:
            raise CheckFailed(
                f"the result of {routine.name} is another one for one value of what {says} before",
                f"bytes of value {value}\n{difference(expected, actual)}",
            )


CHECK: Check[AnyTrial] = Check(
    name="state/leftovers",
    asks="Are results the same for every value that contexts, outputs and the stack held before?",
    why=(
        "An uninitialised byte may matter only if it has one of 256 values. Such code passes "
        "tests for years, and is wrong for one user in hundreds."
    ),
    cure="Set every byte before it is read; memory/initialised (`--deep`) names it.",
    run=leftovers,
)

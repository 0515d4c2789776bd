# SPDX-License-Identifier: MIT
"""Whether a call depends on what earlier ones left on the stack."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.evidence import difference
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal

LENGTH = 77
STACK_BYTES = 96 * 1024
SMALL_STACK_BYTES = 256  # where memory is small
VALUES = (0x00, 0xFF, 0x5A)


def rubbish(trial: AnyTrial) -> None:
    """Leave different rubbish on the stack before the same calls."""
    with trial.session() as session:
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            for routine in batch:
                _over_rubbish(trial, Arena(session), routine)


def _over_rubbish(trial: AnyTrial, arena: Arena, routine: Routine) -> None:
    """Compare what comes out over different rubbish; it is the stack if the same repeats."""
    first, *others = VALUES[:2] if trial.stretch and not trial.deep else VALUES
    expected = _after(trial, arena, routine, first)
    for value in others:
        shown = difference(expected, _after(trial, arena, routine, value))
        if shown and _after(trial, arena, routine, first) == expected:
            raise CheckFailed(
                f"the result of {routine.name} depends on what was on the stack before", shown
            )


def _after(trial: AnyTrial, arena: Arena, routine: Routine, value: int) -> RoutineOutcome:
    length = SMALL_STACK_BYTES if trial.on_board else STACK_BYTES
    try:
        arena.session.dirty(length, value)
        arena.session.settle()
    except AgentRefusal:
        raise CheckSkipped("there is no room for rubbish on the stack") from None
    arena.forget()  # what the code may have changed is not what is asked about
    outcome = arena.begin(routine)
    arena.session.dirty(0, 0)
    return outcome.value


CHECK: Check[AnyTrial] = Check(
    name="state/stack",
    asks="Are results independent of earlier contents of the stack?",
    why="An uninitialised variable may have the same value in every test and another one in use.",
    cure="Initialise the variable; memory/initialised (`--deep`) names it.",
    run=rubbish,
)

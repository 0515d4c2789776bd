# SPDX-License-Identifier: MIT
"""Whether calls may come from any caller: any thread, its small stack, any floating-point modes.

Every call of a routine is made in a thread of its own, so a context is used by other threads
than the one that set it up. Then a thread changes what another one has already used.
"""

from assay.check.arena import Arena, Performs
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import judge
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentFault, AgentRefusal
from assay.execute.circumstances import MODES, in_threads, set_modes
from assay.model.api import Promise, Role

LENGTH = 201
KIB = 1024
STACKS = tuple(64 * KIB << step for step in range(8))
SECONDS = 0.5

MODES_LENGTH = 201


def threads(trial: AnyTrial) -> str:
    """Make the same calls in threads as in none."""
    needed = STACKS[0]
    with trial.fresh_session(sealed=False) as session:
        budget = trial.budget(SECONDS)
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            arena = Arena(session)
            for routine in budget.each(session, trial.representative(batch)):
                expected = arena.anew(routine)
                if arena.anew(routine) == expected:
                    needed = max(needed, _each_in_a_thread(arena, routine, expected))
                    _taking_turns(trial, arena, routine, expected)
    return "" if needed == STACKS[0] else f"threads need a stack of {needed // KIB} KiB"


def _each_in_a_thread(arena: Arena, routine: Routine, expected: RoutineOutcome) -> int:
    """Make each call in a thread; return the least stack with which that goes well."""
    for stack in STACKS:
        _switch(arena.session, stack)
        try:
            actual = arena.anew(routine)
        except AgentFault:
            if stack == STACKS[-1]:
                raise
            continue
        finally:
            _switch(arena.session, 0)
        complaint = (
            f"{routine.name} gives another result if each call is made by another thread, with "
            f"a stack of {stack // KIB} KiB"
        )
        judge(arena, routine, complaint, expected, actual)
        return stack
    return STACKS[-1]


def _switch(session: Performs, stack_bytes: int) -> None:
    try:
        in_threads(session.agent, stack_bytes)
    except AgentRefusal:
        raise CheckInapplicable("there are no threads on this target") from None


def _taking_turns(
    trial: AnyTrial, arena: Arena, routine: Routine, expected: RoutineOutcome
) -> None:
    """Use a context for something else, set it up in a thread, and go on without one."""
    if not routine.having(Role.STATE) or len(routine.steps) < 2:
        return
    for at in sorted({max(routine.setup, 1), len(routine.steps) - 1}):
        arena.anew(_otherwise(trial, routine))
        arena.forget()
        arena.fill(routine)
        _switch(arena.session, STACKS[-1])
        try:
            arena.go(routine.steps[:at])
            arena.session.settle()
        finally:
            _switch(arena.session, 0)
        actual = arena.taken(routine, arena.go(routine.steps[at:])).value
        complaint = (
            f"{routine.name} gives another result if another thread has made the first "
            f"{at} of its {len(routine.steps)} calls"
        )
        judge(arena, routine, complaint, expected, actual)


def _otherwise(trial: AnyTrial, routine: Routine) -> Routine:
    """Return the routine with other inputs."""
    for name in routine.inputs:
        routine = routine.given(name, trial.bytes(routine.variables[name].size))
    return routine


THREADS: Check[AnyTrial] = Check(
    name="calls/threads",
    asks="May each call be made by another thread, whose stack is small?",
    why=(
        "Servers hand a connection with its context from thread to thread. What one thread has "
        "cached another one does not see, and stacks of 64 to 256 KiB are common."
    ),
    cure="Keep all state in the context, and no large arrays on the stack.",
    run=threads,
)


def modes(trial: AnyTrial) -> None:
    """Make the same calls under several modes."""
    with trial.session() as session:
        for batch in trial.computations(session, (MODES_LENGTH,)):
            session.agent.forget_buffers()
            arena = Arena(session)
            for routine in batch:
                expected = arena.anew(routine)
                for mode, says in MODES.items():
                    try:
                        set_modes(session.agent, mode)
                    except AgentRefusal:
                        raise CheckInapplicable("no such modes are known here") from None
                    actual = arena.anew(routine)
                    set_modes(session.agent, 0)
                    complaint = f"{routine.name} gives another result if the caller {says}"
                    if arena.anew(routine) == expected:  # what draws randomness differs anyway
                        judge(arena, routine, complaint, expected, actual)


FLOATING_POINT_MODES: Check[AnyTrial] = Check(
    name="abi/modes",
    asks="Are results the same whatever floating-point modes the caller has set?",
    why=(
        "Programs that compute with sound, pictures or intervals round otherwise and flush "
        "denormal numbers to zero; the modes hold in all functions that they call."
    ),
    cure=(
        "Compute with integers. Code that needs floating point sets the modes that it needs, and "
        "restores the caller's before it returns."
    ),
    run=modes,
    excuse=lambda trial: trial.excuse(Promise.MODES),
)

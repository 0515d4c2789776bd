# SPDX-License-Identifier: MIT
"""Whether results depend on the floating-point modes of the caller."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import judge
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import MODES, set_modes
from assay.model.api import Promise

LENGTH = 201


def modes(trial: AnyTrial) -> None:
    """Make the same calls under several modes."""
    with trial.session() as session:
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            arena = Arena(session)
            for routine in batch:
                expected = _anew(arena, routine)
                for mode, says in MODES.items():
                    try:
                        set_modes(session.agent, mode)
                    except AgentRefusal:
                        raise CheckInapplicable("no such modes are known here") from None
                    actual = _anew(arena, routine)
                    set_modes(session.agent, 0)
                    complaint = f"{routine.name} gives another result if the caller {says}"
                    if _anew(arena, routine) == expected:  # what draws randomness differs anyway
                        judge(arena, routine, complaint, expected, actual)


def _anew(arena: Arena, routine: Routine) -> RoutineOutcome:
    """Write all inputs again: what the code may have changed is not what is asked about."""
    arena.forget()
    return arena.outcome(routine)


CHECK: Check[AnyTrial] = Check(
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

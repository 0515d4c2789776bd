# SPDX-License-Identifier: MIT
"""Whether the functions leave alone what they only read."""

from assay.check.arena import Arena
from assay.check.check import Check
from assay.check.evidence import require_equal
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.execute.agent import PendingAnswer

SECONDS = 1.2


def inputs_kept(trial: AnyTrial) -> str:
    """Look at all inputs after every use."""
    budget = trial.budget(SECONDS)
    for batch in trial.uses(trial.lengths(thorough=False)):
        with trial.session() as session:
            arena = Arena(session)
            waiting = [
                kept for routine in budget.each(session, batch) for kept in _after(arena, routine)
            ]
            for routine, name, answer in waiting:
                value = routine.variables[name].value or b""
                complaint = f"{routine.name} changes its input {name}"
                require_equal(routine, complaint, name, value, answer.data)
    return budget.remark()


def _after(arena: Arena, routine: Routine) -> list[tuple[Routine, str, PendingAnswer]]:
    """Perform a routine, and ask for its inputs."""
    arena.begin(routine)
    named = [name for name in routine.inputs if routine.variables[name].value]
    return [(routine, name, arena.get(name, routine.variables[name].size)) for name in named]


CHECK: Check[AnyTrial] = Check(
    name="buffers/inputs-kept",
    asks="Do messages, keys and all other inputs stay unchanged?",
    why="They belong to the caller, who uses them again; APIs pass them as `const`.",
    cure=(
        "Copy data before changing it, into the context or a local array. Look for casts "
        "that remove `const`."
    ),
    run=inputs_kept,
)

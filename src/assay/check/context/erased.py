# SPDX-License-Identifier: MIT
"""Whether inputs may be erased as soon as the last call that takes them has returned."""

from collections.abc import Iterator

from assay.check.arena import Arena
from assay.check.check import Check
from assay.check.context.stages import GARBAGE, staged
from assay.check.evidence import EqualPairs
from assay.check.routine import Argument, Routine
from assay.check.trial import AnyTrial
from assay.execute.places import Buffer, BufferPlace
from assay.model.api import Promise


def erased(trial: AnyTrial) -> None:
    """Erase each input after its last use."""
    for routine in staged(trial):
        with trial.session() as session:
            arena = Arena(session)
            expected = arena.begin(routine)
            pairs = EqualPairs(arena)
            for name, done in _last_uses(routine):
                value = routine.variables[name].value or b""
                arena.lay(routine)
                arena.fill(routine)
                arena.go(routine.steps[:done])
                arena.put(name, bytes([GARBAGE]) * len(value))
                arena.go(routine.steps[done:])
                complaint = f"the context keeps a pointer to the caller's {name}: results differ "
                complaint += f"when that is erased after {routine.steps[done - 1].function}"
                pairs.expect(complaint, expected, arena.taken(routine))
            pairs.judge()


def _last_uses(routine: Routine) -> Iterator[tuple[str, int]]:
    """Yield the inputs that not all steps need, with how many steps do."""
    for name in routine.inputs:
        used = [
            number
            for number, step in enumerate(routine.steps, 1)
            if any(_names(one) == name for one in step.arguments)
        ]
        if used and used[-1] < len(routine.steps) and routine.variables[name].value:
            yield name, used[-1]


def _names(argument: Argument) -> str:
    """Return the variable that an argument points to."""
    if isinstance(argument, BufferPlace):
        return argument.buffer.label
    return argument.label if isinstance(argument, Buffer) else ""


CHECK: Check[AnyTrial] = Check(
    name="context/key-kept",
    asks="May the caller erase the key, the IV and the data once they have been taken?",
    why=(
        "Careful programs erase a key after setup, and buffers are used again. If the context "
        "keeps a pointer, the next call uses other data."
    ),
    cure="Copy what is needed of the key, the IV and the data into the context.",
    run=erased,
    excuse=lambda trial: trial.excuse(Promise.ERASED),
)

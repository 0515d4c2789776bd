# SPDX-License-Identifier: MIT
"""Whether a message begins well whatever the context held before."""

from assay.check.arena import Arena
from assay.check.check import Check
from assay.check.context.stages import context_of, staged
from assay.check.evidence import EqualPairs
from assay.check.trial import AnyTrial, Batch

FILLINGS = (0x00, 0xFF, 0xA5)
SHORT = (0, 64)  # bytes: padding alone, and whole blocks
FEW = 6  # uses


def garbage(trial: AnyTrial) -> None:
    """Fill the context with anything before the first call."""
    for routine in (*staged(trial), *(() if trial.stretch else _short(trial))):
        context = context_of(routine)
        size = routine.variables[context].size
        with trial.session() as session:
            arena = Arena(session)
            pairs = EqualPairs(arena)
            expected = arena.begin(routine)
            for value in (*(bytes([one]) * size for one in FILLINGS), trial.bytes(size)):
                arena.put(context, value)
                complaint = "the result depends on what the context held before "
                complaint += routine.steps[0].function
                pairs.expect(complaint, expected, arena.begin(routine))
            pairs.judge()


def _short(trial: AnyTrial) -> Batch:
    """Return some uses of messages that fill no buffer in the context."""
    *_, batch = trial.uses(SHORT)
    return batch[:: max(1, len(batch) // FEW)]


CHECK: Check[AnyTrial] = Check(
    name="context/garbage",
    asks="Does a message begin well whatever the context held before?",
    why="Contexts often lie on a stack that other code has used.",
    cure="Set every field when a key is loaded or a message begins.",
    run=garbage,
)

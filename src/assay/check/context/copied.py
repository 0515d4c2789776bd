# SPDX-License-Identifier: MIT
"""Whether a context is plain memory: copied or moved, it goes on as before."""

from assay.check.check import Check
from assay.check.context.stages import MessageStage, ask
from assay.check.evidence import EqualPairs
from assay.check.trial import AnyTrial
from assay.model.api import Promise


def copied(trial: AnyTrial) -> str:
    """Copy a context at every stage of a message."""
    return ask(trial, _copy)


def moved(trial: AnyTrial) -> str:
    """Move a context at every stage of a message."""
    return ask(trial, _move)


def _copy(stage: MessageStage, pairs: EqualPairs) -> None:
    """Copy the context; then let the copy go on first, and the original after it."""
    routine = stage.routine
    expected = stage.here.begin(routine)
    stage.reach()
    stage.hand_over()
    for name, arena in (("the copy", stage.there), ("the original", stage.here)):
        arena.go(routine.steps[stage.done :])
        complaint = f"copied after {stage.after}, {name} of the context continues differently"
        pairs.expect(complaint, expected, arena.taken(routine))


def _move(stage: MessageStage, pairs: EqualPairs) -> None:
    """Move the context, and leave garbage in its place."""
    routine = stage.routine
    expected = stage.here.begin(routine)
    stage.reach()
    stage.hand_over()
    stage.spoil()
    stage.there.go(routine.steps[stage.done :])
    complaint = f"moved after {stage.after}, the context continues differently"
    pairs.expect(complaint, expected, stage.there.taken(routine))


COPIED: Check[AnyTrial] = Check(
    name="context/copied",
    asks="Does a copy of a context continue like the original, and the original like the copy?",
    why=(
        "Programs copy contexts to use one key schedule for many messages, or to have the hash of "
        "the input so far. The APIs have no copy function, so memcpy must be enough."
    ),
    cure="Keep offsets instead of pointers in the context, and no state outside it.",
    run=copied,
    excuse=lambda trial: trial.excuse(Promise.COPIES),
)
MOVED: Check[AnyTrial] = Check(
    name="context/moved",
    asks="Does a context still work after it is moved, to any address that its type allows?",
    why=(
        "Arrays of contexts grow and are sorted. A pointer to the old address then leads to "
        "other data."
    ),
    cure="Keep offsets instead of pointers in the context.",
    run=moved,
    excuse=lambda trial: trial.excuse(Promise.COPIES),
)

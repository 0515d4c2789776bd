# SPDX-License-Identifier: MIT
"""Whether several messages may be processed at the same time, each with its own context."""

from itertools import zip_longest

from assay.check.arena import Arena
from assay.check.check import Check
from assay.check.context.stages import staged
from assay.check.evidence import EqualPairs
from assay.check.routine import Routine
from assay.check.trial import AnyTrial

AT_ONCE = 3
BUFFERS = 12  # of one message, at most


def interleaved(trial: AnyTrial) -> None:
    """Process several messages at once, of several sizes, step by step in turn."""
    routines = [*staged(trial), *staged(trial), *staged(trial)][:AT_ONCE]
    with trial.session() as session:
        arenas = [Arena(session, base=BUFFERS * number) for number in range(len(routines))]
        alone = [arena.begin(one) for arena, one in zip(arenas, routines, strict=True)]
        pairs = EqualPairs(arenas[0])
        for arena, routine in zip(arenas, routines, strict=True):
            arena.fill(routine)
        _in_turn(arenas, routines)
        for arena, routine, expected in zip(arenas, routines, alone, strict=True):
            complaint = "results change when calls with another context come in between"
            pairs.expect(complaint, expected, arena.taken(routine))
        pairs.judge()


def _in_turn(arenas: list[Arena], routines: list[Routine]) -> None:
    """Do the first step of all, then the second of all, and so on."""
    for steps in zip_longest(*(routine.steps for routine in routines)):
        for arena, step in zip(arenas, steps, strict=True):
            if step is not None:
                arena.go((step,))


CHECK: Check[AnyTrial] = Check(
    name="context/interleaved",
    asks="May several messages be processed at the same time, each with its own context?",
    why="Applications do so; writable data outside the contexts mixes the messages.",
    cure="Move static data into the context.",
    run=interleaved,
)

# SPDX-License-Identifier: MIT
"""Whether thousands of calls leave anything behind."""

import time

from assay.check.arena import Arena
from assay.check.budget import SLICE_SECONDS
from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.evidence import difference
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial

CALLS = 4096
FEW_CALLS = 1024
FEW_AT_ONCE = 8  # at first, since a slow function would not answer in time
MOST_AT_ONCE = 512
LENGTH = 64
SECONDS = 0.12  # what costs milliseconds is called some dozens of times


def many_calls(trial: AnyTrial) -> None:
    """Perform a routine, then itself thousands of times, then look again."""
    remarks = []
    with trial.session() as session:
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            arena = Arena(session)
            for routine in trial.representative(batch):
                first = arena.outcome(routine)
                if arena.outcome(routine) == first:
                    remarks += _repeated(trial, arena, routine, first)
    if remarks:
        raise CheckSkipped(remarks[0])


def _repeated(trial: AnyTrial, arena: Arena, routine: Routine, first: RoutineOutcome) -> list[str]:
    """Repeat a routine; what draws randomness may keep some of it, which is a remark."""
    budget = trial.budget(SECONDS)
    wanted = CALLS if trial.thorough and not trial.on_board else FEW_CALLS
    done, number, again = 0, FEW_AT_ONCE, routine.steps[routine.setup :]
    while done < wanted and not budget.over:
        started = time.monotonic()
        with budget.spending(arena.session.agent):
            arena.repeat(again, number)
            shown = difference(first, arena.outcome(routine))
        done += number * len(again)
        if shown:
            found = f"after {done} calls {routine.name} gives another result than at first"
            if trial.draws(routine):
                return [f"{found}; it may keep randomness from call to call"]
            raise CheckFailed(found, shown)
        fitting = SLICE_SECONDS * number / max(time.monotonic() - started, 1e-6)
        number = max(1, min(MOST_AT_ONCE, int(fitting), (wanted - done) // len(again)))
    return []


CHECK: Check[AnyTrial] = Check(
    name="state/calls",
    asks="Does a call give the same result after thousands of others, or dozens of slow ones?",
    why="Short tests miss a static counter that overflows or a table that fills up.",
    cure="Keep all state in the context, and none between calls where there is none.",
    run=many_calls,
)

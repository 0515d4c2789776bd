# SPDX-License-Identifier: MIT
"""Whether keys and ciphertexts come from `randombytes`, and from all of what it gives.

SUPERCOP's `randombytes` returns nothing, so a failure of it cannot be reported, and nobody asks
for one. What it gives may repeat: then keys repeat, and only then.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.operation.session import SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome

SEEDS = 16
SECONDS = 1.0
LENGTH = 37


def run_randomness(trial: OperationTrial) -> None:
    """Make keys and ciphertexts with equal randomness, and with other."""
    if not trial.operation.randomised:
        raise CheckInapplicable("nothing is drawn")
    with trial.session() as session:
        (batch,) = trial.computations(session, (LENGTH,))
        session.agent.forget_buffers()
        arena = Arena(session)
        for routine in batch:
            if must_draw(trial, routine):
                _differs(trial, session, arena, routine)


def must_draw(trial: OperationTrial, routine: Routine) -> bool:
    """Return whether a function is worthless without randomness; a signature is not."""
    suffix = routine.steps[0].function.removeprefix(trial.subject.operation)
    return trial.draws(routine) and not trial.operation.may_repeat(suffix)


def _differs(
    trial: OperationTrial, session: OperationSession, arena: Arena, routine: Routine
) -> None:
    seen: list[RoutineOutcome] = [arena.outcome(routine)]
    try:
        seeds = [trial.bytes(len(SEED)) for _ in range(SEEDS)]
        for seed in trial.budget(SECONDS).each(session, seeds):
            session.seed = seed
            seen.append(arena.outcome(routine))
    finally:
        session.seed = SEED
    for name in routine.outputs:
        values = [one.outputs[name] for one in seen if one.results[0] == 0]
        if len(set(values)) < len(values) and any(values):
            raise CheckFailed(
                f"{routine.name} gives the same {name} with two different streams of randombytes"
            )


CHECK = Check(
    "calls/randomness",
    "Do keys and ciphertexts come from randombytes?",
    (
        "A key that does not depend on what was drawn is everybody's key. SUPERCOP's randombytes "
        "returns nothing: whether a failure is reported cannot be asked."
    ),
    "Draw each secret from randombytes, and use all of it.",
    run_randomness,
)

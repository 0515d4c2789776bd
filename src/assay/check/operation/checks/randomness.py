# SPDX-License-Identifier: MIT
"""Whether keys and ciphertexts come from `randombytes`, and from all of what it gives.

SUPERCOP's `randombytes` returns nothing, so a failure of it cannot be reported, and nobody asks
for one. What it gives may repeat: then keys repeat, and only then. With the same random bytes,
calls that write where they read must give the same. No API promises it, and callers do it.
"""

from collections.abc import Iterator

from assay.check.arena import ALIGNMENT, ROOM, SECOND_BASE, Arena, BufferShape
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import difference, inputs
from assay.check.operation.session import SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome, Variable

SEEDS = 16
SEED_SECONDS = 1.0
LENGTH = 37

LENGTHS = (37, 200)
PAIR_SECONDS = 0.3


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
        for seed in trial.budget(SEED_SECONDS).each(session, seeds):
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


RANDOMNESS = Check(
    "calls/randomness",
    "Do keys and ciphertexts come from randombytes?",
    (
        "A key that does not depend on what was drawn is everybody's key. SUPERCOP's randombytes "
        "returns nothing: whether a failure is reported cannot be asked."
    ),
    "Draw each secret from randombytes, and use all of it.",
    run_randomness,
)


def drawn_in_place(trial: OperationTrial) -> str:
    """Let each output of calls that draw stand where each input is."""
    if not trial.operation.randomised:
        raise CheckInapplicable("nothing is drawn")
    budget, asked = trial.budget(PAIR_SECONDS), 0
    with trial.session() as session:
        for batch in trial.computations(session, LENGTHS):
            pairs = [
                (routine, *pair)
                for routine in batch
                if trial.draws(routine)
                for pair in _pairs(routine)
            ]
            session.agent.forget_buffers()
            asked += len(pairs)
            for routine, output, read in budget.each(session, pairs):
                _compare(session, routine, output, read)
    if not asked:
        raise CheckInapplicable("no call that draws has an input")
    return budget.remark("pairs of output and input")


def _pairs(routine: Routine) -> Iterator[tuple[str, str]]:
    for output in routine.outputs:
        for read in routine.inputs:
            if routine.variables[read].size:
                yield output, read


def _compare(session: OperationSession, routine: Routine, output: str, read: str) -> None:
    """Raise CheckFinding if a call gives another output where its input is."""
    room = max(one.size for one in routine.variables.values()) + ROOM

    def roomy(_: str, variable: Variable) -> BufferShape:
        return BufferShape(room, max(ALIGNMENT, variable.modulus))

    apart = Arena(session, roomy)
    expected = apart.outcome(routine)
    if apart.outcome(routine) != expected:
        return  # it keeps random bytes from call to call
    together = Arena(session, roomy, SECOND_BASE, twin={output: read})
    found = together.outcome(routine)
    if shown := difference(expected, found):
        raise CheckFinding(
            f"{routine.name} gives something else if {output} lies where {read} does",
            f"{inputs(routine)}{shown}",
        )


DRAWN_IN_PLACE = Check(
    "buffers/drawn-in-place",
    "May calls that draw random bytes write where they read?",
    (
        "SUPERCOP lets outputs overlap inputs in calls that are deterministic alone. Programs "
        "sign in place, too: a signature that is written over the message before it is hashed "
        "signs something else."
    ),
    "Move the message to its place before anything is written, and say where that is not allowed.",
    drawn_in_place,
)

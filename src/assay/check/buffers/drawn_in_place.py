# SPDX-License-Identifier: MIT
"""Whether calls that draw random bytes may write where they read, as SUPERCOP asks of others.

With the same random bytes they must give the same. No API promises it, and callers do it.
"""

from collections.abc import Iterator

from assay.check.arena import ALIGNMENT, ROOM, SECOND_BASE, Arena, BufferShape
from assay.check.check import Check, CheckFinding, CheckInapplicable
from assay.check.evidence import difference, inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, Variable

LENGTHS = (37, 200)
SECONDS = 0.3


def drawn_in_place(trial: OperationTrial) -> str:
    """Let each output of calls that draw stand where each input is."""
    if not trial.operation.randomised:
        raise CheckInapplicable("nothing is drawn")
    budget, asked = trial.budget(SECONDS), 0
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


CHECK = Check(
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

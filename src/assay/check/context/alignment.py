# SPDX-License-Identifier: MIT
"""Whether a context may stand at every address that its type allows."""

from assay.check.arena import ROOM, SECOND_BASE, Arena, BufferShape, Placement, ordinary
from assay.check.check import Check
from assay.check.context.stages import context_of, staged
from assay.check.evidence import EqualPairs
from assay.check.routine import Variable
from assay.check.trial import AnyTrial
from assay.model.api import Role

WIDEST = 32


def residue(offset: int) -> Placement:
    """Put contexts so many bytes off a multiple of `WIDEST`."""

    def place(name: str, variable: Variable) -> BufferShape:
        if variable.role is not Role.STATE:
            return ordinary(name, variable)
        return BufferShape(variable.size + ROOM, max(WIDEST, variable.modulus), offset)

    return place


def anywhere(trial: AnyTrial) -> None:
    """Put the context at every address that its type allows."""
    for routine in staged(trial):
        step = routine.variables[context_of(routine)].modulus
        with trial.session() as session:
            arena, moved = Arena(session), Arena(session, base=SECOND_BASE)
            pairs = EqualPairs(arena)
            expected = arena.begin(routine)
            for offset in range(0, max(WIDEST, step), step):
                moved.place = residue(offset)
                complaint = f"a context {offset} bytes off an address divisible by {WIDEST} gives "
                complaint += "another result"
                pairs.expect(complaint, expected, moved.begin(routine))
            pairs.judge()


CHECK: Check[AnyTrial] = Check(
    name="context/alignment",
    asks="May the context have every alignment that its type allows?",
    why=(
        "Assembly often assumes more than the header promises. It then works until a "
        "structure around the context changes."
    ),
    cure=(
        "Rely only on the alignment of the declared fields, or declare fields with a larger one."
    ),
    run=anywhere,
)

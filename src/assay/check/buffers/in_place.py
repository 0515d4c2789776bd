# SPDX-License-Identifier: MIT
"""Whether output may overwrite the input that it is made of."""

from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import EqualPairs
from assay.check.lengths.sweep import BOARD_LONGEST, LONGEST
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.model.api import Promise, Role, Way

SECONDS = 0.6
UNITS = 9  # enough for implementations that take eight blocks at a time


def in_place(trial: AnyTrial) -> str:
    """Let every function work with one buffer as input and output."""
    unit, budget = trial.unit, trial.budget(SECONDS)
    long = BOARD_LONGEST if trial.on_board else LONGEST
    lengths = sorted({1, unit - 1, unit, unit + 1, 3 * unit + 5, UNITS * unit + 7, long} - {0})
    for batch in trial.uses(tuple(lengths)):
        pairs = [(routine, twin) for routine in batch if (twin := twins(routine))]
        if not pairs:
            raise CheckInapplicable("no function has an input and an output of the same kind")
        with trial.session() as session:
            apart, together = Arena(session), Arena(session, base=SECOND_BASE)
            equal = EqualPairs(apart)
            for routine, twin in budget.each(session, pairs):
                together.twin = twin
                complaint = f"{routine.name} in place differs from out of place"
                equal.expect(complaint, apart.begin(routine), together.begin(routine))
            equal.judge()
    return budget.remark()


def twins(routine: Routine) -> dict[str, str]:
    """Name the output for a message by the input that it may overwrite."""
    messages = routine.having(Role.MESSAGE)
    read = [name for name in messages if routine.variables[name].is_input]
    written = [name for name in messages if routine.variables[name].way is Way.OUT]
    same = [
        (to, source)
        for to, source in zip(written, read, strict=False)
        if routine.variables[to].size == routine.variables[source].size
    ]
    return dict(same)


CHECK: Check[AnyTrial] = Check(
    name="buffers/in-place",
    asks="May the output overwrite the input?",
    why=(
        "Most programs encrypt in place. Code that writes output before it has read the "
        "input for it, or that feeds its own output to the MAC as input, fails only there."
    ),
    cure=(
        "Read all input of a step, for the MAC as well, before writing the step's output. "
        "Do not declare the two pointers `restrict`."
    ),
    run=in_place,
    excuse=lambda trial: trial.excuse(Promise.IN_PLACE),
)

# SPDX-License-Identifier: MIT
"""Whether crypto_sort gives items in one order, whatever order they come in."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.operation.trial import OperationTrial

SECONDS = 0.6
SORT = "crypto_sort"
LENGTHS = (4097, 65536)
ARRAY = "x"


def order(trial: OperationTrial) -> str:
    """Sort the same items in another order."""
    if trial.subject.operation != SORT:
        raise CheckInapplicable(f"{trial.subject.operation} sorts nothing")
    size, budget = trial.subject.constant("BYTES"), trial.budget(SECONDS)
    with trial.session() as session:
        for batch in trial.uses(LENGTHS):
            arena = Arena(session)
            for routine in budget.each(session, batch):
                data = routine.variables[ARRAY].value or b""
                items = [data[at : at + size] for at in range(0, len(data), size)]
                mixed = b"".join(trial.random.sample(items, len(items)))
                if arena.outcome(routine) != arena.outcome(routine.given(ARRAY, mixed)):
                    raise CheckFailed(
                        f"{len(items)} items in another order come out in another order"
                    )
    return budget.remark()


CHECK = Check(
    "sort/order",
    "Do the same items come out in the same order, whatever order they come in?",
    "That is what sorting is; SUPERCOP's tests have short arrays.",
    "Look for a truncated length, and for a last comparison that is left out.",
    order,
)

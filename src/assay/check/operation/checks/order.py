# SPDX-License-Identifier: MIT
"""Whether crypto_sort gives items in one order, whatever order they come in."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.model.operation import Op

SECONDS = 0.6
LENGTHS = (4097, 65536)
SHORT = (1, 2, 3, 16, 77, 300)
FEW = 9  # small numbers, beside the least, the largest and -1
ARRAY = "x"


def order(trial: OperationTrial) -> str:
    """Sort the same items in another order."""
    if trial.subject.operation != Op.SORT:
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
        _few_values(trial, session, size)
    return budget.remark()


def _few_values(trial: OperationTrial, session: OperationSession, size: int) -> None:
    """Sort arrays in which items come often: each must come out as often."""
    values = [one.to_bytes(size, "little") for one in range(FEW)]
    values += [bytes([0xFF]) * size, bytes(size - 1) + b"\x80", b"\xff" * (size - 1) + b"\x7f"]
    for batch in trial.uses(SHORT):
        arena = Arena(session)
        for routine in batch:
            count = routine.variables[ARRAY].size // size
            items = trial.random.choices(values, k=count)
            found = arena.outcome(routine.given(ARRAY, b"".join(items))).outputs[ARRAY]
            out = [found[at : at + size] for at in range(0, len(found), size)]
            if sorted(out) != sorted(items):
                raise CheckFailed(
                    f"of {count} items with few values not the same come out",
                    f"in  {b''.join(items).hex()}\nout {found.hex()}\n",
                )


CHECK = Check(
    "sort/order",
    "Do the same items come out in the same order, whatever order they come in?",
    "That is what sorting is; SUPERCOP's tests have short arrays of random numbers, in which none "
    "comes twice.",
    "Look for a truncated length, and for a last comparison that is left out.",
    order,
)

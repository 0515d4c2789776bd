# SPDX-License-Identifier: MIT
"""Whether results depend on the arguments alone."""

from assay.check.arena import Arena, PendingOutcome
from assay.check.check import Check, Origin
from assay.check.evidence import judge
from assay.check.trial import AnyTrial, Batch
from assay.model.api import Role

UNITS = 9
REST = 7
LEAST = 64
FILLINGS = (0x3C, 0xC3, 0x99)


def deterministic(trial: AnyTrial) -> None:
    """Ask the same of several processes, each with memory and stack of its own."""
    batches = list(trial.uses((max(UNITS * trial.unit, LEAST) + REST,)))
    with trial.session() as session:
        first = [(arena := Arena(session), _all(arena, batch, FILLINGS[0])) for batch in batches]
        expected = [[one.value for one in outcomes] for _, outcomes in first]
    for filling in FILLINGS[1 : 3 if trial.thorough else 2]:
        with trial.fresh_session() as session:
            for batch, outcomes in zip(batches, expected, strict=True):
                arena = Arena(session)
                again = _all(arena, batch, filling)
                for routine, before, after in zip(batch, outcomes, again, strict=True):
                    complaint = f"two processes get different results from {routine.name}"
                    judge(arena, routine, complaint, before, after.value)


def _all(arena: Arena, batch: Batch, filling: int) -> list[PendingOutcome]:
    """Perform all routines, each with something else in contexts and outputs before it."""
    outcomes = []
    for routine in batch:
        arena.lay(routine)
        for name in routine.having(Role.STATE):
            arena.put(name, bytes([filling]) * routine.variables[name].size)
        outcomes.append(arena.begin(routine, filling))
    return outcomes


CHECK: Check[AnyTrial] = Check(
    name="calls/deterministic",
    asks="Do the same calls give the same results in every process and at every address?",
    why=(
        "Code that depends on uninitialised memory, on addresses or on time works on the "
        "author's machine and fails elsewhere. Ciphers and hashes are asked in several processes, "
        "operations at two addresses."
    ),
    cure=(
        "Let set-up functions set everything that is read later. Look for reads beyond an input "
        "and for output bytes that are never written. `valgrind` and `-fsanitize=memory` show the "
        "place."
    ),
    run=deterministic,
    origin=Origin.SUPERCOP,
)

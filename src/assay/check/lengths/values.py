# SPDX-License-Identifier: MIT
"""Whether each value of a byte gives something of its own, where code only encodes or decodes.

What is as long encoded as decoded loses nothing, so no two values may give the same; otherwise
some encodings have several values for one, but not just a few of 256.
"""

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import CheckFailed, CheckFinding
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.model.api import Role

VALUES = 256
FEW = 6  # values that others share, which are an exception and no rule
MOST_PLACES = 4


def recodes(routine: Routine) -> bool:
    """Return whether all that goes in is encoded or decoded."""
    variables = routine.variables
    given = [name for name in routine.inputs if variables[name].size]
    other = all(variables[name].role is Role.OTHER for name in given)
    return other and len(given) == 1 and any(variables[name].size for name in routine.outputs)


def require_values(trial: AnyTrial, arena: Arena, routine: Routine, budget: Budget) -> None:
    """Let some bytes of an input have all values, among zeros, ones and random bytes."""
    (name,) = (one for one in routine.inputs if routine.variables[one].size)
    size = routine.variables[name].size
    lossless = size == sum(routine.variables[one].size for one in routine.outputs)
    places = trial.random.sample(range(size), min(size, MOST_PLACES))
    bases = (bytes(size), b"\xff" * size, trial.bytes(size))
    for place, base in budget.each(arena.session, [(at, one) for at in places for one in bases]):
        pending = [
            arena.begin(routine.given(name, base[:place] + bytes([byte]) + base[place + 1 :]))
            for byte in range(VALUES)
        ]
        seen: dict[tuple[bytes, ...], int] = {}
        twice = []
        for byte, one in enumerate(pending):
            made = tuple(one.value.outputs.values())
            if made in seen:
                twice.append((seen[made], byte))
            seen.setdefault(made, byte)
        if twice and (lossless or len(twice) <= FEW):
            first, second = twice[0]
            reason = (
                f"{routine.name} gives the same for {first:02x} as for {second:02x} in byte "
                f"{place} of {name}; {VALUES - len(twice)} of {VALUES} values give their own"
            )
            evidence = f"{name} = {base.hex().upper()}\n"
            raise CheckFailed(reason, evidence) if lossless else CheckFinding(reason, evidence)

# SPDX-License-Identifier: MIT
"""Keys and nonces that code makes an exception for, and those whose parts may change places.

What is said of them is a finding: a cipher may be defined so.
"""

from collections.abc import Iterator

from assay.check.arena import Arena
from assay.check.lengths.apart import IdleEnd
from assay.check.routine import Routine, RoutineOutcome, Variable
from assay.check.trial import AnyTrial
from assay.model.api import Role

SECRETS = (Role.KEY, Role.NONCE)
UNIFORM = (0x00, 0xFF)
WORD = 4


def special(
    trial: AnyTrial, arena: Arena, routine: Routine, first: RoutineOutcome
) -> Iterator[IdleEnd]:
    """Yield what is noted of keys and nonces of an encryption; scalars and points are numbers."""
    if not trial.hides or any(routine.having(Role.PUBLIC_KEY)):
        return
    for name, one in routine.variables.items():
        value = one.value or b""
        if one.role in SECRETS and one.matters and len(value) > WORD and not one.clamped:
            other = arena.outcome(routine.given(name, trial.bytes(len(value))))
            if other.results != first.results:
                continue  # it opens what was made with this one alone
            yield from _uniform(arena, routine, name, first)
            yield from _rearranged(arena, routine, name, one, first)


def _uniform(
    arena: Arena, routine: Routine, name: str, first: RoutineOutcome
) -> Iterator[IdleEnd]:
    size = routine.variables[name].size
    made = [arena.outcome(routine.given(name, bytes([byte]) * size)) for byte in UNIFORM]
    for byte, outcome in zip(UNIFORM, made, strict=True):
        if outcome.results != first.results:
            yield IdleEnd(f"{routine.name} refuses {name} of bytes {byte:02x}", "")
    if made[0].outputs == made[1].outputs:
        yield IdleEnd(f"{routine.name} gives the same for {name} of bytes 00 and of bytes ff", "")


def _rearranged(
    arena: Arena, routine: Routine, name: str, one: Variable, first: RoutineOutcome
) -> Iterator[IdleEnd]:
    value, half = one.value or b"", one.size // 2
    words = [value[at : at + WORD] for at in range(0, len(value), WORD)]
    for data in dict.fromkeys((value[half:] + value[:half], b"".join(reversed(words)))):
        if data != value and arena.outcome(routine.given(name, data)) == first:
            about = f"{routine.name} gives the same where parts of {name} change places"
            yield IdleEnd(about, f"{value.hex()}\n{data.hex()}\n")

# SPDX-License-Identifier: MIT
"""Keys and nonces that code makes an exception for, or of which only a sum counts.

Their parts may change places, or a key and a nonce may be changed alike.

What is said of them is a finding: a cipher may be defined so.
"""

from collections.abc import Iterator
from itertools import combinations

from assay.check.arena import Arena
from assay.check.lengths.apart import IdleEnd
from assay.check.routine import Routine, RoutineOutcome, Variable, added_up
from assay.check.trial import AnyTrial
from assay.model.api import Role

SECRETS = (Role.KEY, Role.NONCE)
UNIFORM = (0x00, 0xFF)
WORD, BLOCK = 4, 16


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
    yield from _related(trial, arena, routine, first)
    yield from _of_zeros(arena, routine)


def _of_zeros(arena: Arena, routine: Routine) -> Iterator[IdleEnd]:
    """Let keys and nonces be zeros together: what is added to the message may be zeros, too."""
    changed = routine
    for name, one in routine.variables.items():
        if one.role in SECRETS and one.is_input and not one.clamped:
            changed = changed.given(name, bytes(one.size))
    given = [changed.variables[name] for name in changed.having(Role.MESSAGE)]
    outputs = b"".join(arena.outcome(changed).outputs.values())
    for text in ((one.value or b"")[one.fixed :] for one in given):
        if len(text) >= BLOCK and (text[:BLOCK] in outputs or text[-BLOCK:] in outputs):
            yield IdleEnd(f"{routine.name} encrypts nothing under keys and nonces of zeros", "")


def _related(
    trial: AnyTrial, arena: Arena, routine: Routine, first: RoutineOutcome
) -> Iterator[IdleEnd]:
    """Change the beginnings of two inputs alike: of some nothing counts but the sum."""
    names = [
        name
        for name, one in routine.variables.items()
        if one.role in (*SECRETS, Role.DATA) and one.is_input and one.matters and not one.clamped
    ]
    for one, other in combinations(names, 2):
        values = [routine.value(name) for name in (one, other)]
        size = min(map(len, values))
        change, changed = trial.bytes(size), routine
        for name, value in zip((one, other), values, strict=True):
            changed = changed.given(name, added_up(value, change) + value[size:])
        if size >= WORD and arena.outcome(changed) == first:
            about = f"{routine.name} gives the same where {one} and {other} are changed alike"
            yield IdleEnd(about, f"both begin with {change.hex()} more (exclusive or)\n")


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

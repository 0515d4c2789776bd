# SPDX-License-Identifier: MIT
"""Differential traces, for targets without valgrind: runs that differ in secrets alone.

Both must execute the same instructions and access the same addresses. Each use is run four times
in one process: once for caches to fill, then with one secret, with another, and with the first
again, whose traces must be the same; otherwise nothing can be said. Of functions that the package
calls, in the C library and in the compiler's, the caller is named, too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.check.arena import Arena
from assay.check.check import CheckSkipped
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.execute.tracing import Trace, Tracing
from assay.execute.valgrind import Complaint
from assay.model.secrets import FROM

LENGTHS = (1, 64, 200)
BRANCH = "Conditional jump goes another way in a run that differs in secrets alone"
ADDRESS = "Use of another address in a run that differs in secrets alone"
UNSTABLE = "two runs of {} with the same inputs execute different instructions"
CUT = "traces end after four million instructions and accesses"
ACCESS = np.uint64(1)
Indices = NDArray[np.intp]
Owned = Callable[[Trace], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class TraceDifference:
    """What differs at an instruction, and the package's own instruction from which it came."""

    what: str
    address: int
    caller: int


def followed(trial: AnyTrial, found: list[Complaint]) -> str:
    """Add where the traces of two runs differ; return what was not seen."""
    if trial.bench is None or trial.bench.traced is None:
        raise CheckSkipped("there is no emulator that traces for this target")
    if trial.package.kind.rules.chained:
        return "traces are of ciphers and hashes: later calls of operations use what earlier drew"
    known: dict[TraceDifference, None] = {}
    problem = ""
    with trial.bench.traced() as (agent, tracing, shown):
        session = trial.converse(agent)
        for batch in trial.uses(LENGTHS):
            agent.forget_buffers()
            arena = Arena(session)
            for routine in batch:
                problem = _compare(trial, arena, routine, tracing, known) or problem
    for one in known:
        place, instruction = shown(one.address)
        if one.caller != one.address:
            place += FROM + shown(one.caller)[0]
        found.append(Complaint(one.what, True, True, (place,), instruction))
    return problem


def _compare(
    trial: AnyTrial,
    arena: Arena,
    routine: Routine,
    tracing: Tracing,
    known: dict[TraceDifference, None],
) -> str:
    """Add the differences of a routine; return what was not seen of it."""
    other = _with_other_secrets(trial, routine)
    if other is routine:
        return ""
    _traced(arena, routine, tracing)
    one, whole = _traced(arena, routine, tracing)
    second, _ = _traced(arena, other, tracing)
    again, _ = _traced(arena, routine, tracing)
    if any(differences(one, again, tracing.of_package)):
        return UNSTABLE.format(routine.name)
    known.update(dict.fromkeys(differences(one, second, tracing.of_package)))
    return "" if whole else CUT


def _with_other_secrets(trial: AnyTrial, routine: Routine) -> Routine:
    """Return the routine with other bytes in its secret inputs; itself if it has none."""
    secrets = {
        name: replace(one, value=trial.bytes(len(one.value)))
        for name, one in routine.variables.items()
        if one.secret and one.value
    }
    return replace(routine, variables={**routine.variables, **secrets}) if secrets else routine


def _traced(arena: Arena, routine: Routine, tracing: Tracing) -> tuple[Trace, bool]:
    arena.lay(routine)
    arena.fill(routine)
    arena.session.settle()
    tracing.begin()
    arena.go(routine.steps)
    arena.session.settle()
    return tracing.taken()


def differences(one: Trace, other: Trace, owned: Owned) -> Iterator[TraceDifference]:
    """Yield what differs between two traces, and at which instruction: until they part.

    `owned` says which addresses are of the package's own code.
    """
    length = min(len(one), len(other))
    unlike = one[:length] != other[:length]
    of_memory = (one[:length] & other[:length] & ACCESS).astype(bool)
    parted = np.flatnonzero(unlike & ~of_memory)
    end = int(parted[0]) if parted.size else length
    instructions = np.flatnonzero(~(one[:length] & ACCESS).astype(bool))
    callers = instructions[owned(one[instructions] >> ACCESS)]
    branches = [end - 1] if parted.size or len(one) != len(other) else []
    accesses = np.flatnonzero(unlike[:end] & of_memory[:end])
    for what, places in ((ADDRESS, accesses), (BRANCH, np.array(branches, np.intp))):
        pairs = zip(_before(one, instructions, places), _before(one, callers, places), strict=True)
        yield from (TraceDifference(what, *each) for each in sorted(set(pairs)))


def _before(trace: Trace, instructions: Indices, places: Indices) -> list[int]:
    """Return the addresses of the instructions at or before places of a trace."""
    if not instructions.size:
        return [0] * len(places)
    nearest = np.searchsorted(instructions, places, side="right") - 1
    found: list[int] = (trace[instructions[np.maximum(nearest, 0)]] >> ACCESS).tolist()
    return found

# SPDX-License-Identifier: MIT
"""Whether calls leave secrets behind: on the stack, in registers, static and freed memory.

Each call is made three times on a clean stack: with one secret, with another, and with the first
again. What is the same in the first and the last, and another in between, depends on the secret.
Outputs and other inputs are public: where their bytes lie, nothing is said.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckSkipped,
    refusal_means,
)
from assay.check.object.calling import called
from assay.check.routine import Routine
from assay.check.secret_uses import SecretUse, covered, secret_uses, words
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.execute.agent import Buffer
from assay.execute.circumstances import keep_left
from assay.execute.ranges import AddressRange, Ranges, static_ranges
from assay.model.secrets import LEFT_BEHIND

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

GOAL = "goal-wiped"
NO_GOAL = f"nothing is declared; to have it examined, create the empty file {GOAL} in the package"
LENGTH = 64
STACK_BYTES = 32 * 1024
REGISTER_BYTES = 512  # at most
STATIC_BYTES, VARIABLES = 32 * 1024, 64  # at most
FREED_BYTES = 16 * 1024  # the first of what a call frees
STACK, FREED = "stack", "freed memory"
NUMBER = 60  # of the buffer: beyond those of an arena
LEAST = 8  # bytes: a flag or a carry that is left is no secret


class LeftBehind(Struct, frozen=True):
    """What a function leaves in a place: bytes that depend on secrets, and those of a secret."""

    function: str
    place: str
    dependent: int
    verbatim: int

    def __str__(self) -> str:
        """Return it as a line, and the place below it as other checks of secrets list it."""
        own = f", {self.verbatim} of them bytes of the secret itself" if self.verbatim else ""
        what = f"{self.dependent} bytes depend on a secret{own}"
        return f"{what}\n    {self.function} ({self.place})"


class KeptMemory(Struct, frozen=True):
    """The buffer to which all is copied that is looked at, and which part of it is what."""

    buffer: Buffer
    parts: tuple[tuple[str, slice], ...]

    @classmethod
    def by(cls, session: BaseSession, variables: Ranges) -> "KeptMemory":
        """Have everything copied after each call; CheckSkipped where it cannot be."""
        sizes = [one.end - one.start for one in variables]
        size = REGISTER_BYTES + STACK_BYTES + sum(sizes) + FREED_BYTES
        buffer = session.agent.buffer("left behind", size, number=NUMBER)
        places = ((one.start, one.end - one.start) for one in variables)
        with refusal_means(CheckSkipped("what calls leave behind cannot be seen here")):
            known = keep_left(session.agent, buffer, STACK_BYTES, FREED_BYTES, places)
        names = [
            *zip(("vector registers", "general registers"), known, strict=True),
            (STACK, STACK_BYTES),
            *((_named(one), size) for one, size in zip(variables, sizes, strict=True)),
            (FREED, FREED_BYTES),
        ]
        ends = [*accumulate(size for _, size in names)]
        parts = (
            (name, slice(end - size, end)) for (name, size), end in zip(names, ends, strict=True)
        )
        return cls(buffer, tuple(parts))

    def taken(self, session: BaseSession) -> "Bytes":
        """Return what was copied after the last call."""
        import numpy as np  # noqa: PLC0415 - not needed where nothing is declared

        return np.frombuffer(
            session.agent.fetch(self.buffer, self.parts[-1][1].stop).data, np.uint8
        )


def _named(variable: AddressRange) -> str:
    """Name a variable without what compilers append to that of a function."""
    return f"static memory `{variable.name.partition('.')[0]}`"


def left_behind(trial: AnyTrial) -> None:
    """Fail if a call leaves secrets behind, though it is declared that none does."""
    declared = (trial.package.root / GOAL).is_file()
    if not (declared or trial.extent.undeclared):
        raise CheckInapplicable(NO_GOAL)
    found = tuple(_found(trial))
    if not found:
        return
    most = max(found, key=lambda one: (one.verbatim, one.dependent))
    first = str(most).partition("\n")[0]
    more = f" and {len(found) - 1} more places" if len(found) > 1 else ""
    error = CheckFailed if declared else CheckFinding
    reason = f"after {most.function}, {first} ({most.place}){more}"
    raise error(reason, "\n".join(map(str, found)))


def _found(trial: AnyTrial) -> Iterator[LeftBehind]:
    known: set[tuple[str, str]] = set()
    variables = _variables(trial)
    with _session(trial) as session:
        for use in secret_uses(trial, session, (LENGTH,)):
            for each in () if use.all_others else _of(session, use, variables):
                if (each.function, each.place.partition(",")[0]) not in known:
                    known.add((each.function, each.place.partition(",")[0]))
                    yield each


def _variables(trial: AnyTrial) -> Ranges:
    """Return the package's static variables, as many as are looked at, on this machine."""
    build = trial.bench.build if trial.bench and trial.bench.target.is_native else None
    if build is None or build.agent is None:
        return ()
    found = static_ranges(build.agent, build.objects, "left_set")
    ends = accumulate(one.end - one.start for one in found)
    small = (one for one, end in zip(found, ends, strict=True) if end <= STATIC_BYTES)
    return tuple(small)[:VARIABLES]


@contextmanager
def _session(trial: AnyTrial) -> Iterator[BaseSession]:
    """Lend a session; where the package frees memory, with an agent that sees what is freed."""
    bench = trial.bench
    if bench is None or bench.starved is None or "free" not in called(bench.build.objects):
        with trial.session() as session:
            yield session
        return
    with bench.starved() as connect:
        own: BaseSession = trial.converse(connect())
        with own.agent:
            yield own


def _of(session: BaseSession, use: SecretUse, variables: Ranges) -> Iterator[LeftBehind]:
    """Yield what each step of a routine leaves behind."""
    routine, before = use.routine, session.seed
    arena = Arena.alone(session)
    arena.lay(routine)
    kept = KeptMemory.by(session, variables)
    try:
        pairs = [*zip(use.routines, use.seeds, strict=True)]
        first, second, again = (_snapshots(session, arena, *pairs[one], kept) for one in (0, 1, 0))
    finally:
        session.seed = before
        session.dirty(0, 0)
        keep_left(session.agent, None)
    public = words(_values(arena, routine, secret=False))
    secret = words(_values(arena, routine, secret=True)) - public
    for step, one, other, last in zip(routine.steps, first, second, again, strict=True):
        depends = (one == last) & (one != other) & ~_covered(one, public)
        own = _covered(one, secret)
        for place, part in kept.parts:
            count = int(depends[part].sum())
            if count >= LEAST:
                where = _where(place, depends[part].nonzero()[0])
                yield LeftBehind(
                    step.function, where, count, int((own[part] & depends[part]).sum())
                )


def _where(place: str, at: "NDArray[np.intp]") -> str:
    """Return where bytes lie: of the stack how far below the call."""
    if place != STACK:
        return place
    return f"stack, {STACK_BYTES - int(at[-1]) - 1} to {STACK_BYTES - int(at[0])} bytes below"


def _snapshots(
    session: BaseSession, arena: Arena, routine: Routine, seed: bytes, kept: KeptMemory
) -> "list[Bytes]":
    """Perform a routine step by step; return what lies there after each."""
    session.seed = seed
    arena.forget()
    arena.ready(routine)
    found = []
    for step in routine.steps:
        session.dirty(STACK_BYTES, 0)
        arena.go((step,))
        session.settle()
        found.append(kept.taken(session))
    return found


def _values(arena: Arena, routine: Routine, *, secret: bool) -> Iterable[bytes]:
    """Yield secret inputs; or everything else, outputs as they are now."""
    for name, one in routine.variables.items():
        if one.secret is secret and one.value:
            yield one.value
        elif not secret and not one.secret and one.is_output:
            yield arena.get(name, one.size).data


def _covered(held: "Bytes", known: set[bytes]) -> "NDArray[np.bool_]":
    """Mark the bytes that are part of one of the words."""
    import numpy as np  # noqa: PLC0415 - not needed where nothing is declared

    marks = np.zeros(len(held), np.bool_)
    marks[list(covered(held.tobytes(), known))] = True
    return marks


CHECK: Check[AnyTrial] = Check(
    name=LEFT_BEHIND,
    asks=f"Do calls leave no secrets on the stack, in registers and memory, as {GOAL} declares?",
    why=(
        "What is left there is found by whoever reads that memory later: a defect that reads "
        "uninitialised or foreign memory, a core dump, a swapped page. Compilers remove a memset "
        "before a return, as nothing reads what it writes. Without the file it is a finding, "
        "which `assay ct --left-behind` looks for."
    ),
    cure=(
        "Overwrite keys and what was computed of them before each return, by explicit_bzero or "
        "through a volatile pointer; call what keeps secrets in registers from a function that "
        "clears the stack; wipe memory before it is freed."
    ),
    run=left_behind,
)

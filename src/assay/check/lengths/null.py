# SPDX-License-Identifier: MIT
"""Whether data of no bytes may be given as a null pointer.

No API but that of compact hashes promises it. Programs whose message or data are empty often
have no pointer to them.
"""

from dataclasses import replace

from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckFinding, CheckInapplicable
from assay.check.evidence import difference
from assay.check.routine import Argument, Routine
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentFault
from assay.execute.places import Buffer, BufferPlace


def null(trial: AnyTrial) -> None:
    """Perform every routine on empty messages, with and without a place where they would be."""
    asked = 0
    with trial.session() as session:
        for batch in trial.computations(session, (0,)):
            session.agent.forget_buffers()
            here, there = Arena(session), Arena(session, base=SECOND_BASE)
            for routine in batch:
                if names := _empty(routine):
                    asked += 1
                    _compare(here, there, routine, names)
    if not asked:
        raise CheckInapplicable("nothing that is given can be empty")


def _empty(routine: Routine) -> list[str]:
    return [name for name, one in routine.variables.items() if not one.size]


def _compare(here: Arena, there: Arena, routine: Routine, names: list[str]) -> None:
    """Raise CheckFinding if a call with null pointers crashes, or gives something else."""
    expected = here.outcome(routine)
    if here.outcome(routine) != expected:
        return  # calls/deterministic says whether that may be
    what = f"{routine.name} with a null pointer for {' and '.join(names)} of 0 bytes"
    try:
        found = there.outcome(_without(routine, names))
    except AgentFault as fault:
        raise CheckFinding(f"{what} crashes", str(fault)) from None
    if shown := difference(expected, found):
        raise CheckFinding(f"{what} gives something else", shown)


def _without(routine: Routine, names: list[str]) -> Routine:
    """Return a routine that gets null pointers in place of variables."""

    def given(argument: Argument) -> Argument:
        place = argument.buffer if isinstance(argument, BufferPlace) else argument
        return None if isinstance(place, Buffer) and place.label in names else argument

    steps = (replace(one, arguments=tuple(map(given, one.arguments))) for one in routine.steps)
    return replace(routine, steps=tuple(steps))


CHECK: Check[AnyTrial] = Check(
    "lengths/null",
    "May data of no bytes be a null pointer?",
    (
        "An empty string often has no address: `std::vector::data`, a slice of Go, a field that "
        "was never set. Code that reads a word ahead, or computes with the pointer, crashes then."
    ),
    "Look at the length before the pointer.",
    null,
)

# SPDX-License-Identifier: MIT
"""What calls leave in the static memory of a package.

It is asked of operations alone: only their packages are one object whose static memory an
agent can read and write.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.operation.script import STATE, Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome
from assay.execute.agent import AgentFault

SECONDS = 0.6
LENGTH = 64
MOST_STATE_BYTES = 4 << 20
TRIED_BYTES = 48
FLIP = 0x80


def run_leftover(trial: OperationTrial) -> None:
    """Change what a call left in static memory, and call again."""
    size = trial.subject.state_bytes
    if size == 0:
        raise CheckSkipped("the package has no static memory that it could write")
    if size > MOST_STATE_BYTES:
        raise CheckSkipped(f"its static memory has {size} bytes")
    remarks: list[str] = []
    with trial.session() as session:
        calls, others = (trial.calls(session, LENGTH) for _ in range(2))
        for name, routine in calls.items():
            session.agent.forget_buffers()
            found = _tamper(trial, session, routine, others[name])
            if found and not trial.draws(routine):
                raise CheckFailed(found)
            remarks += [f"{found}; it may keep randomness from call to call"] if found else []
    if remarks:
        raise CheckSkipped(remarks[0])


def _tamper(
    trial: OperationTrial, session: OperationSession, routine: Routine, other: Routine
) -> str:
    """Flip bytes that differ from call to call; none of them may matter to the next one."""
    arena = Arena(session)
    expected = arena.outcome(routine)
    if arena.outcome(routine) != expected:
        return ""
    arena.outcome(other)
    after_other = session.static_memory()
    arena.outcome(routine)
    state = session.static_memory()
    changed = [at for at, (a, b) in enumerate(zip(state, after_other, strict=True)) if a != b]
    budget = trial.budget(SECONDS)
    for at in trial.random.sample(changed, min(TRIED_BYTES, len(changed))):
        with budget.spending(session.agent):
            same = _same(session, arena, routine, expected, _flipped(state, at))
        if not same:
            return (
                f"the result of {routine.name} depends on byte {at} of the package's static "
                "memory, which an earlier call has written"
            )
        if budget.over:
            break
    return ""


def _flipped(state: bytes, at: int) -> Script:
    script = Script()
    script.write(STATE, state)
    script.add(STATE, at, at + 1, FLIP)
    return script


def _same(
    session: OperationSession,
    arena: Arena,
    routine: Routine,
    expected: RoutineOutcome,
    before: Script,
) -> bool:
    """Return whether the outcome is the same after a script."""
    session.run(before)
    try:
        return arena.outcome(routine) == expected
    except AgentFault:
        return False


STATIC_MEMORY = Check(
    "state/static-memory",
    "Are results independent of what earlier calls left in static memory?",
    (
        "Code that remembers its last message wins a benchmark that repeats one input, and two "
        "threads that share static memory corrupt each other's results."
    ),
    "Make variables local, and compute tables once, at compile time.",
    run_leftover,
)

# SPDX-License-Identifier: MIT
"""Whether results depend on what a process looks like from inside."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import judge
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial

LENGTH = 129
Answered = tuple[Routine, RoutineOutcome]


def surroundings(trial: AnyTrial) -> None:
    """Ask the same of agents that are launched in other ways."""
    if trial.bench is None or not trial.bench.guises:
        raise CheckInapplicable("processes are launched in several ways on this machine alone")
    answered = _answered(trial)
    for looks, connect in trial.bench.guises:
        with connect() as agent:
            session = trial.converse(agent)
            for routine, expected in answered:
                agent.forget_buffers()
                arena = Arena(session)
                complaint = f"in a process that looks like {looks}, {routine.name} differs"
                judge(arena, routine, complaint, expected, arena.outcome(routine))


def _answered(trial: AnyTrial) -> list[Answered]:
    """Perform all functions as every check does."""
    with trial.session() as session:
        batches = list(trial.computations(session, (LENGTH,)))
        answered = []
        for routine in (one for batch in batches for one in batch if not trial.draws(one)):
            session.agent.forget_buffers()
            answered.append((routine, Arena(session).outcome(routine)))
        return answered


CHECK: Check[AnyTrial] = Check(
    name="calls/surroundings",
    asks="Are results the same in a process like those that are timed, and in a user's program?",
    why=(
        "Code can look for signs of a test: variables of the environment, the name of the "
        "program, a filter of system calls, one processor instead of all. So functions are "
        "called in a process that has the signs of a measurement, and in one that has none: not "
        "sealed, and with the name, the variables, the folder and the host of a user's program."
    ),
    cure="Let results depend on the arguments alone.",
    run=surroundings,
)

# SPDX-License-Identifier: MIT
"""Whether results depend on what a process looks like from inside."""

from collections.abc import Callable, Iterable

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import judge
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial
from assay.execute.agent import Agent
from assay.model.api import Role

LENGTH = 129
Answered = tuple[Routine, RoutineOutcome]


def surroundings(trial: AnyTrial) -> None:
    """Ask the same of agents that are launched in other ways.

    Functions without a context, which is set up by others, are the first call of an agent, too.
    """
    if trial.bench is None or not trial.bench.guises:
        raise CheckInapplicable("processes are launched in several ways on this machine alone")
    answered = _answered(trial)
    for one in (each for each in answered if not list(each[0].having(Role.STATE))):
        _ask(trial, trial.connect, (one,), "as the first call of a process")
    for looks, connect in trial.bench.guises:
        _ask(trial, connect, answered, f"in a process that looks like {looks}")


def _ask(
    trial: AnyTrial, connect: Callable[[], Agent], answered: Iterable[Answered], where: str
) -> None:
    """Perform functions in an agent of their own; CheckFailed if one gives something else."""
    with connect() as agent:
        session = trial.converse(agent)
        for routine, expected in answered:
            agent.forget_buffers()
            arena = Arena(session)
            complaint = f"{where}, {routine.name} differs"
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
    asks="Are results the same in new processes, like those that are timed, and like a user's?",
    why=(
        "Code can look for signs of a test: variables of the environment, the name of the "
        "program, a filter of system calls, one processor instead of all. So functions are "
        "called in a process that has the signs of a measurement, and in one that has none: not "
        "sealed, and with the name, the variables, the folder and the host of a user's program. "
        "Code can also set up tables in one function that another one needs: so each is the first "
        "call of a new process, too, if it needs no context."
    ),
    cure="Let results depend on the arguments alone.",
    run=surroundings,
)

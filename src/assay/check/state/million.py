# SPDX-License-Identifier: MIT
"""Whether a call gives the same result a million times.

The agent itself compares the outputs of each round with those of the first, so a round takes
little more than the calls. `--deep` gives each routine enough time for a million rounds of fast
code, and the plain check as many as fit into a moment.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import again
from assay.execute.protocol import Request

LENGTH = 64
ROUNDS = 1_200_000
SECONDS, DEEP_SECONDS = 0.1, 20.0  # for all routines
TOLD_FROM = 1000


def million(trial: AnyTrial) -> str:
    """Repeat each routine, from its first step on."""
    done: list[int] = []
    with trial.session() as session:
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            chosen = trial.representative(batch)
            seconds = trial.budget(DEEP_SECONDS if trial.deep else SECONDS).seconds / len(chosen)
            arena = Arena(session)
            done += [_repeated(trial, arena, routine, seconds) for routine in chosen]
    fewest = min(done, default=0)
    return f"{fewest} rounds of each" if trial.deep and TOLD_FROM < fewest < ROUNDS else ""


def _repeated(trial: AnyTrial, arena: Arena, routine: Routine, seconds: float) -> int:
    first = arena.outcome(routine)
    if arena.outcome(routine) != first:
        return ROUNDS  # calls/deterministic says whether that may be
    agent = arena.session.agent
    requests = [
        (Request.WRITE, bytes([arena.buffer(name).number]) + bytes(4) + one.value)
        for name, one in routine.variables.items()
        if one.value is not None and not one.is_input
    ]
    requests += arena.session.requests(routine.steps, arena.resolved)
    watched = [(arena.buffer(name), routine.variables[name].size) for name in routine.outputs]
    try:
        rounds, other = again(agent, requests, watched, ROUNDS, seconds)
    except AgentRefusal:
        raise CheckInapplicable("the agent cannot repeat it") from None
    if other and not trial.draws(routine):
        raise CheckFailed(
            f"in round {other} {routine.name} gives another result than in the first"
        )
    return rounds


CHECK: Check[AnyTrial] = Check(
    name="state/million",
    asks="Does a call give the same result a million times, as far as the code is fast?",
    why="A counter of 16 or 20 bits, and a buffer that is refilled now and then, go wrong late.",
    cure="Keep all state in the context, and none between calls where there is none.",
    run=million,
)

# SPDX-License-Identifier: MIT
"""Whether a call gives the same result after thousands of others, or a million.

The agent itself compares the outputs of each round with those of the first, so a round takes
little more than the calls.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import again

LENGTH = 64
ROUNDS, DEEP_ROUNDS, BOARD_ROUNDS = 4096, 1_200_000, 256  # some boards have no clock
SECONDS, DEEP_SECONDS = 0.12, 20.0  # for each routine, and for all of them
TOLD_FROM = 1000


def many_calls(trial: AnyTrial) -> str:
    """Repeat each routine, from its first step on."""
    done: list[int] = []
    with trial.session() as session:
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            chosen = trial.representative(batch)
            seconds = DEEP_SECONDS / len(chosen) if trial.deep else SECONDS
            arena = Arena(session)
            done += [_repeated(trial, arena, routine, seconds) for routine in chosen]
    fewest = min(done, default=0)
    return f"{fewest} rounds of each" if trial.deep and TOLD_FROM < fewest < DEEP_ROUNDS else ""


def _repeated(trial: AnyTrial, arena: Arena, routine: Routine, seconds: float) -> int:
    """Return how often a routine was performed; raise if it gave another result."""
    most = BOARD_ROUNDS if trial.on_board else DEEP_ROUNDS if trial.deep else ROUNDS
    first = arena.outcome(routine)
    if arena.outcome(routine) != first:
        return most  # calls/deterministic says whether that may be
    watched = [(arena.buffer(name), routine.variables[name].size) for name in routine.outputs]
    requests = arena.requests(routine)
    try:
        seconds = trial.budget(seconds).seconds
        rounds, other = again(arena.session.agent, requests, watched, most, seconds)
    except AgentRefusal:
        raise CheckInapplicable("the agent cannot repeat calls by itself") from None
    if other:
        found = f"in round {other} {routine.name} gives another result than in the first"
        if trial.draws(routine):
            raise CheckSkipped(f"{found}; it may keep randomness from call to call")
        raise CheckFailed(found)
    return rounds


CHECK: Check[AnyTrial] = Check(
    name="state/calls",
    asks="Does a call give the same result after thousands of others, as far as it is fast?",
    why=(
        "Short tests miss a static counter that overflows, a table that fills up, and a buffer "
        "that is refilled now and then. `--deep` repeats fast code a million times."
    ),
    cure="Keep all state in the context, and none between calls where there is none.",
    run=many_calls,
)

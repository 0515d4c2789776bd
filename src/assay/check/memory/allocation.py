# SPDX-License-Identifier: MIT
"""What becomes of calls whose allocations fail: the first one, the second one, and so on.

A wrong output that looks like a right one is a failure. Code that crashes or ends the program
costs availability and lets nothing wrong out: that is a finding, as in PQClean's SHAKE.
"""

from collections.abc import Callable

from assay.check.arena import Arena
from assay.check.bench import Starved
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import difference
from assay.check.object.calling import called
from assay.check.object.linked import objects_of
from assay.check.routine import Routine, RoutineOutcome
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.execute.agent import Agent, AgentFault, AgentLost, AgentRefusal
from assay.execute.circumstances import starve

ALLOCATE = frozenset(
    ("malloc", "calloc", "realloc", "aligned_alloc", "memalign", "valloc", "posix_memalign")
)
LENGTH = 201
MOST = 12  # allocations of a routine that fail one after another
SECONDS, DEEP_SECONDS = 4.0, 120.0  # by the clock, as each failure has a process of its own


def allocation(trial: AnyTrial) -> str:
    """Let each allocation of each routine fail once, the first always; return what is left out."""
    starved = _starved(trial)
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    found: list[CheckFinding] = []
    with starved() as connect:
        session = trial.converse(connect())
        with session.agent:
            for batch in trial.computations(session, (LENGTH,)):
                session.agent.forget_buffers()
                for routine in trial.representative(batch):
                    for number in budget.by_clock(range(1, _asked(session, routine) + 1)):
                        found += _without(trial, connect, routine, number)
    if found:
        raise found[0]
    return budget.remark("failures of allocations")


def _starved(trial: AnyTrial) -> Starved:
    bench = trial.bench
    if bench is None or bench.starved is None or not called(objects_of(trial)) & ALLOCATE:
        raise CheckInapplicable("nothing is allocated")
    return bench.starved


def _asked(session: BaseSession, routine: Routine) -> int:
    """Return how many allocations a routine makes."""
    try:
        starve(session.agent, 0)
    except AgentRefusal:
        raise CheckInapplicable("allocations cannot be made to fail here") from None
    Arena(session).outcome(routine)
    return min(starve(session.agent, 0)[0], MOST)


def _without(
    trial: AnyTrial, connect: Callable[[], Agent], routine: Routine, number: int
) -> list[CheckFinding]:
    """Perform a routine in a process of its own in which an allocation fails."""
    session = trial.converse(connect())
    with session.agent as agent:
        arena = Arena(session)
        expected = arena.outcome(routine)
        session.refused()
        arena.forget()
        starve(agent, number)
        try:
            actual = arena.outcome(routine)
        except (AgentFault, AgentLost) as end:
            what = f"{routine.name} crashes or ends the program if its allocation {number} fails"
            return [CheckFinding(f"{what}: {end}")]
        if starve(agent, 0)[1] and not session.refused():
            _judge(routine, number, expected, actual)
    return []


def _judge(
    routine: Routine, number: int, expected: RoutineOutcome, actual: RoutineOutcome
) -> None:
    if actual.results == expected.results and (shown := difference(expected, actual)):
        raise CheckFailed(
            f"{routine.name} gives a wrong output as if it were right if its allocation {number} "
            "fails",
            shown,
        )


CHECK: Check[AnyTrial] = Check(
    name="memory/allocation",
    asks="Are allocations that fail reported, and do they spoil no output?",
    why=(
        "Where memory is short `malloc` returns NULL. A message that is then sent as it was, or "
        "under a key of zeros, is worse than a crash."
    ),
    cure=(
        "Do without allocations: sizes are known or small. Otherwise look at every pointer, and "
        "return another result than 0."
    ),
    run=allocation,
)

# SPDX-License-Identifier: MIT
"""Whether buffers may be gigabytes apart.

Between them the agent takes up addresses and touches none of them, so this costs no memory.
"""

from dataclasses import replace

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.evidence import judge
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import Agent, AgentRefusal

LENGTH = 201
# 6.5 GiB: more than 32 bits hold, which make 2.5 GiB of it, or a negative number.
APART = (1 << 31, 1 << 31, 5 << 29)  # the seal lets none be much larger
# The kernel puts so much at a multiple of 2 MiB, and later buffers into the gap above.
GAP = (1 << 17,) * 16
EACH_TIME = "Draw with randombytes, not with rand, and read no clock and no uninitialised memory."


def distance(trial: AnyTrial) -> None:
    """Use inputs, contexts and outputs that are far apart, in both orders."""
    bench = trial.bench
    if bench is None or bench.roomy is None or not bench.target.is_native:
        raise CheckInapplicable("addresses are reserved on this machine only")
    *_, batch = trial.uses((LENGTH,))
    with trial.session() as session:
        expected = [Arena(session).outcome(routine) for routine in batch]
    for backwards in (False, True):
        with bench.roomy() as agent:
            far = Arena(trial.converse(agent))
            _spread(far, batch, _groups(batch, backwards=backwards))
            for routine, near in zip(batch, expected, strict=True):
                complaint = f"{routine.name} gives another result with buffers gigabytes apart"
                far.forget()  # what the code may have changed is not what is asked about
                there = far.outcome(routine)
                if there != near:
                    _require_repeats(far, routine, there)
                judge(far, routine, complaint, near, there)


def _require_repeats(far: Arena, routine: Routine, before: RoutineOutcome) -> None:
    """Raise CheckFailed if the same buffers give another result the next time."""
    far.forget()
    complaint = f"{routine.name} gives another result each time, wherever its buffers are"
    try:
        judge(far, routine, complaint, before, far.outcome(routine))
    except CheckFailed as failed:
        failed.cure = EACH_TIME
        raise


def _spread(arena: Arena, batch: Batch, groups: list[frozenset[str]]) -> None:
    """Lay out the groups of variables, each far from the others."""
    agent = arena.session.agent
    if agent.pointer_bits < 64:
        raise CheckInapplicable("an address space of 4 GiB has no room for it")
    for group in groups:
        if arena.buffers:
            _reserve(agent)
        for routine in batch:
            arena.lay(_part(routine, group))


def _reserve(agent: Agent) -> None:
    try:
        for size in (*APART, *GAP):
            agent.reserve(size)
    except AgentRefusal:
        raise CheckSkipped("there is no room for such distances here") from None


def _groups(batch: Batch, *, backwards: bool) -> list[frozenset[str]]:
    """Return the names of inputs, then those of outputs and contexts, or the other way round."""
    names = frozenset(name for routine in batch for name in routine.variables)
    inputs = frozenset(name for routine in batch for name in routine.inputs)
    return [names - inputs, inputs] if backwards else [inputs, names - inputs]


def _part(routine: Routine, group: frozenset[str]) -> Routine:
    kept = {name: one for name, one in routine.variables.items() if name in group}
    return replace(routine, variables=kept)


CHECK: Check[AnyTrial] = Check(
    name="buffers/distance",
    asks="May inputs and outputs be more than 4 GiB apart, in both directions?",
    why=(
        "On 64-bit machines the heap, the stack and mapped files are. A difference of two "
        "addresses that is kept in 32 bits, with a sign or without, then leads elsewhere."
    ),
    cure="Keep differences of addresses in ptrdiff_t, or advance both pointers.",
    run=distance,
)

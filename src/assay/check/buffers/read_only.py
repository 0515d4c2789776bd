# SPDX-License-Identifier: MIT
"""Whether inputs may lie in memory that cannot be written to.

Code that changes a key and puts it back leaves no trace. So the pages of all inputs are made
read-only before the first call, and writing to them is a fault.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.routine import Routine
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentFault, AgentRefusal

LENGTH = 201


def read_only(trial: AnyTrial) -> None:
    """Perform all routines on inputs that cannot be written to."""
    for batch in trial.uses((LENGTH,)):
        with trial.fresh_session(sealed=False) as session:  # a sealed agent cannot protect pages
            if session.agent.page_bytes == 0:
                raise CheckSkipped("memory cannot be protected here")
            arena = Arena(session)
            _protect(arena, batch)
            for routine in batch:
                _perform(arena, routine)


def _protect(arena: Arena, batch: Batch) -> None:
    """Lay out all variables, and forbid writing to the inputs."""
    for routine in batch:
        arena.lay(routine)
        arena.fill(routine)
    arena.session.settle()
    for name in {name for routine in batch for name in routine.inputs}:
        try:
            arena.session.agent.protect(arena.buffer(name))
        except AgentRefusal:
            raise CheckSkipped("memory cannot be protected here") from None


def _perform(arena: Arena, routine: Routine) -> None:
    try:
        arena.use(routine)
        arena.session.settle()
    except AgentFault as fault:
        if fault.inside in routine.inputs:
            what = f"{routine.name} writes to its input {fault.inside}"
            raise CheckFailed(what, str(fault)) from None
        raise


CHECK: Check[AnyTrial] = Check(
    name="buffers/read-only-inputs",
    asks="May keys, messages and all other inputs lie in read-only memory?",
    why=(
        "Constant keys lie there, and so do files that a program has mapped. Code that changes "
        "an input for a while is also wrong where two threads use one key."
    ),
    cure="Copy data before changing it, into the context or a local array.",
    run=read_only,
)

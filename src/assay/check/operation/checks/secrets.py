# SPDX-License-Identifier: MIT
"""Under valgrind: what is secret of an operation.

The same rules as SUPERCOP's TIMECOP: public are public keys, nonces of streams and boxes,
and ciphertexts; all else that goes in, and all randomness, is secret; `crypto_declassify`
makes bytes public.
"""

from assay.check.arena import Arena
from assay.check.bench import UnderValgrind
from assay.check.lengths.far import marked
from assay.check.memory import valgrind
from assay.check.memory.passes import fence_all, watched
from assay.check.operation.routines import OperationUse, fresh, groups
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession, marks_secrets
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome
from assay.compile.visible import Visible
from assay.execute.agent import AgentError
from assay.execute.valgrind import Complaint

LENGTHS = (0, 1, 37, 64, 200, 1100)


def _exercised(
    trial: OperationTrial, checked: UnderValgrind, visible: Visible, found: list[Complaint]
) -> None:
    """Call everything in turn: what a call has written is public or secret by its role then."""
    with watched(checked, visible, found) as agent:
        if not marks_secrets(agent):
            raise AgentError("the agent was compiled without valgrind's headers")
        session = OperationSession(agent, trial.subject)
        for one in groups(trial.subject, (*LENGTHS, *marked(trial))):
            agent.forget_buffers()
            arena = Arena(session)

            def perform(routine: Routine, arena: Arena = arena) -> RoutineOutcome:
                return _marked(session, arena, routine)

            for _ in OperationUse(trial.subject, one, fresh(trial.bytes, one)).in_turn(perform):
                pass


def _marked(session: OperationSession, arena: Arena, routine: Routine) -> RoutineOutcome:
    """Perform a call with its secret inputs marked."""
    arena.lay(routine)
    arena.fill(routine)
    script = Script()
    for name, variable in routine.variables.items():
        if variable.secret and variable.value is not None:
            script.secret(arena.buffer(name), variable.size)
    session.run(script)
    fence_all(arena, routine)
    results = arena.go(routine.steps)
    outcome = arena.taken(routine, results).value
    arena.forget()
    return outcome


CHECKS = valgrind.checks(_exercised)

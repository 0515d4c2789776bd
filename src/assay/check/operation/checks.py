# SPDX-License-Identifier: MIT
"""All checks of the kind `operation`, in the order in which they are told.

Under valgrind the same is secret as with SUPERCOP's TIMECOP: public are public keys, nonces of
streams and boxes, and ciphertexts; all else that goes in, and all randomness, is secret;
`crypto_declassify` makes bytes public.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from assay.check import families
from assay.check.arena import Arena
from assay.check.bench import UnderValgrind
from assay.check.buffers import guard, inputs, places
from assay.check.calls import at_once, rare_failures, related
from assay.check.check import Check, sharing
from assay.check.entropy import drawn, randomness
from assay.check.keystream import repeats
from assay.check.lengths import beyond, beyond_4_gib, dependence, everywhere, splits
from assay.check.lengths.far import also_far, marked
from assay.check.memory import sanitized, valgrind
from assay.check.memory.passes import fence_all, watched
from assay.check.memory.varied import other_lengths
from assay.check.object import linked
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession, marks_secrets
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome
from assay.check.schemes import kem, library
from assay.check.schemes.checks import CHECKS as SCHEMES
from assay.check.schemes.sums import CHECKS as SUMS
from assay.check.seal import bits, ends, lengths, plaintext
from assay.check.state import earlier
from assay.check.supercop import long
from assay.check.supercop.checks import CHECKS as CHECKSUM_TESTS
from assay.check.supercop.long import unless_sparse
from assay.compile.visible import Visible
from assay.execute.agent import Agent, AgentError
from assay.execute.valgrind import Complaint

SANITIZED_LENGTHS = (0, 1, 15, 16, 64, 77, 200, 1025, 4097)
SECRET_LENGTHS = (0, 1, 37, 64, 200, 1100)
REFUSED = (37,)  # of what is changed on its way


def use(trial: OperationTrial, connect: Callable[[], Agent]) -> None:
    """Call everything; an agent that a report has ended is launched again."""
    for (batch,) in [tuple(trial.uses((length,))) for length in SANITIZED_LENGTHS]:
        with connect() as agent, suppress(AgentError):  # an error that is reported ends it
            Arena(trial.converse(agent)).outcome(batch[0])


def use_marked(
    trial: OperationTrial, checked: UnderValgrind, visible: Visible, found: list[Complaint]
) -> None:
    """Call everything in turn: what a call has written is public or secret by its role then."""
    with watched(checked, visible, found) as (agent, report):
        if not marks_secrets(agent):
            raise AgentError("the agent was compiled without valgrind's headers")
        session = OperationSession(agent, trial.subject)
        _use_all(trial, session, (*SECRET_LENGTHS, *marked(trial)), REFUSED)
        if visible is Visible.PLAIN:
            for length in other_lengths(trial, report):
                _use_all(trial, session, (length,), (length,))


def _use_all(
    trial: OperationTrial,
    session: OperationSession,
    lengths: tuple[int, ...],
    refused: tuple[int, ...],
) -> None:
    """Call everything with messages of these lengths, and what is to be refused."""
    for _ in trial.computations(session, lengths, partial(_marked, session)):
        pass
    for routine in trial.refused(session, refused):
        session.agent.forget_buffers()
        _marked(session, Arena(session), routine)


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


CHECKS: tuple[Check[OperationTrial], ...] = (
    linked.names(),  # the first, for randombytes of one's own makes other checksums
    *sharing("checksum", long.asked(CHECKSUM_TESTS)),
    *also_far((bits.CHANGED_BITS,)),
    lengths.LENGTHS_CHECK,
    ends.CHECK,
    lengths.PAIRS_CHECK,
    *also_far((bits.CHANGED_INPUTS, plaintext.PLAINTEXT)),
    plaintext.UNDONE,
    *SCHEMES,
    *SUMS,
    beyond_4_gib.LONG,
    library.CHECK,
    *kem.CHECKS,
    related.RELATED,
    randomness.RANDOMNESS,
    rare_failures.CHECK,
    drawn.CHECK,
    randomness.NONCES,
    drawn.GENERATOR,
    *also_far((guard.CHECK,)),
    places.DISTANCE,
    randomness.DRAWN_IN_PLACE,
    *also_far((inputs.READ_ONLY,)),
    unless_sparse(beyond.BEYOND_4_KIB),
    unless_sparse(beyond.BEYOND_4_MIB),
    beyond.BEYOND_2_GIB,
    beyond_4_gib.BEYOND_4_GIB,
    unless_sparse(repeats.KEYSTREAM),
    *also_far((everywhere.CHECK,), few=True),
    everywhere.OWN_BYTES,
    unless_sparse(dependence.DEPENDENCE),
    dependence.EVERY,
    splits.NULL,
    related.ORDER,
    *families.STATE,
    earlier.STATIC_MEMORY,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *also_far((at_once.CHECK,)),
    at_once.FIRST_CHECK,
    *families.OBJECT,
    *linked.CHECKS,
    *families.ABI,
    *valgrind.checks(use_marked),
    *sanitized.checks(use),
)

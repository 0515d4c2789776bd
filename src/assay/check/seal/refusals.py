# SPDX-License-Identifier: MIT
"""What becomes of attempts to deceive: each must be refused, with few excuses."""

import time
from collections.abc import Iterable

from assay.check.arena import Arena, Placement, ordinary
from assay.check.check import CheckFailed, CheckFinding
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import RoutineOutcome
from assay.check.seal.openings import STRICT_SIGNATURES, Opening
from assay.model.operation import Op

CCA = "goal-indcca2"  # of primitives that promise security against chosen ciphertexts
RELATED = 4  # messages of which less than one bit in so many differs are no strangers


def promises_cca(trial: OperationTrial) -> bool:
    """Return whether the primitive declares security against chosen ciphertexts."""
    folder = trial.details.tree / trial.subject.operation / trial.subject.primitive
    return (folder / CCA).is_file()


def refuse_all(
    trial: OperationTrial,
    session: OperationSession,
    seconds: float,
    tried: Iterable[Opening],
    place: Placement = ordinary,
) -> str:
    """Fail if one of the attempts is accepted; return the remark on those left out."""
    attempts = tuple(tried)
    usual_seconds = _usual_seconds(session, attempts)
    budget, arena = trial.budget(seconds), Arena(session, place)
    session.agent.forget_buffers()
    with session.waiting(usual_seconds):
        asked = [(one, arena.use(one.routine)) for one in budget.each(session, attempts)]
    for one, results in asked:
        if results and results.of(one.routine.steps)[0] == (0,):
            _accepted(trial, arena, one)
    return budget.remark("forgeries")


def _usual_seconds(session: OperationSession, attempts: tuple[Opening, ...]) -> float:
    """Return how long the call takes that the first attempt was made of, in ordinary buffers."""
    genuine = attempts[0].genuine if attempts else None
    if genuine is None:
        return 0.0
    session.agent.forget_buffers()
    began = time.monotonic()
    Arena(session).outcome(genuine)
    return time.monotonic() - began


def _accepted(trial: OperationTrial, arena: Arena, one: Opening) -> None:
    """Raise what is to be said of an accepted forgery."""
    reason = f"{one.step.function} accepts {one.about}"
    evidence = f"{one.routine.name}\n{inputs(one.routine)}"
    excuse = _excuse(trial, arena, one)
    if not excuse:
        raise CheckFailed(reason, evidence)
    raise CheckFinding(f"{reason}, {excuse}", evidence)


def _excuse(trial: OperationTrial, arena: Arena, one: Opening) -> str:
    """Return why accepting a forgery need not be wrong; nothing if it is.

    SUPERCOP's own test accepts a changed signature that opens to the same message. Anybody can
    encrypt to a public key, so a changed ciphertext may open to a message of a stranger, but
    under chosen ciphertexts to none that has to do with the true one.
    """
    operation, primitive = trial.subject.operation, trial.subject.primitive
    if operation == Op.SIGN and primitive not in STRICT_SIGNATURES and one.genuine:
        same = arena.outcome(one.genuine) == arena.outcome(one.routine)
        same_text = "and opens it to the same message: not every scheme excludes that"
        return same_text if same else ""
    if operation != Op.ENCRYPT or one.genuine is None:
        return ""
    if not _related(arena.outcome(one.genuine), arena.outcome(one.routine)):
        return "and opens it to another message: not every scheme excludes that"
    return "" if promises_cca(trial) else f"and does not declare {CCA}"


def _related(one: RoutineOutcome, other: RoutineOutcome) -> bool:
    """Return whether messages are equal, or differ in a few bits."""
    return all(_near(one.outputs[name], other.outputs[name]) for name in one.outputs)


def _near(one: bytes, other: bytes) -> bool:
    size = min(len(one), len(other))
    bits = int.from_bytes(one[:size], "little") ^ int.from_bytes(other[:size], "little")
    return bits.bit_count() * RELATED < 8 * size or not size

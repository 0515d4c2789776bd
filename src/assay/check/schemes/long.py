# SPDX-License-Identifier: MIT
"""Digests and tags of megabytes, where those of another implementation are at hand."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.operation.checks.beyond_4_gib import LongCall, lengthened, performed
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes.library import Running, running_hash, running_mac
from assay.model.operation import Op

LENGTH = (5 << 20) + 77  # more than 2^25 bits, and than 2^22 bytes
PROBE = 1 << 16
SECONDS = 0.4
KEY = 32  # bytes


def run_long(trial: OperationTrial) -> str:
    """Hash or authenticate zeros, and compare."""
    _known(trial, bytes(KEY))
    with trial.session() as session:
        *_, batch = trial.computations(session, (1,))
        session.agent.forget_buffers()
        routine = next(one for one in batch if one.steps[0].number == session.number(""))
        (name,) = lengthened(routine)
        call, arena = LongCall(routine, name), Arena(session)
        arena.lay(routine)
        _skip_if_slow(trial, session, arena, call)
        found = performed(session, arena, call, LENGTH)
    key = routine.variables["k"].value if "k" in routine.variables else None
    expected = _known(trial, key or b"").of_zeros(LENGTH)
    (actual,) = found.outputs.values()
    if actual != expected:
        raise CheckFailed(
            f"{routine.steps[0].function} is wrong for {LENGTH} zeros",
            f"expected {expected.hex()}\nactual   {actual.hex()}\n",
        )
    return ""


def _known(trial: OperationTrial, key: bytes) -> Running:
    """Return what the other implementation computes; CheckInapplicable if there is none."""
    if trial.subject.operation == Op.HASH:
        found = running_hash(trial.subject.primitive, trial.subject.constant("BYTES"))
    else:
        found = running_mac(trial.subject, key)
    if found is None:
        raise CheckInapplicable("the bench has no other implementation of the primitive")
    return found


def _skip_if_slow(
    trial: OperationTrial, session: OperationSession, arena: Arena, call: LongCall
) -> None:
    budget = trial.budget(SECONDS)
    with budget.spending(session.agent):
        performed(session, arena, call, PROBE)
    seconds = budget.used * LENGTH / PROBE
    if seconds > budget.seconds:
        raise CheckSkipped(f"the code is slow: it would take {seconds:.1f} seconds")


CHECK: Check[OperationTrial] = Check(
    "schemes/long",
    "Are digests and tags of 5 MiB those of another implementation?",
    (
        "A number of bits that is kept in 24 or 25 bits, or a number of blocks in 16, is right "
        "for every vector. Asked of SHA-1, SHA-2, SHA-3, BLAKE2, HMAC and Poly1305."
    ),
    "Keep lengths, and the numbers computed from them, as wide as the API's type.",
    run_long,
)

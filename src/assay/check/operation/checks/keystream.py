# SPDX-License-Identifier: MIT
"""Whether the keystream of an operation repeats within a long message.

Streams have a check of their own, which goes further. Here one call takes the whole message,
which is zeros, so that a keystream that repeats is seen in the output.
"""

from dataclasses import replace

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.operation.script import ZEROS, Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine
from assay.execute.places import Buffer
from assay.model.api import Role

MIB = 1 << 20
BYTES, DEEP_BYTES = 5 * MIB, 80 * MIB  # beyond counters of 16 and of 20 bits
PROBE = 1 << 16
SECONDS, DEEP_SECONDS = 0.4, 40.0
RUN = 32  # bytes that do not come again by chance
FIRST = 128  # of them, behind what stands before a message
GROWING = (Role.MESSAGE, Role.CIPHERTEXT)


def run_keystream(trial: OperationTrial) -> str:
    """Encrypt zeros, and look for the end and the beginning of the output elsewhere in it."""
    suffixes = trial.operation.keystreams
    if not suffixes:
        raise CheckInapplicable("the operation has no keystream")
    if trial.bench is not None and not trial.bench.target.is_native:
        raise CheckInapplicable("messages of megabytes are processed on this machine only")
    length = DEEP_BYTES if trial.deep else BYTES
    with trial.session() as session:
        *_, batch = trial.computations(session, (FIRST,))
        for number in map(session.number, suffixes):
            routine = next(one for one in batch if one.steps[0].number == number)
            seconds = _seconds(trial, session, routine) * length / PROBE
            if seconds > trial.budget(DEEP_SECONDS if trial.deep else SECONDS).seconds:
                raise CheckSkipped(f"the code is slow: it would take {seconds:.1f} seconds")
            _look(routine, _encrypted(session, routine, length))
    return ""


def _seconds(trial: OperationTrial, session: OperationSession, routine: Routine) -> float:
    """Return how long a short message takes."""
    budget = trial.budget()
    with budget.spending(session.agent):
        _encrypted(session, routine, PROBE)
    return budget.used


def _encrypted(session: OperationSession, routine: Routine, length: int) -> bytes:
    """Return what becomes of so many zeros."""
    variables, more = routine.variables, length - FIRST
    output = next(one for one in routine.outputs if variables[one].role in GROWING)
    longer = replace(variables[output], size=variables[output].size + more)
    (step,) = routine.steps
    session.agent.forget_buffers()
    arena = Arena(session)
    arena.lay(laid := replace(routine, variables={**variables, output: longer}))
    arena.fill(laid)
    arguments, zeros = [arena.resolved(one) for one in step.arguments], length
    for at, one in enumerate(step.arguments[:-1]):
        count = arguments[at + 1]
        if (
            isinstance(one, Buffer)
            and variables[one.label].role in GROWING
            and isinstance(count, int)
        ):
            arguments[at + 1] = zeros = count + more
            arguments[at] = arguments[at] if one.label == output else ZEROS
    script = Script()
    script.zeros(zeros)
    script.seed()
    script.call(step.number, arguments)
    session.run(script)
    return session.agent.read(arena.buffer(output), longer.size)


def _look(routine: Routine, stream: bytes) -> None:
    """Raise CheckFailed if a run of bytes comes twice."""
    for at in (FIRST, len(stream) - 2 * RUN):
        run = stream[at : at + RUN]
        again = stream.find(run)
        again = stream.find(run, at + 1) if again == at else again
        if again >= 0:
            raise CheckFailed(
                f"{routine.steps[0].function} of {len(stream)} bytes: bytes {at} to "
                f"{at + RUN - 1} of the output come again from byte {again} on",
                f"of zeros\n{run.hex().upper()}\n",
            )


CHECK = Check(
    "lengths/keystream",
    "Is the keystream of a message of 5 MiB free of repetitions?",
    (
        "A counter of 16 bits begins again after 4 MiB, and what was encrypted there can be "
        "read. No test vector is so long. With `--deep` the message has 80 MiB."
    ),
    "Give the counter the specified width, and carry into all of it.",
    run_keystream,
)

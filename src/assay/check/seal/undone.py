# SPDX-License-Identifier: MIT
"""Whether plaintext stands in the output of a call that refuses, and is erased before it returns.

The pages of the output are watched: each write is let through and looked at. Most APIs allow it;
an output that others see, in shared memory or by another thread, has had it all the same.
"""

from assay.check.arena import FILLING, Arena
from assay.check.check import Check, CheckFinding, CheckInapplicable, CheckSkipped
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.seal.openings import Opening, openings
from assay.execute.agent import AgentRefusal
from assay.execute.protocol import PayloadReader
from assay.model.api import Role, Way

LENGTH = 256
SECOND = "expected"
SECOND_NUMBER = 40
HALF = 2  # of the message stood in the output


def run_undone(trial: OperationTrial) -> None:
    """Damage the end of what was sealed, and watch the output of the refusal."""
    if not any(map(trial.operation.decrypts, trial.operation.opening)):
        raise CheckInapplicable("nothing is decrypted")
    with trial.fresh_session(sealed=False) as session:
        if session.agent.page_bytes == 0:
            raise CheckSkipped("memory cannot be protected here")
        for opening in openings(trial, session, LENGTH):
            _watch(trial, session, opening)


def _watch(trial: OperationTrial, session: OperationSession, opening: Opening) -> None:
    """Open a genuine ciphertext for its message, then a damaged one that is watched."""
    names = [
        name
        for name in opening.routine.having(Role.MESSAGE)
        if opening.routine.variables[name].way is Way.OUT
    ] or [one for one in opening.routine.outputs if opening.routine.variables[one].size >= LENGTH]
    if not names:
        return
    name = names[0]
    session.agent.forget_buffers()
    arena = Arena(session)
    true = arena.outcome(opening.routine).outputs[name]
    (sealed, *_) = opening.sealed
    forged = opening.with_bits(sealed, (len(opening.value(sealed)) - 1, 0)).routine
    arena.lay(forged)
    arena.fill(forged, FILLING)
    expected = session.agent.buffer(SECOND, max(len(true), 1), number=SECOND_NUMBER)
    session.agent.write(expected, true)
    session.agent.flush()
    script = Script()
    script.seed(session.seed)
    script.watch(arena.buffer(name), expected, len(true))
    (step,) = forged.steps
    script.call(step.number, [arena.resolved(one) for one in step.arguments])
    script.watched()
    try:
        reader = PayloadReader(session.run(script))
    except AgentRefusal:
        raise CheckSkipped("writes cannot be watched here") from None
    result, writes, most = reader.number(8), reader.number(8), reader.number(8)
    zeros = trial.subject.constant("ZEROBYTES")
    if result and HALF * (most - zeros) > len(true) - zeros:
        raise CheckFinding(
            f"{step.function} refuses what was changed after {most} of {len(true)} bytes of the "
            f"message stood in {name}, in {writes} writes"
        )


CHECK = Check(
    "forgeries/undone",
    "Does no plaintext stand in the output while a forgery is being refused?",
    (
        "A decryption that writes plaintext, finds the tag wrong and erases it leaves the output "
        "clean. Another thread, or a peer that shares the memory, has seen what nobody has "
        "authenticated. APIs allow it, and one pass over the data needs it: a finding."
    ),
    "Compare the tag before decrypting, or decrypt into memory of your own.",
    run_undone,
)

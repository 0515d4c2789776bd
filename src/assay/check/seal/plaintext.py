# SPDX-License-Identifier: MIT
"""Whether a refused message stays in the output.

Whether it may is a matter of each operation's rules. An AEAD's decryption has one output, a
plaintext or a failure (RFC 5116, section 2.2): a caller who gets both uses what nobody has
authenticated, so it fails. Of its boxes and signatures NaCl says that opening returns -1,
possibly after modifying the output: that is a finding, there and for public-key encryption.
"""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.seal.openings import Opening, opened, openings
from assay.model.operation import Op

LENGTHS = (37, 64, 1025)
MOST_RUNS = 64  # of them that are looked for; what stays behind is more than one
RUN = 16  # bytes of a message that do not come again by chance


def run_plaintext(trial: OperationTrial) -> None:
    """Damage what was sealed in three places, and look at the output of the refusal."""
    if trial.operation.opening and not any(map(trial.operation.decrypts, trial.operation.opening)):
        raise CheckInapplicable("nothing is decrypted")
    with trial.session() as session:
        for length in trial.asked(LENGTHS):
            for opening in openings(trial, session, length):
                _left(trial, session, opening)


def _left(trial: OperationTrial, session: OperationSession, opening: Opening) -> None:
    session.agent.forget_buffers()
    arena = Arena(session)
    _, true = opened(arena, opening)
    (name,) = opening.sealed
    first, size = trial.subject.constant("BOXZEROBYTES"), len(opening.value(name))
    for at in (first, (first + size) // 2, size - 1):
        forged = opening.with_bits(name, (at, trial.random.randrange(8)))
        result, outputs = opened(arena, forged)
        if result == 0:
            continue  # forgeries/bits reports it
        shown = _common(trial, true, outputs)
        if shown:
            _report(trial, forged, shown)


def _common(trial: OperationTrial, true: dict[str, bytes], outputs: dict[str, bytes]) -> str:
    """Return the first run of the message that an output has."""
    begin = trial.subject.constant("ZEROBYTES")
    for name, value in true.items():
        message = value[begin:]
        runs = range(0, len(message) - RUN + 1, RUN)
        for at in runs if len(runs) <= MOST_RUNS else trial.random.sample(runs, MOST_RUNS):
            piece = message[at : at + RUN]
            if len(set(piece)) > RUN // 4 and piece in outputs.get(name, b""):
                return f"{name} has bytes {at} to {at + RUN - 1} of the message: {piece.hex()}"
    return ""


def _report(trial: OperationTrial, forged: Opening, shown: str) -> None:
    reason = (
        f"{forged.step.function} refuses what was changed and leaves the message in its output"
    )
    evidence = f"{forged.routine.name}, with {forged.about}\n{shown}\n"
    if trial.subject.operation == Op.AEAD:
        raise CheckFailed(reason, evidence)
    raise CheckFinding(f"{reason}, as NaCl's rules allow", evidence)


CHECK = Check(
    "forgeries/plaintext",
    "Does nothing of a refused message stay in the output?",
    (
        "Callers who overlook a result use what nobody has authenticated. RFC 5116 allows an "
        "AEAD's decryption no output but the failure; NaCl leaves the output of its boxes and "
        "signatures open, so that there it is a finding."
    ),
    "Compare the tag before decrypting, or clear the output.",
    run_plaintext,
)

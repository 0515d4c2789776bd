# SPDX-License-Identifier: MIT
"""Whether a refusal leaves the message or another secret in its output, at the end or meanwhile.

Whether it may is a matter of each operation's rules. An AEAD's decryption has one output, a
plaintext or a failure (RFC 5116, section 2.2): a caller who gets both uses what nobody has
authenticated, so it fails. Of its boxes and signatures NaCl says that opening returns -1,
possibly after modifying the output: that is a finding, there and for public-key encryption.

Then the pages of the output are watched: each write is let through and looked at. Most APIs allow
it; an output that others see, in shared memory or by another thread, has had it all the same.
"""

from itertools import chain

from assay.check.arena import FILLING, Arena
from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckSkipped,
    refusal_means,
)
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.seal.openings import Opening, opened, openings
from assay.execute.protocol import PayloadReader
from assay.model.api import Role, Way
from assay.model.operation import Op

LENGTHS = (37, 64, 1025)
MOST_RUNS = 64  # of them that are looked for; what stays behind is more than one
RUN = 16  # bytes of a message that do not come again by chance
REFUSES = "refuses what was changed"

LENGTH = 256
SECOND = "expected"
SECOND_NUMBER = 40
HALF = 2  # of the message stood in the output


def run_plaintext(trial: OperationTrial) -> None:
    """Damage what was sealed in three places, and look at the output of the refusal."""
    if trial.operation.opening and not any(map(trial.operation.decrypts, trial.operation.opening)):
        raise CheckInapplicable("nothing is decrypted")
    with trial.session() as session:
        for length in trial.asked(LENGTHS):
            for opening in openings(trial, session, length):
                _left(trial, session, opening)


def _left(trial: OperationTrial, session: OperationSession, opening: Opening) -> None:
    arena = Arena.alone(session)
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
            reason = f"{forged.step.function} {REFUSES} and leaves the message in its output"
            _report(trial, forged, reason, shown)
    _of_the_key(trial, arena, forged)


def _common(trial: OperationTrial, true: dict[str, bytes], outputs: dict[str, bytes]) -> str:
    """Return the first run of the message that an output has."""
    begin = trial.subject.constant("ZEROBYTES")
    for name, value in true.items():
        message = value[begin:]
        runs = range(0, len(message) - RUN + 1, RUN)
        for at in runs if len(runs) <= MOST_RUNS else trial.some(runs, MOST_RUNS):
            piece = message[at : at + RUN]
            if len(set(piece)) > RUN // 4 and piece in outputs.get(name, b""):
                return f"{name} has bytes {at} to {at + RUN - 1} of the message: {piece.hex()}"
    return ""


def _of_the_key(trial: OperationTrial, arena: Arena, forged: Opening) -> None:
    """Report outputs of a refusal that another key, which refuses it too, leaves otherwise.

    The right tag, or a shared key, is worth more than the message, and has no known bytes.
    """
    keys = forged.routine.having(Role.KEY)
    if not keys:
        return
    stranger = forged
    for name in keys:
        stranger = stranger.given(name, trial.bytes(len(forged.value(name))), "")
    (refused, left), (also, others) = (_left_by(arena, one) for one in (forged, stranger))
    names = [name for name in left if left[name] != others[name]]
    if refused and also and names:
        reason = f"{forged.step.function} {REFUSES}, and {names[0]} then depends on the key"
        pairs = enumerate(zip(left[names[0]], others[names[0]], strict=True))
        at = next(at for at, (one, another) in pairs if one != another)
        shown = f"byte {at} of {names[0]} is the first that another key leaves otherwise"
        _report(trial, forged, reason, shown)


def _left_by(arena: Arena, one: Opening) -> tuple[int, dict[str, bytes]]:
    """Perform a call; return its result, and all bytes of its outputs with their lengths."""
    pending = arena.begin(one.routine)
    arena.session.settle()
    results, lengths = pending.results.of(one.routine.steps) if pending.results else ((0,), {})
    written = {f"the length of {name}": n.to_bytes(8, "little") for name, n in lengths.items()}
    return results[0], written | {name: one.data for name, one in pending.outputs.items()}


def _report(trial: OperationTrial, forged: Opening, reason: str, shown: str) -> None:
    evidence = f"{forged.routine.name}, with {forged.about}\n{shown}\n"
    if trial.subject.operation == Op.AEAD:
        raise CheckFailed(reason, evidence)
    raise CheckFinding(f"{reason}, as NaCl's rules allow", evidence)


PLAINTEXT = Check(
    "forgeries/plaintext",
    "Does nothing of a refused message, or of the key, stay in the output?",
    (
        "Callers who overlook a result use what nobody has authenticated, and often pass it on: "
        "with the tag that would have been right, a forgery. RFC 5116 allows an AEAD's decryption "
        "no output but the failure; NaCl leaves the output of its boxes and signatures open, so "
        "that there it is a finding."
    ),
    "Compare the tag before decrypting, or clear the output.",
    run_plaintext,
)


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
    variables = opening.routine.variables
    messages = (n for n in opening.routine.having(Role.MESSAGE) if variables[n].way is Way.OUT)
    long = (one for one in opening.routine.outputs if variables[one].size >= LENGTH)
    name = next(chain(messages, long), "")
    if not name:
        return
    arena = Arena.alone(session)
    true = arena.outcome(opening.routine).outputs[name]
    (sealed, *_) = opening.sealed
    forged = opening.with_bits(sealed, (len(opening.value(sealed)) - 1, 0)).routine
    arena.ready(forged, FILLING)
    expected = session.agent.buffer(SECOND, max(len(true), 1), number=SECOND_NUMBER)
    session.agent.write(expected, true)
    session.agent.flush()
    script = Script()
    script.seed(session.seed)
    script.watch(arena.buffer(name), expected, len(true))
    (step,) = forged.steps
    script.call(step.number, arena.arguments(step))
    script.watched()
    with refusal_means(CheckSkipped("writes cannot be watched here")):
        reader = PayloadReader(session.run(script))
    result, writes, most = reader.number(8), reader.number(8), reader.number(8)
    zeros = trial.subject.constant("ZEROBYTES")
    if result and HALF * (most - zeros) > len(true) - zeros:
        raise CheckFinding(
            f"{step.function} refuses what was changed after {most} of {len(true)} bytes of the "
            f"message stood in {name}, in {writes} writes"
        )


UNDONE = Check(
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

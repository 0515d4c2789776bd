# SPDX-License-Identifier: MIT
"""What SUPERCOP's tests ask of short messages, asked of long ones, and what sparse primitives are.

Primitives that leave out bytes of their input by definition are no defect of an implementation.
SUPERCOP's `crypto_xof/bitwrite16` sets one bit of the output for every two bytes, so a byte
may set a bit that is set, or one beyond the output, and outputs repeat after 8 KiB. That every
byte matters and nothing comes twice is a guess about a primitive, which published checksums
disprove. A package's own checksum files do not count, since whoever submits code that skips bytes
could write them; nor does a name. Of other operations there is no such primitive, and a hash
function has to process every byte.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from assay.check.arena import ROOM, SECOND_BASE, Arena
from assay.check.buffers.inputs import inputs_kept, refused_kept
from assay.check.buffers.places import alignments
from assay.check.check import Check, CheckFinding, CheckSkipped, Said
from assay.check.evidence import EqualPairs, require_equal
from assay.check.keystream.repeats import Repetition
from assay.check.lengths.apart import IdleByte
from assay.check.lengths.far import Stretch, also_far_by
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, added_up
from assay.check.supercop.checks import MISALIGNED
from assay.check.supercop.outcomes import outcomes
from assay.check.supercop.settings import Asked
from assay.check.trial import AnyTrial, Batch
from assay.model.api import Role
from assay.model.operation import Op

MOVED = (Role.MESSAGE, Role.CIPHERTEXT)

CURE = "Compare it with another implementation (`--against`), also for long messages."
# The small and the big checksum, from SUPERCOP 20260330.
PUBLISHED: dict[str, dict[tuple[str, str], str]] = {
    Op.XOF: {
        (
            "2a0c679fd13fe74f21610d5377326b5089346cb6b24dbd4524f1dbd357d57180",
            "375a8005efef8dda9b2277c93b8ef7e099acfd82df96f458f01d51b702846dd3",
        ): "bitwrite16"
    }
}


def overlaps(trial: OperationTrial) -> None:
    """Let each output stand where an input is."""
    apart = {call.suffix for call in trial.operation.tests.calls if call.apart}
    if trial.subject.constant("NOOVERLAP") == 1:
        raise CheckSkipped("api.h excludes outputs that overlap inputs (NOOVERLAP)")
    with trial.session() as session:
        for batch in trial.computations(session, (0,)):
            separate, together = Arena.alone(session), Arena(session, base=SECOND_BASE)
            pairs = EqualPairs(separate)
            for routine in batch:
                twins = tuple(_twins(routine))
                if not twins or trial.suffix(routine) in apart or trial.draws(routine):
                    continue
                expected = separate.begin(routine)
                for output, source in twins:
                    together.share(_shared(routine, output, source))
                    complaint = f"{routine.name} gives another result with {output} at {source}"
                    pairs.expect(complaint, expected, together.begin(routine))
            pairs.judge()


def _twins(routine: Routine) -> Iterator[tuple[str, str]]:
    """Yield outputs with the inputs that they may overwrite."""
    for source in routine.inputs:
        if routine.variables[source].role in MOVED:
            yield from ((output, source) for output in routine.outputs)


def _shared(routine: Routine, output: str, source: str) -> dict[str, str]:
    """Let the larger of two variables have the buffer."""
    larger = routine.variables[output].size > routine.variables[source].size + ROOM
    return {source: output} if larger else {output: source}


def agreement(trial: OperationTrial) -> None:
    """Compare what seals in one call with what seals under a key that was computed before.

    Of a stream cipher the sum of message and ciphertext is compared with the stream.
    """
    names = [one.seal for one in trial.operation.seals if one.seal is not None]
    with trial.session() as session:
        for batch in trial.computations(session, (0,)):
            sealing = [one for one in batch if trial.suffix(one) in names]
            _equal(trial, Arena(session), tuple(sealing))
            for call in trial.operation.tests.calls:
                if call.xor:
                    _require_sum(Arena(session), batch, call.xor)


def _require_sum(arena: Arena, batch: Batch, names: tuple[str, ...]) -> None:
    """Raise CheckFailed unless the ciphertext is the sum of the stream and the message."""
    stream, message, both = names
    (alone,) = (one for one in batch if stream in one.outputs)
    (added,) = (one for one in batch if {message, both} <= one.variables.keys())
    arena.session.agent.forget_buffers()
    text = added.value(message)
    expected = added_up(arena.outcome(alone).outputs[stream], text)
    complaint = f"{added.name} gives another result than adding the stream"
    require_equal(added, complaint, both, expected, arena.outcome(added).outputs[both])


def _equal(trial: OperationTrial, arena: Arena, sealing: Batch) -> None:
    """Raise CheckFailed unless all functions make the same of one message."""
    if len(sealing) < 2 or any(trial.draws(one) for one in sealing):
        return
    arena.session.agent.forget_buffers()
    first, *others = ((one, arena.outcome(one).outputs) for one in sealing)
    (expected,) = first[1].values()
    for routine, outputs in others:
        ((name, actual),) = outputs.items()
        complaint = f"{routine.name} gives another result than {first[0].name}"
        require_equal(routine, complaint, name, expected, actual)


LONG: dict[str, Stretch[OperationTrial]] = {
    Asked.OVERLAP: overlaps,
    Asked.INPUTS: inputs_kept,
    MISALIGNED: alignments,
    Asked.CONSISTENT: agreement,
}


def asked(checks: tuple[Check[OperationTrial], ...]) -> tuple[Check[OperationTrial], ...]:
    """Return the checks; those of the table are asked of long messages, too."""
    more = (_also_refused(one) if one.name == Asked.INPUTS else one for one in checks)
    return tuple(also_far_by(one, LONG[one.name]) if one.name in LONG else one for one in more)


def _also_refused(check: Check[OperationTrial]) -> Check[OperationTrial]:
    """Ask what SUPERCOP's tests ask after calls that succeed after others, too."""

    def both(trial: OperationTrial) -> Said:
        said = check.run(trial)
        refused_kept(trial)
        return said

    return replace(check, run=both)


def unless_sparse(check: Check[AnyTrial] | Check[OperationTrial]) -> Check[OperationTrial]:
    """Return the check with a finding where few bits of the primitive's inputs matter."""

    def run(trial: OperationTrial) -> Said:
        try:
            return check.run(trial)
        except (IdleByte, Repetition) as guess:
            primitive = _sparse(trial)
            if not primitive:
                raise
            reason = f"the outputs have the checksums of {primitive}, which is sparse"
            raise CheckFinding(f"{guess} ({reason} by definition)", cure=CURE) from None

    return check.answered_by(run)


def _sparse(trial: OperationTrial) -> str:
    """Name the primitive of which the outputs are, if it is sparse; empty if not."""
    operation = trial.subject.operation
    if operation not in PUBLISHED:
        return ""
    try:
        found = tuple(one.checksum for one in outcomes(trial).runs if not one.left_out)
    except CheckSkipped:
        return ""
    for sums, name in PUBLISHED[operation].items():
        if found and found == sums[: len(found)]:
            return f"{operation}/{name}"
    return ""

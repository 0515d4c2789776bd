# SPDX-License-Identifier: MIT
"""What SUPERCOP's tests ask of messages of up to 4,096 bytes, asked of longer ones."""

from collections.abc import Iterator

from assay.check.arena import ROOM, SECOND_BASE, Arena
from assay.check.buffers.inputs import inputs_kept
from assay.check.buffers.places import alignments
from assay.check.check import Check, CheckSkipped
from assay.check.evidence import EqualPairs, require_equal
from assay.check.lengths.far import Stretch, also_far_by
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine
from assay.check.supercop.checks import MISALIGNED
from assay.check.supercop.settings import CONSISTENT, INPUTS, OVERLAP
from assay.check.trial import Batch
from assay.model.api import Role

MOVED = (Role.MESSAGE, Role.CIPHERTEXT)


def overlaps(trial: OperationTrial) -> None:
    """Let each output stand where an input is."""
    apart = {call.suffix for call in trial.operation.tests.calls if call.apart}
    if trial.subject.constant("NOOVERLAP") == 1:
        raise CheckSkipped("api.h excludes outputs that overlap inputs (NOOVERLAP)")
    with trial.session() as session:
        for batch in trial.computations(session, (0,)):
            session.agent.forget_buffers()
            separate, together = Arena(session), Arena(session, base=SECOND_BASE)
            pairs = EqualPairs(separate)
            for routine in batch:
                suffix = routine.steps[0].function.removeprefix(trial.subject.operation)
                twins = tuple(_twins(routine))
                if not twins or suffix in apart or trial.draws(routine):
                    continue
                expected = separate.begin(routine)
                for output, source in twins:
                    together.twin = _shared(routine, output, source)
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
    """Compare what seals in one call with what seals under a key that was computed before."""
    names = [one.seal for one in trial.operation.seals if one.seal is not None]
    with trial.session() as session:
        for batch in trial.computations(session, (0,)):
            sealing = [one for one in batch if _suffix(trial, one) in names]
            _equal(trial, Arena(session), tuple(sealing))


def _suffix(trial: OperationTrial, routine: Routine) -> str:
    return routine.steps[0].function.removeprefix(trial.subject.operation)


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
    OVERLAP: overlaps,
    INPUTS: inputs_kept,
    MISALIGNED: alignments,
    CONSISTENT: agreement,
}


def asked(checks: tuple[Check[OperationTrial], ...]) -> tuple[Check[OperationTrial], ...]:
    """Return the checks; those of the table are asked of long messages, too."""
    return tuple(also_far_by(one, LONG[one.name]) if one.name in LONG else one for one in checks)

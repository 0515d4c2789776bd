# SPDX-License-Identifier: MIT
"""Whether a longer output begins with a shorter one, where it may have any length.

So it is with keystreams, and with every function whose output does not depend on how much of it is
asked for. BLAKE2X is defined otherwise, so that of hashes it is a finding.
"""

from dataclasses import replace
from itertools import pairwise

from assay.check.arena import Arena
from assay.check.check import CheckFailed, CheckFinding
from assay.check.lengths.apart import special_lengths
from assay.check.operation.routines import OperationUse, function_of, group
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine
from assay.model.api import Way
from assay.model.operation import Op

EXTENDS = (Op.XOF, Op.CXOF, Op.STREAM)
MESSAGE = 37
SHORT, SOME = 300, 32  # lengths below, and how many of them
SECONDS = 0.2


def require_prefix(trial: OperationTrial) -> None:
    """Ask for outputs of short and of special lengths; each begins the next longer one."""
    if trial.subject.operation not in EXTENDS:
        return
    budget, kept = trial.budget(SECONDS), dict[str, bytes]()
    short = trial.random.sample(range(1, SHORT), SOME)
    with trial.session() as session:
        made: list[tuple[Routine, bytes]] = []
        for length in budget.each(session, sorted({*short, *special_lengths(trial)})):
            session.agent.forget_buffers()
            routine = _extended(trial, kept, length)
            (output,) = Arena(session).outcome(routine).outputs.values()
            made.append((routine, output))
    for (shorter, one), (_, other) in pairwise(made):
        if other[: len(one)] != one:
            reason = (
                f"{shorter.steps[0].function} gives {len(one)} bytes that are not those "
                f"with which {len(other)} bytes begin"
            )
            if trial.subject.operation == Op.STREAM:
                raise CheckFailed(reason)
            raise CheckFinding(f"{reason}: some functions are defined so")


def _extended(trial: OperationTrial, kept: dict[str, bytes], length: int) -> Routine:
    """Return the first call with so many bytes of output, and what is kept as inputs."""
    one = group(trial.subject, MESSAGE, length)
    task, *_ = one.tasks
    pairs = zip(task.arguments, function_of(trial.subject, task.suffix).parameters, strict=True)
    output = next(name for name, parameter in pairs if parameter.way is Way.OUT)
    for name, size in one.variables.items():
        kept.setdefault(name, trial.bytes(size))
    longer = replace(one, variables={**one.variables, output: length})
    return OperationUse(trial.subject, longer, kept).single(task, {})

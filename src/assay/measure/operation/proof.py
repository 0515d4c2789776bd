# SPDX-License-Identifier: MIT
"""Comparing what was written while the clock ran with what is written when it does not."""

from assay.measure.operation.bed import Bed
from assay.measure.operation.challenge import Challenge
from assay.measure.task import WrongOutput
from assay.model import OperationSubject


def require_right(bed: Bed, challenge: Challenge, lengths: tuple[int, ...]) -> None:
    """Compare what timed calls wrote into the pools of `bed`, and `lengths`.

    WrongOutput names the first call that differs. What is forged is not compared.
    """
    if challenge.task.forged:
        return
    _compare_lengths(bed, challenge, lengths)
    for name, right in challenge.outputs.items():
        _compare(bed, challenge, name, right)


def require_right_slice(timed: Challenge, alone: Challenge, subject: OperationSubject) -> None:
    """Compare a timed call with the same made alone; WrongOutput if it wrote something else."""
    what = f"{subject.operation}{timed.task.suffix}"
    if timed.lengths != alone.lengths:
        raise WrongOutput(f"while it was timed {what} wrote another length than alone")
    for name, right in alone.outputs.items():
        if timed.outputs[name] != right:
            raise WrongOutput(
                f"while it was timed {what} wrote another `{name}` than alone, in a call that "
                "was chosen"
            )


def _compare_lengths(bed: Bed, challenge: Challenge, timed: tuple[int, ...]) -> None:
    for number, (mine, theirs) in enumerate(zip(timed, challenge.lengths, strict=True)):
        if mine != theirs and number not in challenge.other:
            what = f"{bed.session.subject.operation}{challenge.task.suffix}"
            raise WrongOutput(
                f"while it was timed {what} wrote another length than when it was not: "
                f"{mine} instead of {theirs}, in call {number} of {bed.slices}"
            )


def _compare(bed: Bed, challenge: Challenge, name: str, right: bytes) -> None:
    """Compare what was written, but for what was refused: that does not matter."""
    mine, stride = bytearray(bed.session.agent.read(bed.pools[name])), bed.stride(name)
    for at in (number * stride for number in challenge.other):
        mine[at : at + stride] = right[at : at + stride]
    if mine == right:
        return
    at = next(i for i, (a, b) in enumerate(zip(mine, right, strict=True)) if a != b)
    number, offset = divmod(at, stride)
    what = f"{bed.session.subject.operation}{challenge.task.suffix}"
    raise WrongOutput(
        f"while it was timed {what} wrote another `{name}` than when it was not: "
        f"call {number} of {bed.slices} differs from byte {offset} on"
    )

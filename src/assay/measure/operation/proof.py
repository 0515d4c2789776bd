# SPDX-License-Identifier: MIT
"""Comparing what was written while the clock ran with what is written when it does not."""

from collections.abc import Iterator, Sequence

from assay.check.operation.bed import Bed, fill, forge, function_of
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedCall
from assay.execute.places import Register
from assay.measure.task import WrongOutput
from assay.model.api import Function, Way
from assay.model.timed import KEPT, LENGTH, WRITTEN

LENGTH_REGISTERS = (Register(0), Register(1))
RESULT_BYTES = 8
NOT_WRITTEN = (1 << 64) - 1  # as the agent has it, where it times


def prove(
    bed: Bed,
    proof: OperationSession,
    inputs: dict[str, bytes],
    seed: bytes,
    timed: Sequence[tuple[int, ...]],
) -> list[tuple[int, ...]]:
    """Have another agent do every call of a timed group, and compare all outputs.

    `timed` are the lengths that each task wrote while it was timed; those that it writes now
    are given. WrongOutput names the first variable and call that differ. Forgeries are made,
    so that both have the same pools, and not tried: what a function then writes does not matter.
    """
    other = Bed(proof, bed.group, bed.calls, bed.samples)
    other.make()
    fill(other, inputs, seed)
    kept: tuple[int, ...] = ()
    lengths: list[tuple[int, ...]] = []
    outputs: dict[str, TimedCall] = {}
    for task, told in zip(bed.group.tasks, timed, strict=True):
        lengths.append(())
        if task.forged:
            forge(other, task.forged)
            continue
        function = function_of(proof.subject, task.suffix)
        lengths[-1] = _perform(other, task, function, kept)
        _compare_lengths(bed, task, told, lengths[-1])
        kept = lengths[-1] or kept
        outputs |= dict.fromkeys(_written(task, function), task)
    for name, task in outputs.items():
        _compare(bed, other, name, task)
    return lengths


def _written(task: TimedCall, function: Function) -> Iterator[str]:
    for name, parameter in zip(task.arguments, function.parameters, strict=True):
        if parameter.way in (Way.OUT, Way.BOTH):
            yield name


def _perform(
    bed: Bed, task: TimedCall, function: Function, lengths: tuple[int, ...]
) -> tuple[int, ...]:
    """Call the function on every slice; give the lengths that it wrote, if it does."""
    script = Script()
    writes = any(one.way is Way.LENGTH_OUT for one in function.parameters)
    for number in range(bed.slices):
        known = lengths[number] if lengths else 0
        arguments = _arguments(bed, task, function, number, known)
        if writes:
            script.set(LENGTH_REGISTERS[0], NOT_WRITTEN)
        script.call(bed.session.number(task.suffix), arguments)
        if writes:
            script.give(LENGTH_REGISTERS[0])
    answer = bed.session.run(script)
    if not writes:
        return ()
    words = range(RESULT_BYTES, len(answer), 2 * RESULT_BYTES)
    return tuple(int.from_bytes(answer[at : at + RESULT_BYTES], "little") for at in words)


def _arguments(
    bed: Bed, task: TimedCall, function: Function, number: int, known: int
) -> list[Argument]:
    found: list[Argument] = []
    for name, parameter in zip(task.arguments, function.parameters, strict=True):
        if parameter.way is Way.LENGTH_OUT:
            found.append(LENGTH_REGISTERS[0])
        elif parameter.way is Way.LENGTH:
            own = bed.group.length(name.removeprefix(KEPT).removeprefix(LENGTH))
            found.append(known if name.startswith(KEPT) else own)
        else:
            found.append(bed.pools[name].at(bed.stride(name) * number))
    return found


def _compare_lengths(
    bed: Bed, task: TimedCall, timed: tuple[int, ...], proved: tuple[int, ...]
) -> None:
    """Raise WrongOutput unless calls wrote the same lengths when they were timed, possible ones.

    What decrypts or opens must come back to the length of the message.
    """
    what = f"{bed.session.subject.operation}{task.suffix}"
    for number, (mine, theirs) in enumerate(zip(timed, proved, strict=True)):
        if mine != theirs:
            raise WrongOutput(
                f"while it was timed {what} wrote another length than when it was not: "
                f"{mine} instead of {theirs}, in call {number} of {bed.slices}"
            )
    if not proved:
        return
    room = bed.group.variables[task.arguments[task.arguments.index(WRITTEN) - 1]]
    opens = any(one.startswith(KEPT) for one in task.arguments)
    least, most = (bed.group.length("m"),) * 2 if opens else (0, room)
    if not all(least <= one <= most for one in proved):
        wanted = str(most) if opens else f"at most {most}"
        raise WrongOutput(f"{what} wrote lengths up to {max(proved)}, and it must be {wanted}")


def _compare(bed: Bed, other: Bed, name: str, task: TimedCall) -> None:
    mine, theirs = (each.session.agent.read(each.pools[name]) for each in (bed, other))
    if mine == theirs:
        return
    at = next(i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b)
    number, offset = divmod(at, bed.stride(name))
    what = f"{bed.session.subject.operation}{task.suffix}"
    raise WrongOutput(
        f"while it was timed {what} wrote another `{name}` than when it was not: "
        f"call {number} of {bed.slices} differs from byte {offset} on"
    )

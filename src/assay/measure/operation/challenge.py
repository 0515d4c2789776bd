# SPDX-License-Identifier: MIT
"""What the calls of a task are given while they are timed, and what they must write.

Another agent, which is not timed, makes both: from fresh inputs it makes the calls that the task
depends on, so that a decryption is given a true ciphertext, and then those of the task itself.
Every task has inputs of its own. So the agent that is timed has never seen what it opens,
and a table of what it sealed before wins nothing.
"""

from collections.abc import Iterable
from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.operation.routines import TimedCall, TimedGroup, function_of
from assay.check.operation.script import Argument, Script
from assay.execute.places import Register
from assay.measure.audit import WrongOutput
from assay.measure.operation.bed import (
    Bed,
    begin_randomness,
    fill,
    forge,
    fresh_inputs,
    read_by,
    written_by,
)
from assay.measure.operation.parts import VERIFY, decisive, others
from assay.model import OperationSubject
from assay.model.api import Function, Way
from assay.model.timed import KEPT, LENGTH, WRITTEN

LENGTH_REGISTERS = (Register(0), Register(1))
RESULT_BYTES = 8
SEED_BYTES = 32
MOST_IN_VAIN = 5
NOT_WRITTEN = (1 << 64) - 1  # as the agent has it, where it times


class Challenge(Struct, frozen=True):
    """A task's inputs, and its right outputs: contents of pools by variable.

    `given` are the lengths that were written when what the task opens was made, one for each
    call; `lengths` those that its own calls must write. Its randomness begins at `seed`, and the
    masks of each sample's inputs at another. Of what is forged nothing is known: what a function
    then writes does not matter. The calls of slices in `other` have the other result.
    """

    task: TimedCall
    inputs: dict[str, bytes]
    given: tuple[int, ...]
    seed: bytes
    outputs: dict[str, bytes] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    mask_seeds: tuple[int, ...] = ()
    other: frozenset[int] = frozenset()


class Challenger(Struct, frozen=True):
    """Makes challenges in the bed of an agent that is not timed."""

    bed: Bed
    _scripts: dict[TimedCall, tuple[tuple[int, ...], Script]] = field(default_factory=dict)

    def make(self, task: TimedCall, random: Random) -> Challenge:
        """Make a challenge that nobody has seen; WrongOutput if lengths are impossible."""
        bed, given = self.bed, tuple[int, ...]()
        inputs, other = fresh_inputs(bed, random), others(bed, task, random)
        if bed.session.subject.operation == VERIFY:
            inputs |= {task.arguments[1]: _equal_in(bed, inputs, task.arguments, other)}
        fill(bed, inputs, _seed(random))
        before = list(needed(bed.session.subject, bed.group, task))
        for one in before:
            given = self._perform(one, given) or given
        changed = decisive(bed.group, task)
        if changed:
            forge(bed, changed, set(range(bed.slices)) - other if task.forged else other)
        made = {changed} | {name for one in before for name in self._written(one)}
        contents = {name: inputs[name] for name in task.arguments if name in inputs}
        contents |= self._read(made & contents.keys())
        seeds = tuple(random.getrandbits(64) for _ in range(bed.samples + 1))
        challenge = Challenge(task, contents, given, _seed(random))
        challenge = replace(challenge, mask_seeds=seeds, other=other)
        if task.forged:
            return challenge
        self._fall_out_of_step(challenge, random)
        return self.answered(challenge)

    def _fall_out_of_step(self, challenge: Challenge, random: Random) -> None:
        """Make a few calls for nothing.

        Code that does less from some call on, or in every so many, would otherwise write the
        same in both agents, as both make the same calls.
        """
        bed, task = self.bed, challenge.task
        calls = range(random.randint(1, min(MOST_IN_VAIN, bed.slices)))
        bed.session.run(calls_of(bed, task, challenge.given, calls))
        for name in self._written(task) & set(read_by(bed.session.subject, task)):
            bed.session.agent.write(bed.pools[name], challenge.inputs[name])

    def answered(self, challenge: Challenge) -> Challenge:
        """Make the calls themselves, of inputs that are there; return them with their outputs."""
        begin_randomness(self.bed, challenge.seed)
        lengths = self._perform(challenge.task, challenge.given, challenge.other)
        outputs = self._read(self._written(challenge.task))
        return replace(challenge, outputs=outputs, lengths=lengths)

    def _written(self, task: TimedCall) -> set[str]:
        return set(written_by(self.bed.session.subject, task))

    def _read(self, names: Iterable[str]) -> dict[str, bytes]:
        agent = self.bed.session.agent
        return {name: agent.read(self.bed.pools[name]) for name in names}

    def _perform(
        self, task: TimedCall, given: tuple[int, ...], refused: frozenset[int] = frozenset()
    ) -> tuple[int, ...]:
        """Make the calls of every slice; give the lengths that they wrote, if they do."""
        known, script = self._scripts.get(task, ((), None))
        if script is None or known != given:
            script = calls_of(self.bed, task, given, range(self.bed.slices))
            self._scripts[task] = given, script
        answer = self.bed.session.run(script)
        if not _writes_length(function_of(self.bed.session.subject, task.suffix)):
            return ()
        words = range(RESULT_BYTES, len(answer), 2 * RESULT_BYTES)
        lengths = tuple(int.from_bytes(answer[at : at + RESULT_BYTES], "little") for at in words)
        accepted = tuple(one for at, one in enumerate(lengths) if at not in refused)
        _require_possible(self.bed, task, accepted)
        return lengths


def _seed(random: Random) -> bytes:
    """Draw a seed of randomness, as a number: bytes are inputs, which a study draws otherwise."""
    return random.getrandbits(8 * SEED_BYTES).to_bytes(SEED_BYTES, "little")


def _equal_in(
    bed: Bed, inputs: dict[str, bytes], names: tuple[str, ...], slices: Iterable[int]
) -> bytes:
    """Return the second of two variables, which is the first in some slices."""
    first, second = (inputs[name] for name in names)
    found, stride = bytearray(second), bed.stride(names[1])
    for at in (number * stride for number in slices):
        found[at : at + stride] = first[at : at + stride]
    return bytes(found)


def needed(subject: OperationSubject, group: TimedGroup, task: TimedCall) -> list[TimedCall]:
    """Return the tasks of a group that make what a task reads, in their order."""
    found: list[TimedCall] = []
    wanted = set(read_by(subject, task))
    for one in reversed(group.tasks[: group.tasks.index(task)]):
        makes = set(written_by(subject, one))
        if not one.forged and makes & wanted:
            wanted = wanted - makes | set(read_by(subject, one))
            found.insert(0, one)
    return found


def calls_of(bed: Bed, task: TimedCall, given: tuple[int, ...], slices: Iterable[int]) -> Script:
    """Return a script that calls the function on slices, each with the length that it is given."""
    script, function = Script(), function_of(bed.session.subject, task.suffix)
    writes = _writes_length(function)
    for number in slices:
        known = given[number] if given else 0
        if writes:
            script.set(LENGTH_REGISTERS[0], NOT_WRITTEN)
        arguments = _arguments(bed, task, function, number, known)
        script.call(bed.session.number(task.suffix), arguments)
        if writes:
            script.give(LENGTH_REGISTERS[0])
    return script


def _writes_length(function: Function) -> bool:
    return any(one.way is Way.LENGTH_OUT for one in function.parameters)


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


def _require_possible(bed: Bed, task: TimedCall, lengths: tuple[int, ...]) -> None:
    """Raise WrongOutput unless there is room for so much.

    What decrypts or opens must come back to the length of the message.
    """
    room = bed.group.variables[task.arguments[task.arguments.index(WRITTEN) - 1]]
    opens = any(one.startswith(KEPT) for one in task.arguments)
    least, most = (bed.group.length("m"),) * 2 if opens else (0, room)
    if not all(least <= one <= most for one in lengths):
        wanted = str(most) if opens else f"at most {most}"
        what = f"{bed.session.subject.operation}{task.suffix}"
        raise WrongOutput(f"{what} wrote lengths up to {max(lengths)}, and it must be {wanted}")

# SPDX-License-Identifier: MIT
"""Counting an operation: what each of its functions executes, call by call, exactly.

The functions of a group are called one after another, on random inputs and random bytes of
randombytes that no code can know; before that once on others, which counts nothing. The agent's
own work in a call is that of a hollow one, with the same arguments, and is subtracted. Agents that
count nothing must return and write the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import CheckFailed
from assay.check.operation.routines import OperationUse, TimedCall, TimedGroup, fresh
from assay.check.operation.session import OperationSession
from assay.check.routine import Routine
from assay.execute.agent import Agent
from assay.measure.audit import WrongOutput, first_difference
from assay.measure.counted import CountedAgent
from assay.measure.task import NO_SIZES
from assay.model import OperationSubject, Sample
from assay.model.operation import SCORE, scores
from assay.model.operations import OPERATIONS


@dataclass(slots=True)
class CountedGroup:
    """The calls of a group in an agent that counts; `known` is what they read and wrote."""

    counter: CountedAgent
    subject: OperationSubject
    group: TimedGroup
    arena: Arena = field(init=False)
    known: dict[str, bytes] = field(default_factory=dict)

    def count(self) -> Iterator[Sample]:
        """Count all calls of the group, the second time that they are made."""
        session = OperationSession(self.counter.agent, self.subject)
        self.arena = Arena(session)
        for counts in (False, True):
            session.seed = self.counter.random.randbytes(len(session.seed))
            use = OperationUse(
                self.subject, self.group, fresh(self.counter.random.randbytes, self.group)
            )
            self.known = dict(use.values)
            for task in self.group.tasks:
                amount = self._call(session, use, task)
                if counts and task.key:
                    size = "-" if self.group.size is None else self.group.size
                    block = self.group.variables.get("m", 0)
                    yield Sample(f"{task.key}/{size}", NO_SIZES, 1, 1, block, (amount,))

    def _call(self, session: OperationSession, use: OperationUse, task: TimedCall) -> int:
        """Count a call, and note what it wrote."""
        routine = use.single(task, self._given(task))
        self.arena.lay(routine)
        self.arena.fill(routine)
        made = []
        amount = self.counter.take(
            lambda: made.append(session.perform(routine.steps, self.arena)),
            lambda: session.hollow(routine.steps, self.arena.resolved),
        )
        try:
            _, lengths = made[0].of(routine.steps)
        except CheckFailed as failed:
            raise WrongOutput(f"while it was counted {failed}") from None
        outputs = {
            name: self.arena.get(name, lengths.get(name, routine.variables[name].size)).data
            for name in routine.outputs
        }
        if not task.forged:
            self.known |= outputs
        expected = {} if task.forged else outputs
        proof = partial(_differs, routine, session.seed, expected, self.subject.implementation)
        self.counter.proofs.append(proof)
        return amount

    def _given(self, task: TimedCall) -> Mapping[str, bytes]:
        """Return what the call reads; a byte in the middle of what is forged is another one."""
        if not task.forged:
            return self.known
        value = bytearray(self.known[task.forged])
        value[len(value) // 2] ^= 1
        return self.known | {task.forged: bytes(value)}


def _differs(
    routine: Routine,
    seed: bytes,
    outputs: Mapping[str, bytes],
    implementation: str,
    agent: Agent,
    subject: OperationSubject,
) -> str:
    """Make the call in another agent, and return what differs.

    Another implementation may use the same random bytes in another way.
    """
    function = routine.steps[0].function
    operation = OPERATIONS[subject.operation]
    drawn = operation.draws(function.removeprefix(subject.operation), subject.constant)
    if drawn and subject.implementation != implementation:
        return ""
    session = OperationSession(agent, subject)
    session.seed = seed
    number = subject.functions.index(function.removeprefix(subject.operation))
    steps = tuple(replace(one, number=number) for one in routine.steps)
    try:
        found = Arena(session).outcome(replace(routine, steps=steps))
    except CheckFailed as failed:
        return str(failed)
    for name, expected in outputs.items():
        at = first_difference(expected, found.outputs[name])
        if at is not None:
            return f"{name} of {function}, from byte {at} on"
    return ""


def count_groups(
    subject: OperationSubject, groups: Iterable[TimedGroup], counter: CountedAgent
) -> Iterator[Sample]:
    """Count the calls of several groups, each in the places of the one before."""
    for group in groups:
        counter.agent.forget_buffers()
        yield from CountedGroup(counter, subject, group).count()


def count_score(
    subject: OperationSubject, group: TimedGroup, counter: CountedAgent
) -> Iterator[Sample]:
    """Count what implementations are compared by, all together."""
    parts = [
        one
        for one in count_groups(subject, (group,), counter)
        if scores(one.measure.split("/")[0])
    ]
    yield Sample(SCORE, NO_SIZES, 1, 1, 0, (sum(one.ticks[0] for one in parts),))

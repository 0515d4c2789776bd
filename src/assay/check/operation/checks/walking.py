# SPDX-License-Identifier: MIT
"""What the checks that repeat calls share: lengths, fresh inputs, and an eye on the time."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.check.check import CheckFailed
from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import TimedGroup, group, has_message
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import RecordedCall, ReferenceWalk
from assay.execute.agent import AgentFault, Buffer
from assay.execute.places import BufferPlace

SHORT_BYTES = 64
SECONDS = 0.6  # that a check may spend on one function of a slow implementation
SHORT_SECONDS = 0.15  # the same, of a further configuration
LENGTHS_FACTOR = 10  # for all lengths: few implementations need it, however busy the machine


@dataclass(frozen=True, slots=True)
class Clock:
    """Whether there is still time: a slow implementation is asked fewer questions."""

    seconds: float
    started: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Return whether the time is over."""
        return time.monotonic() - self.started > self.seconds


def clock(trial: OperationTrial, factor: float = 1) -> Clock:
    """Start the clock of a check that may take `factor` times as long as others."""
    return Clock(factor * (SECONDS if trial.thorough else SHORT_SECONDS))


def groups(trial: OperationTrial, lengths: tuple[int, ...]) -> Iterator[TimedGroup]:
    """Yield the groups for some lengths; one where the operation has no message.

    Associated data and outputs of variable length are as long as the message, and once
    more of another length.
    """
    if not has_message(trial.subject.operation):
        yield group(trial.subject, 0)
        return
    block = trial.subject.constant("BLOCKBYTES") or 1
    for length in lengths:
        yield group(trial.subject, length, length + length // (2 * block))


def fresh(trial: OperationTrial, one: TimedGroup) -> dict[str, bytes]:
    """Return unpredictable bytes for every variable, with zeros where there must be some."""
    found = {}
    for name, size in one.variables.items():
        zeros = one.zeros.get(name, 0)
        found[name] = bytes(zeros) + trial.bytes(size - zeros)
    return found


@dataclass(slots=True)
class AtGuard:
    """Places variables so that each ends exactly where memory does."""

    session: OperationSession
    largest: int
    buffers: dict[str, Buffer] = field(default_factory=dict)

    def __call__(self, name: str, size: int) -> BufferPlace:
        """Return the place of a variable."""
        known = self.buffers.get(name)
        if known is None or known.size_bytes < size:
            room = max(size, self.largest)
            number = known.number if known else None
            known = self.session.agent.buffer(name, room, modulus=1, number=number)
            self.buffers[name] = known
        return known.at(known.size_bytes - size)


@dataclass(slots=True)
class AtBegin:
    """Places variables so that each begins exactly where memory does."""

    session: OperationSession
    page_bytes: int

    def __call__(self, name: str, size: int) -> BufferPlace:
        """Return the place of a variable."""
        room = -(-max(size, 1) // self.page_bytes) * self.page_bytes
        return self.session.agent.buffer(name, room, modulus=1).at(0)


def walked(trial: OperationTrial, walk: ReferenceWalk) -> list[RecordedCall]:
    """Do the reference walk; a fault or an unexpected result is the check's failure."""
    try:
        calls = walk.reference(fresh(trial, walk.group))
    except AgentFault as fault:
        raise CheckFailed(f"{about(walk.group)}: {fault}") from None
    for call in calls:
        wanted = call.task.returns
        if wanted is not None and call.result != wanted:
            what = f"{trial.subject.operation}{call.task.suffix}"
            raise CheckFailed(f"{what} returned {call.result}, not {wanted}, {about(walk.group)}")
    return calls


def about(one: TimedGroup) -> str:
    """State for which lengths a group is."""
    sizes = (f"{name} of {size} bytes" for name, size in one.variables.items() if name in "ma")
    return "with " + (" and ".join(sizes) or "inputs of its own sizes")


def name_of(trial: OperationTrial, call: RecordedCall) -> str:
    """Write the name of a function."""
    return f"{trial.subject.operation}{call.task.suffix}"


def repeats(walk: ReferenceWalk, call: RecordedCall) -> bool:
    """Return whether a call comes out the same when nothing is changed."""
    return walk.again(call) == (call.result, call.wrote)

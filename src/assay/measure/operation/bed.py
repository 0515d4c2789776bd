# SPDX-License-Identifier: MIT
"""Where the calls of a group lie in an agent: a pool of slices, and a place to work."""

from collections.abc import Iterable, Iterator
from random import Random

from msgspec import Struct, field

from assay.check.operation.routines import TimedCall, TimedGroup, function_of
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.execute.agent import Buffer
from assay.model import OperationSubject
from assay.model.api import Way

ALIGNMENT = 64


class Bed(Struct):
    """Pools and working buffers of a group in one agent."""

    session: OperationSession
    group: TimedGroup
    calls: int
    samples: int
    work: dict[str, Buffer] = field(default_factory=dict)
    pools: dict[str, Buffer] = field(default_factory=dict)

    @property
    def slices(self) -> int:
        """How many calls there are in all, warm-up included."""
        return self.calls * (self.samples + 1)

    def stride(self, name: str) -> int:
        """Return the distance of a variable's slices."""
        return -(-self.group.variables[name] // ALIGNMENT) * ALIGNMENT

    def make(self) -> None:
        """Make all buffers."""
        agent = self.session.agent
        agent.forget_buffers()
        for name in self.group.variables:
            room = self.stride(name) * self.calls
            self.work[name] = agent.buffer(name, room, modulus=ALIGNMENT)
            pool = room * (self.samples + 1)
            self.pools[name] = agent.buffer(f"pool of {name}", pool, modulus=ALIGNMENT)


def fresh_inputs(bed: Bed, random: Random) -> dict[str, bytes]:
    """Make unpredictable contents of every pool that is read; what is written begins as zeros."""
    found = fresh_outputs(bed)
    for name, pool in bed.pools.items():
        if name in found:
            continue
        data = bytearray(random.randbytes(pool.size_bytes))
        zeros, stride = bed.group.zeros.get(name, 0), bed.stride(name)
        for at in range(0, len(data), stride or 1) if zeros else ():
            data[at : at + zeros] = bytes(zeros)
        found[name] = bytes(data)
    return found


def fresh_outputs(bed: Bed) -> dict[str, bytes]:
    """Return zeros for every pool that is written."""
    subject = bed.session.subject
    written = {name for task in bed.group.tasks for name in _arguments(subject, task, Way.OUT)}
    return {name: bytes(bed.pools[name].size_bytes) for name in bed.pools if name in written}


def fill(bed: Bed, inputs: dict[str, bytes], seed: bytes) -> None:
    """Put the inputs into an agent, and begin its randomness at `seed`."""
    for name, data in inputs.items():
        bed.session.agent.write(bed.pools[name], data)
    begin_randomness(bed, seed)


def begin_randomness(bed: Bed, seed: bytes) -> None:
    """Begin what an agent draws at `seed`."""
    script = Script()
    script.seed(seed)
    bed.session.run(script)


def written_by(subject: OperationSubject, task: TimedCall) -> Iterator[str]:
    """Name the variables that a task writes."""
    return _arguments(subject, task, Way.OUT, Way.BOTH)


def read_by(subject: OperationSubject, task: TimedCall) -> Iterator[str]:
    """Name the variables that a task reads."""
    return _arguments(subject, task, Way.IN, Way.BOTH)


def _arguments(subject: OperationSubject, task: TimedCall, *ways: Way) -> Iterator[str]:
    function = function_of(subject, task.suffix)
    for name, parameter in zip(task.arguments, function.parameters, strict=True):
        if parameter.way in ways:
            yield name


def forge(bed: Bed, name: str, slices: Iterable[int]) -> None:
    """Change a byte in the middle of slices."""
    script = Script()
    stride, middle = bed.stride(name), bed.group.variables[name] // 2
    for number in slices:
        script.add(bed.pools[name].at(number * stride), middle, middle + 1, 1)
    bed.session.run(script)

# SPDX-License-Identifier: MIT
"""Having an agent time one task of a group, and reading what it says."""

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.check.operation.routines import TimedCall, TimedGroup, function_of
from assay.check.operation.script import CONSTANT
from assay.execute.agent import Agent
from assay.execute.places import pointer
from assay.execute.protocol import NO_BUFFER
from assay.measure.audit import WrongOutput
from assay.measure.operation.bed import Bed, fill
from assay.measure.operation.challenge import Challenge
from assay.measure.operation.masks import masked, plain_rows
from assay.model.api import Way
from assay.model.timed import KEPT
from assay.timing.agent import watched
from assay.timing.witness import compare, took_time

LENGTHS_OF_SLICES = 0xFE
LEAST_SAMPLES = 15
STEPS_PER_SAMPLE = 1000  # of the counter: a sample is that long if it has several calls
POOL_BYTES = 512 * 1024
HOLLOW, RESULTS = 1, 2
COPIED_IN, COPIED_OUT = 1, 2
COLUMNS = 3  # of a sample: ticks, bytes and calls of randomness
TIMING_SECONDS = 120.0


class OperationEffort(Struct, frozen=True):
    """How much is timed: `samples` of each measure in a launch, fewer of long messages.

    The counter advances by `step_ticks`, and `ticks_per_second` in all (infinite: nobody knows).
    """

    samples: int = 31
    step_ticks: int = 1
    ticks_per_second: float = math.inf

    def samples_for(self, group: TimedGroup) -> int:
        """Return how many samples a group gets: memory bounds those of long messages."""
        largest = max(group.variables.values(), default=0)
        return max(LEAST_SAMPLES, min(self.samples, POOL_BYTES // max(largest, 1)))


class Timing(Struct, frozen=True):
    """The answer to one request: ticks and randomness of each sample, warm-up left out.

    `lengths` are what the calls wrote as such, those of the warm-up first; none where the
    function writes no length. `results` are what each call returned, as far as it was asked.
    """

    least: int
    most: int
    lengths: tuple[int, ...]
    ticks: tuple[int, ...]
    random_bytes: tuple[int, ...]
    random_calls: tuple[int, ...]
    warm_up: int
    results: tuple[int, ...] = ()

    def less(self, between: float) -> "Timing":
        """Return it without so many ticks of each sample, which are no work of its calls."""
        return replace(self, ticks=tuple(max(1, round(one - between)) for one in self.ticks))

    def of(self, samples: Sequence[int]) -> "Timing":
        """Return what is said of some samples, by their numbers."""
        columns = (self.ticks, self.random_bytes, self.random_calls)
        ticks, random_bytes, random_calls = (tuple(one[i] for i in samples) for one in columns)
        return replace(self, ticks=ticks, random_bytes=random_bytes, random_calls=random_calls)


def time_task(bed: Bed, challenge: Challenge, effort: OperationEffort) -> Timing:
    """Time one task on every slice; WrongOutput if it does not return what it must.

    Its inputs must be there, masked: see `put`.
    """
    session, task = bed.session, challenge.task
    what = f"timing {session.subject.operation}{task.suffix}"
    slices = bed.slices if writes_length(bed, task) else 0
    told = bed.slices if challenge.other else 0
    request = request_of(bed, challenge)
    timing = read_timing(session.agent, request, what, bed.samples, slices, told)
    reported = (timing.warm_up + sum(timing.ticks)) / effort.ticks_per_second
    took_time(what, timing.ticks)
    compare(what, reported, None, watched(session.agent).since_timing().seconds, 0.0)
    _require_results(what, timing, challenge)
    return timing


def _require_results(what: str, timing: Timing, challenge: Challenge) -> None:
    """Raise WrongOutput unless each call returned what it must."""
    other, returns = challenge.other, challenge.task.returns
    if not other:
        results = {timing.least, timing.most}
        if returns is not None and results != {returns}:
            raise WrongOutput(f"{what}: it returned {sorted(results)}, not {returns}")
        return
    accepted = not challenge.task.forged and returns == 0
    for number, result in enumerate(timing.results):
        if (result == 0) is not (accepted is not (number in other)):
            raise WrongOutput(
                f"{what}: call {number} of {len(timing.results)} returned {result}, though its "
                f"inputs are {'' if result else 'not '}to be accepted"
            )


def writes_length(bed: Bed, task: TimedCall) -> bool:
    """Return whether the function of a task writes a length."""
    function = function_of(bed.session.subject, task.suffix)
    return any(one.way is Way.LENGTH_OUT for one in function.parameters)


def put(bed: Bed, challenge: Challenge) -> None:
    """Put the inputs of a challenge into the agent that is timed, each masked until its call."""
    fill(bed, masked(bed, challenge), challenge.seed)


def request_of(bed: Bed, challenge: Challenge, *, hollow: bool = False) -> bytes:
    """Return the request for timing a task; a `hollow` one does all but the calls."""
    task = challenge.task
    function = function_of(bed.session.subject, task.suffix)
    payload = bytes([bed.session.number(task.suffix)])
    payload += bed.calls.to_bytes(4, "little") + bed.samples.to_bytes(4, "little")
    payload += bytes([HOLLOW if hollow else RESULTS if challenge.other else 0])
    for argument, parameter in zip(task.arguments, function.parameters, strict=True):
        payload += _argument(bed, argument, parameter.way, challenge)
    return payload + b"".join(seed.to_bytes(8, "little") for seed in challenge.mask_seeds)


def read_timing(
    agent: Agent, payload: bytes, what: str, samples: int, lengths: int, results: int = 0
) -> Timing:
    """Have a request made, and return its answer."""
    reader = watched(agent).time(payload, what, TIMING_SECONDS)
    least, most = (reader.number(8, signed=True) for _ in range(2))
    rows = reader.numbers(COLUMNS * (samples + 1))
    ticks, random_bytes, random_calls = (rows[at::COLUMNS] for at in range(COLUMNS))
    written = reader.numbers(lengths)
    told = tuple(reader.number(1, signed=True) for _ in range(results))
    drawn = random_bytes[1:], random_calls[1:]
    return Timing(least, most, written, ticks[1:], *drawn, ticks[0], told)


def _argument(bed: Bed, argument: str, way: Way, challenge: Challenge) -> bytes:
    if way is Way.LENGTH_OUT:
        return b""
    if way is Way.LENGTH and argument.startswith(KEPT):
        given = (length.to_bytes(4, "little") for length in challenge.given)
        return bytes([LENGTHS_OF_SLICES]) + b"".join(given)
    if way is Way.LENGTH:
        return bytes([CONSTANT]) + bed.group.length(argument[1:]).to_bytes(8, "little")
    ways = COPIED_IN if way in (Way.IN, Way.BOTH) else 0
    ways |= COPIED_OUT if way in (Way.OUT, Way.BOTH) and not challenge.task.forged else 0
    stride = bed.stride(argument)
    pool = bed.pools[argument].number if stride else NO_BUFFER
    plain = plain_rows(bed, challenge, argument) if ways & COPIED_IN else 0
    return pointer(bed.work[argument]) + stride.to_bytes(4, "little") + bytes([pool, ways, plain])

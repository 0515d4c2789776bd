# SPDX-License-Identifier: MIT
"""How much of a group one request times: the calls of a sample, and how many samples.

A sample lasts some steps of the counter. A request lasts long enough for the kernel's account of
it: of short calls it has more samples than the figures take, and those that count are chosen at
random afterwards.
"""

import math
from collections.abc import Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from assay.check.operation.routines import TimedCall, TimedGroup
from assay.check.operation.session import OperationSession
from assay.measure.operation.bed import Bed
from assay.measure.operation.challenge import Challenger
from assay.measure.operation.parts import decides, spare_samples
from assay.measure.operation.timing import (
    POOL_BYTES,
    STEPS_PER_SAMPLE,
    OperationEffort,
    Timing,
    put,
    time_task,
)
from assay.model.operations import OPERATIONS

STEPS_ALONE = 50  # at least, of a call that is a sample by itself if that can be
MOST_CALLS = 64
MOST_SLICES, MOST_SAMPLES = 16384, 4000  # of a request in all, as the agent has it
CACHED_BYTES = 12 * 1024  # all of a sample's calls work in no more, if there are several
REQUEST_SECONDS, SHORT_SECONDS = 0.001, 0.0005  # aimed at, and what is made longer
MOST_TIMES_SHORTEST = 5  # that all tasks of a group may take together


class RequestSize(Struct, frozen=True):
    """The `calls` of each sample of a group, and its `samples`, up to `most_samples`."""

    calls: int
    samples: int
    most_samples: int

    def longer(self, seconds: Sequence[float]) -> "RequestSize":
        """Return the size at which requests that take so long are long enough."""
        if self.samples >= self.most_samples or not min(seconds) > 0.0:
            return self
        times = min(
            REQUEST_SECONDS / min(seconds),
            MOST_TIMES_SHORTEST * REQUEST_SECONDS / sum(seconds),
        )
        wanted = max(self.samples, math.ceil(self.samples * times))
        return replace(self, samples=min(wanted, self.most_samples))


class Beds(Struct, frozen=True):
    """Where the calls of a group are timed, and what makes challenges for it in another agent."""

    timed: Bed
    challenger: Challenger

    @classmethod
    def of(
        cls,
        session: OperationSession,
        proof: OperationSession,
        group: TimedGroup,
        size: RequestSize,
    ) -> "Beds":
        """Make both."""
        timed, other = (Bed(one, group, size.calls, size.samples) for one in (session, proof))
        timed.make()
        other.make()
        return cls(timed, Challenger(other))

    def once(self, task: TimedCall, effort: OperationEffort, random: Random) -> Timing:
        """Time a task, whatever disturbs it."""
        challenge = self.challenger.make(task, random)
        put(self.timed, challenge)
        return time_task(self.timed, challenge, effort)


def request_size_of(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
) -> RequestSize:
    """Choose a size from a few single calls; one call a sample where memory is large."""
    samples = effort.samples_for(group)
    samples += spare_samples(group, samples)
    room = max(1, sum(map(Bed(session, group, 1, 2).stride, group.variables)))
    most = min(MOST_CALLS, CACHED_BYTES // room, MOST_SLICES // (samples + 1))
    if OPERATIONS[session.subject.operation].randomised or most <= 1:
        return RequestSize(1, samples, _most_samples(samples, 1, room))
    beds = Beds.of(session, proof, group, RequestSize(1, 2, 2))
    ticks = [min(beds.once(task, effort, random).ticks) for task in group.timed]
    wanted = STEPS_PER_SAMPLE * effort.step_ticks // max(min(ticks), 1) + 1
    if decides(group) and min(ticks) >= STEPS_ALONE * effort.step_ticks:
        wanted = 1
    calls = max(1, min(most, wanted))
    size = RequestSize(calls, samples, _most_samples(samples, calls, room))
    a_sample = calls * samples / effort.ticks_per_second
    return size.longer([one * a_sample for one in ticks])


def _most_samples(least: int, calls: int, room: int) -> int:
    """Return how many samples a request and the memory have room for."""
    return max(least, min(MOST_SAMPLES, MOST_SLICES // calls - 1, POOL_BYTES // (room * calls)))

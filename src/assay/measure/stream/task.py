# SPDX-License-Identifier: MIT
"""What a launch of a stream cipher times: the measures of the eSTREAM framework."""

from dataclasses import dataclass
from functools import partial

from assay.measure.counted import CountedAgent, sample_of
from assay.measure.stream.footprint import count
from assay.measure.stream.measures import measures, take
from assay.measure.task import Batches, Count, Measured, Take
from assay.model import Sample, SizeChoice, StreamSubject
from assay.plan.effort import Effort
from assay.timing.clock import CounterOption


@dataclass(frozen=True, slots=True)
class StreamTask:
    """All measures at some sizes, or those that the effort names."""

    subject: StreamSubject
    sizes: tuple[SizeChoice, ...]
    effort: Effort

    @property
    def asked(self) -> frozenset[Measured]:
        """Name measures and sizes."""
        listed = measures(self.subject, self.effort)
        return frozenset((one.name, sizes) for one in listed for sizes in self.sizes)

    @property
    def counting(self) -> tuple[Count, ...]:
        """Count at one choice of sizes after another."""
        return tuple(partial(self._counted, choice) for choice in self.sizes)

    def _counted(self, choice: SizeChoice, counter: CountedAgent) -> list[Sample]:
        return [sample_of(one, choice) for one in count(counter, self.subject, choice)]

    def taking(self, counter: CounterOption, batches: Batches) -> Take:
        """Return what takes them in a launch; proofs are asked for afterwards."""
        rate = counter.ticks_per_second
        return lambda agent, _, random: take(
            agent, self.subject, self.sizes, self.effort, rate, batches, random
        )
